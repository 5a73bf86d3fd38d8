/// A key file in GLib's format: groups of `key=value` lines, with comments.
///
///     file    = *( blank / comment ) *( header *( blank / comment / pair ) )
///     comment = *WSP "#" *CHAR LF
///     header  = *WSP "[" name "]" *WSP LF         ; name: no "[" or "]"
///     pair    = *WSP key *WSP "=" *WSP value LF   ; key: no "=", "[" or "]"
///     key     = 1*CHAR [ "[" locale "]" ]         ; locale: letters, digits, "-", "_", ".", "@"
///     value   = *( CHAR / TAB / "\s" / "\n" / "\t" / "\r" / "\\" )
///     CHAR    = any character but a control character (Cc)
///
/// UTF-8; a line ends with LF or CR LF, which a rewrite keeps.
///
/// Accepted:
///
///     [keyfile]
///     format=1
///
/// Rejected: a second `[keyfile]`, a second `format` in it, a pair before the first header, a last line
/// without a line end (a truncated file), `name=\x`.
///
/// Stricter than GLib where leniency could hide damage: GLib merges groups of the same name, uses the last of
/// two equal keys, accepts a truncated last line, and treats control characters inconsistently. GLib reads
/// every file that is accepted here the same way. Comments, blank lines, the order and unknown keys survive a
/// rewrite byte for byte. Source: GLib, "GKeyFile"; freedesktop.org Desktop Entry Specification § 3.
package struct KeyFile: Equatable, Sendable {
    /// The maximum size of a file in bytes; a larger one can only be an attack on memory. 10,000 devices take
    /// about 2 MB.
    package static let maximumByteCount = 16 << 20

    enum Line: Equatable, Sendable {
        /// A blank line or a comment, unchanged.
        case trivia(String)
        /// A pair; `raw` is the unchanged line, nil for `key=value`. `value` still has its escapes.
        case pair(key: String, value: String, raw: String?)

        var raw: String {
            switch self {
            case .trivia(let raw): raw
            case .pair(let key, let value, let raw): raw ?? "\(key)=\(value)"
            }
        }

        // Compared as bytes: Swift's == treats a name in NFC and in NFD as equal, and a rename between them
        // would be lost.
        static func == (one: Line, other: Line) -> Bool { one.raw.utf8.elementsEqual(other.raw.utf8) }
    }

    struct Group: Equatable, Sendable {
        var name: String
        /// The unchanged line; nil for `[name]`.
        var header: String?
        var lines: [Line]
    }

    private var preamble: [Line] = []
    private(set) var groups: [Group] = []
    private(set) var positions: [String: Int] = [:]
    /// The serialised file: UTF-8, every line with its line end. It is kept up to date beside `groups`, so
    /// that adding a device to 10,000 copies bytes instead of serialising every line.
    package internal(set) var serialized: [UInt8] = []
    /// The offset of each group in `serialized`.
    private(set) var starts: [Int] = []

    /// Creates an empty file.
    package init() {}

    // Compared as bytes, as above.
    package static func == (one: KeyFile, other: KeyFile) -> Bool { one.serialized == other.serialized }

    /// The names of the groups in file order.
    package var groupNames: [String] { groups.map(\.name) }

    package func hasGroup(_ name: String) -> Bool { positions[name] != nil }

    /// The value of `key` in `group`, with escapes decoded; nil if either is missing.
    package func value(_ key: String, in group: String) -> String? {
        guard let position = positions[group] else { return nil }
        for case .pair(key, let value, _) in groups[position].lines {
            return KeyFile.unescaped(value)  // the escapes were checked when the file was parsed
        }
        return nil
    }

    /// Sets `key` in `group` to `value`, in place or after the group's last pair. A missing group is
    /// appended; nil removes the key. `value` must hold no control characters except tab, LF and CR.
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
        let pair = Line.pair(key: key, value: escaped, raw: nil)
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

    /// Removes groups and their pairs. Comments after the last pair of a group stay, because they usually
    /// belong to the next group.
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
                append(Group(name: group.name, header: group.header, lines: []))
            }
            for line in lines { append(line) }
        }
    }

    /// Gives a group another name, in its place. Nothing happens if there is none.
    package mutating func rename(_ name: String, to newName: String) {
        let before = self
        guard before.positions[name] != nil, before.positions[newName] == nil else { return }
        self = KeyFile()
        for line in before.preamble { append(line) }
        for group in before.groups {
            let isIt = group.name == name
            append(
                Group(name: isIt ? newName : group.name, header: isIt ? nil : group.header, lines: []))
            for line in group.lines { append(line) }
        }
    }

    /// Adds a group, with a blank line before it.
    @discardableResult
    mutating func addGroup(_ name: String) -> Int {
        if groups.last?.lines.last != .trivia(""), !groups.isEmpty { append(.trivia("")) }
        append(Group(name: name, header: nil, lines: []))
        return groups.count - 1
    }

    private mutating func append(_ group: Group) {
        enter(group, at: serialized.count)
        KeyFile.write(group, to: &serialized)
    }

    mutating func append(_ line: Line) {
        enter(line)
        KeyFile.write(line, to: &serialized)
    }

    /// Adds a group whose header is in `serialized` at the offset `start`.
    mutating func enter(_ group: Group, at start: Int) {
        positions[group.name] = groups.count
        groups.append(group)
        starts.append(start)
    }

    /// Adds a line that is in `serialized`, to the last group.
    mutating func enter(_ line: Line) {
        if groups.isEmpty { preamble.append(line) } else { groups[groups.count - 1].lines.append(line) }
    }

    private static func write(_ group: Group, to bytes: inout [UInt8]) {
        if let header = group.header {
            bytes += header.utf8
        } else {
            bytes.append(UInt8(ascii: "["))
            bytes += group.name.utf8
            bytes.append(UInt8(ascii: "]"))
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    // Not by way of `raw`: when one of 10,000 devices goes, a text for each of 70,000 lines would be made.
    private static func write(_ line: Line, to bytes: inout [UInt8]) {
        switch line {
        case .trivia(let raw), .pair(_, _, let raw?): bytes += raw.utf8
        case .pair(let key, let value, nil):
            bytes += key.utf8
            bytes.append(UInt8(ascii: "="))
            bytes += value.utf8
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Changes the lines of the group at `position`, and updates `serialized` and `starts`.
    private mutating func change(_ position: Int, _ body: (inout [Line]) -> Void) {
        body(&groups[position].lines)
        let end = position + 1 < starts.count ? starts[position + 1] : serialized.count
        var bytes: [UInt8] = []
        KeyFile.write(groups[position], to: &bytes)
        for line in groups[position].lines { KeyFile.write(line, to: &bytes) }
        let growth = bytes.count - (end - starts[position])
        serialized.replaceSubrange(starts[position]..<end, with: bytes)
        guard growth != 0 else { return }
        for later in starts.indices.dropFirst(position + 1) { starts[later] += growth }
    }
}
