/// The fields of a head or of trailers, unchanged: their bytes in one buffer, and the position of each name
/// and value.
///
/// Only a framing reader creates a block. It interprets each name once and stores its meaning (`role`), so
/// that no later step interprets a name, a length or a coding again.
package struct FieldBlock: Sendable {
    /// One field line.
    package struct Field: Sendable {
        /// What the field means to the gateway.
        package let role: FieldRole
        fileprivate let start: Int
        fileprivate let nameEnd: Int
        fileprivate let valueStart: Int
        fileprivate let end: Int
    }

    private var bytes: [UInt8] = []
    /// The fields in their original order.
    package private(set) var fields: [Field] = []

    package init() {}

    /// Appends a field. The name must be a token, the value without white space at its ends.
    mutating func append(
        name: Slice<UnsafeRawBufferPointer>, value: Slice<UnsafeRawBufferPointer>, role: FieldRole
    ) {
        if bytes.isEmpty {
            bytes.reserveCapacity(512)
            fields.reserveCapacity(16)
        }
        let start = bytes.count
        bytes.append(contentsOf: name)
        let nameEnd = bytes.count
        bytes.append(contentsOf: ": ".utf8)
        let valueStart = bytes.count
        bytes.append(contentsOf: value)
        fields.append(
            Field(role: role, start: start, nameEnd: nameEnd, valueStart: valueStart, end: bytes.count))
    }

    /// The name in its original case.
    package func name(of field: Field) -> ArraySlice<UInt8> { bytes[field.start..<field.nameEnd] }

    /// The value, without white space at its ends.
    package func value(of field: Field) -> ArraySlice<UInt8> { bytes[field.valueStart..<field.end] }

    /// The value of the field with this role; nil if there is none, or more than one.
    package func onlyValue(_ role: FieldRole) -> ArraySlice<UInt8>? {
        var found: Field?
        for field in fields where field.role == role {
            guard found == nil else { return nil }
            found = field
        }
        return found.map(value)
    }

    /// True if there is a field with this role.
    package func has(_ role: FieldRole) -> Bool { fields.contains { $0.role == role } }

    /// Writes the field as a line with its CR LF.
    func write(_ field: Field, to head: inout [UInt8]) {
        head.append(contentsOf: bytes[field.start..<field.end])
        head.append(contentsOf: "\r\n".utf8)
    }
}
