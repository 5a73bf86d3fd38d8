/// Writes an object member by member, for lines of which there may be thousands: no `JSONValue` in between.
///
/// Keys are the writer's own names, in ASCII without characters that JSON escapes: they are written as they
/// are, in the order in which they are added, which is the alphabetical one in every line of hubpair.
package struct JSONMembers {
    private var bytes: [UInt8]
    private var isFirst = true

    /// Appends an object to `bytes`, with the members that `body` adds.
    package static func write(to bytes: inout [UInt8], _ body: (inout JSONMembers) -> Void) {
        var members = JSONMembers(bytes: bytes)
        // Only one owner of the memory, so that nothing is copied.
        bytes = []
        members.bytes.append(UInt8(ascii: "{"))
        body(&members)
        members.bytes.append(UInt8(ascii: "}"))
        bytes = members.bytes
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// Writes the members of `object` in the alphabetical order of their keys, which may be any text.
    static func write(_ object: [String: JSONValue], to bytes: inout [UInt8]) {
        write(to: &bytes) { members in
            for (key, value) in object.sorted(by: { $0.key < $1.key }) {
                members.separate()
                JSONValue.write(key, to: &members.bytes)
                members.bytes.append(UInt8(ascii: ":"))
                value.write(to: &members.bytes)
            }
        }
    }

    package mutating func add(_ key: StaticString, _ text: String) {
        begin(key)
        JSONValue.write(text, to: &bytes)
    }

    package mutating func add(_ key: StaticString, _ value: JSONValue) {
        begin(key)
        value.write(to: &bytes)
    }

    package mutating func add(_ key: StaticString, _ value: some JSONWritable) {
        begin(key)
        value.write(to: &bytes)
    }

    /// Adds a value that is written already.
    package mutating func add(_ key: StaticString, json: [UInt8]) {
        begin(key)
        bytes.append(contentsOf: json)
    }

    package mutating func add(_ key: StaticString, _ elements: [some JSONWritable]) {
        begin(key)
        JSONMembers.write(elements, to: &bytes)
    }

    /// Adds an array of objects, one for each element.
    package mutating func add<Element>(
        _ key: StaticString, each elements: [Element], _ body: (Element, inout JSONMembers) -> Void
    ) {
        begin(key)
        JSONMembers.write(each: elements, to: &bytes, body)
    }

    /// Appends an array to `bytes`.
    package static func write(_ elements: [some JSONWritable], to bytes: inout [UInt8]) {
        list(elements, to: &bytes) { $0.write(to: &$1) }
    }

    /// Appends an array of objects to `bytes`, one for each element.
    package static func write<Element>(
        each elements: [Element], to bytes: inout [UInt8], _ body: (Element, inout JSONMembers) -> Void
    ) {
        list(elements, to: &bytes) { element, bytes in write(to: &bytes) { body(element, &$0) } }
    }

    private static func list<Element>(
        _ elements: [Element], to bytes: inout [UInt8], _ body: (Element, inout [UInt8]) -> Void
    ) {
        bytes.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            body(element, &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func begin(_ key: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        key.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func separate() {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
    }
}
