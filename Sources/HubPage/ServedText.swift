import GatewayRules

/// The text of a file of the page as browsers get it: without what is only for the people who read it here,
/// comments that have a line of their own and the spaces in front of lines. That is an eighth of the bytes.
///
/// No line of these files is inside a text of several lines, in which spaces would count: a test sees to
/// that.
///
/// `page.c` joins modules into two scripts. In these, imports go, since all that they name is in the same
/// script; its modules may share no name. A module that comes later gets what was joined from the page's
/// script. Tests hold the modules to that.
enum ServedText {
    private static let space = UInt8(ascii: " ")
    private static let quote = UInt8(ascii: "\"")

    static func bytes(of file: [UInt8], _ path: PagePath) -> [UInt8] {
        // In a script, lines that begin with `//` are comments.
        let isScript = path.rawValue.hasSuffix(".js"), isJoined = joined.contains(path)
        var served: [UInt8] = []
        served.reserveCapacity(file.count)
        for line in file.split(separator: UInt8(ascii: "\n")) {
            let text = line.drop { $0 == space }
            if text.isEmpty || isScript && text.starts(with: "//".utf8) { continue }
            if isJoined && text.starts(with: "import {".utf8) { continue }
            served += isScript && !isJoined ? linked(text) : Array(text)
            served.append(UInt8(ascii: "\n"))
        }
        return served
    }

    static let joined: Set<PagePath> = [.script, .enter]

    /// With the page's script in place of a module that has no path of its own.
    private static func linked(_ line: ArraySlice<UInt8>) -> [UInt8] {
        let parts = line.split(separator: quote, omittingEmptySubsequences: false).map { part in
            guard part.starts(with: "./".utf8) else { return part }
            let path = PagePath.page.rawValue + "page/" + String(decoding: part.dropFirst(2), as: UTF8.self)
            return PagePath(rawValue: path) == nil ? ArraySlice("./page.js".utf8) : part
        }
        return Array(parts.joined(separator: [quote]))
    }
}
