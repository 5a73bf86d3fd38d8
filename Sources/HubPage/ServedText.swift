/// The text of a file of the page as browsers get it: without what is only for the people who read it here,
/// comments that have a line of their own and the spaces in front of lines. That is an eighth of the bytes.
///
/// No line of these files is inside a text of several lines, in which spaces would count: a test sees to
/// that.
enum ServedText {
    private static let space = UInt8(ascii: " ")

    /// - Parameter isScript: in a script, lines that begin with `//` are comments.
    static func bytes(of file: [UInt8], isScript: Bool) -> [UInt8] {
        var served: [UInt8] = []
        served.reserveCapacity(file.count)
        for line in file.split(separator: UInt8(ascii: "\n")) {
            let text = line.drop { $0 == space }
            guard !text.isEmpty, !isScript || !text.starts(with: "//".utf8) else { continue }
            served += text
            served.append(UInt8(ascii: "\n"))
        }
        return served
    }
}
