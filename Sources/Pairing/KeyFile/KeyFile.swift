/// A key file as GLib reads it: groups of `key=value` lines, with comments.
///
///     file    = *( blank / comment ) *( header *( blank / comment / pair ) )
///     comment = *WSP "#" *CHAR LF
///     header  = *WSP "[" name "]" *WSP LF         ; name: no "[" or "]"
///     pair    = *WSP key *WSP "=" *WSP value LF   ; key: no "=", "[" or "]"
///     key     = 1*CHAR [ "[" locale "]" ]         ; locale: letters, digits, "-", "_", ".", "@"
///     value   = *( CHAR / TAB / "\s" / "\n" / "\t" / "\r" / "\\" )
///     CHAR    = any character but a control character (Cc)
///
/// UTF-8; a line ends with LF or CR LF, and keeps its end.
///
/// Accepted:
///
///     [keyfile]
///     format=1
///
/// Rejected: a second `[keyfile]`, a second `format` in it, a pair before the first header, a last line
/// without its end (a torn file), `name=\x`.
///
/// Stricter than GLib in what could hide a fault: GLib merges groups of one name, lets the last of two
/// equal keys win, takes a torn last line for a whole one, and reads control characters each in its own way.
/// Whatever is read here, GLib reads the same. Comments, blank lines, the order and the keys
/// that this code does not know survive a rewrite to the byte.
/// Source: GLib, "GKeyFile"; freedesktop.org Desktop Entry Specification § 3.
package struct KeyFile: Equatable, Sendable {
    /// The most bytes that are read: 10,000 devices take about 2 MB. More would only be an attack on memory.
    package static let maximumByteCount = 16 << 20

    enum Line: Equatable, Sendable {
        /// A blank line or a comment, as it stood.
        case trivia(String)
        /// A pair; `raw` is the whole line as it stood, `value` is still escaped.
        case pair(key: String, value: String, raw: String)

        var raw: String {
            switch self {
            case .trivia(let raw), .pair(_, _, let raw): raw
            }
        }

        // Bytes: for Swift's == a name in NFC and the same in NFD are equal, and a rename would be lost.
        static func == (one: Line, other: Line) -> Bool { one.raw.utf8.elementsEqual(other.raw.utf8) }
    }

    struct Group: Equatable, Sendable {
        var name: String
        var header: String
        var lines: [Line]
    }

    private var preamble: [Line] = []
    private(set) var groups: [Group] = []
    private var positions: [String: Int] = [:]
    /// The file as it is written: UTF-8, every line with its end. Kept beside the groups, so that one more
    /// device among 10,000 costs a copy of bytes and not the writing of every line.
    package private(set) var serialized: [UInt8] = []
    /// Where in the bytes each group begins.
    private var starts: [Int] = []

    /// A file without a line.
    package init() {}

    // Bytes again: what is written the same is the same file.
    package static func == (one: KeyFile, other: KeyFile) -> Bool { one.serialized == other.serialized }

    /// The names of the groups in the file's order.
    package var groupNames: [String] { groups.map(\.name) }

    /// True if there is a group of that name.
    package func hasGroup(_ name: String) -> Bool { positions[name] != nil }

    /// The value of `key` in `group`, its escapes undone; nil if either is missing.
    package func value(_ key: String, in group: String) -> String? {
        guard let position = positions[group] else { return nil }
        for case .pair(key, let value, _) in groups[position].lines {
            return KeyFile.unescaped(value)  // checked when it was read
        }
        return nil
    }

    /// Sets `key` in `group` to `value`, which holds no control characters but tab, LF and CR: where it
    /// stands, else after the group's last pair; a group that is missing is added at the end. Nil removes the
    /// key.
    package mutating func set(_ key: String, to value: String?, in group: String) {
        guard let value else {
            if let position = positions[group], self.value(key, in: group) != nil {
                change(position) { lines in
                    lines.removeAll { if case .pair(key, _, _) = $0 { true } else { false } }
                }
            }
            return
        }
        let escaped = KeyFile.escaped(value)
        let pair = Line.pair(key: key, value: escaped, raw: "\(key)=\(escaped)")
        let position = positions[group] ?? addGroup(group)
        let isPair = { (line: Line) in if case .pair = line { true } else { false } }
        let isKey = { (line: Line) in if case .pair(key, _, _) = line { true } else { false } }
        let lines = groups[position].lines
        if let index = lines.firstIndex(where: isKey) {
            guard lines[index] != pair else { return }
            change(position) { $0[index] = pair }
        } else {
            let last = lines.lastIndex(where: isPair).map { $0 + 1 } ?? 0
            change(position) { $0.insert(pair, at: last) }
        }
    }

    /// Removes one group; see ``removeGroups(_:)``.
    package mutating func removeGroup(_ name: String) { removeGroups([name]) }

    /// Removes groups and their pairs. The comments that follow the last pair of one stay: they most often
    /// stand above the next group.
    package mutating func removeGroups(_ names: Set<String>) {
        guard names.contains(where: { positions[$0] != nil }) else { return }
        let before = self
        self = KeyFile()
        for line in before.preamble { append(line) }
        for group in before.groups {
            var lines = group.lines
            if names.contains(group.name) {
                let tail = lines.reversed().prefix { if case .trivia = $0 { true } else { false } }.reversed()
                lines = Array(tail.drop { $0 == .trivia("") })
            } else {
                addGroup(group.name, header: group.header)
            }
            for line in lines { append(line) }
        }
    }

    @discardableResult
    mutating func addGroup(_ name: String, header: String? = nil) -> Int {
        if header == nil, groups.last?.lines.last != .trivia(""), !groups.isEmpty { append(.trivia("")) }
        let group = Group(name: name, header: header ?? "[\(name)]", lines: [])
        groups.append(group)
        positions[name] = groups.count - 1
        starts.append(serialized.count)
        write(group.header)
        return groups.count - 1
    }

    mutating func append(_ line: Line) {
        if groups.isEmpty { preamble.append(line) } else { groups[groups.count - 1].lines.append(line) }
        write(line.raw)
    }

    private mutating func write(_ line: String) {
        serialized += line.utf8
        serialized.append(UInt8(ascii: "\n"))
    }

    /// Changes the lines of the group at `position`, in the bytes too.
    private mutating func change(_ position: Int, _ body: (inout [Line]) -> Void) {
        body(&groups[position].lines)
        let end = position + 1 < starts.count ? starts[position + 1] : serialized.count
        var bytes: [UInt8] = []
        for line in [groups[position].header] + groups[position].lines.map(\.raw) {
            bytes += line.utf8
            bytes.append(UInt8(ascii: "\n"))
        }
        let growth = bytes.count - (end - starts[position])
        serialized.replaceSubrange(starts[position]..<end, with: bytes)
        guard growth != 0 else { return }
        for later in starts.indices.dropFirst(position + 1) { starts[later] += growth }
    }
}
