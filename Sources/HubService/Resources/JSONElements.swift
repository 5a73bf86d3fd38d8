package import JSON

/// The elements of a JSON array, each written as it comes: those of a large answer never stand in memory as
/// values all together.
package struct JSONElements: Sendable {
    package init() {}

    /// Without the brackets.
    package private(set) var bytes: [UInt8] = []
    package private(set) var count = 0

    package mutating func append(_ value: JSONValue) {
        if count > 0 { bytes.append(UInt8(ascii: ",")) }
        value.write(to: &bytes)
        count += 1
    }
}
