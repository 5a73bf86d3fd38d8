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

    var preamble: [String] = []
    private(set) var groups: [Group] = []
    private var positions: [String: Int] = [:]

    /// A file without a line.
    package init() {}

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

    /// Sets `key` in `group` to `value`, which holds no control characters but tab, LF and CR: where it stands, else after the group's last pair; a group that is
    /// missing is added at the end. Nil removes the key.
    package mutating func set(_ key: String, to value: String?, in group: String) {
        guard let value else {
            if let position = positions[group] {
                groups[position].lines.removeAll { if case .pair(key, _, _) = $0 { true } else { false } }
            }
            return
        }
        let escaped = KeyFile.escaped(value)
        let pair = Line.pair(key: key, value: escaped, raw: "\(key)=\(escaped)")
        let position = positions[group] ?? addGroup(group)
        let isPair = { (line: Line) in if case .pair = line { true } else { false } }
        let isKey = { (line: Line) in if case .pair(key, _, _) = line { true } else { false } }
        if let index = groups[position].lines.firstIndex(where: isKey) {
            guard groups[position].lines[index] != pair else { return }
            groups[position].lines[index] = pair
        } else {
            let last = groups[position].lines.lastIndex(where: isPair).map { $0 + 1 } ?? 0
            groups[position].lines.insert(pair, at: last)
        }
    }

    /// Removes a group and its pairs. The comments that follow its last pair stay: they most often stand
    /// above the next group.
    package mutating func removeGroup(_ name: String) {
        guard let position = positions[name] else { return }
        let removed = groups.remove(at: position)
        let tail = removed.lines.reversed().prefix { if case .trivia = $0 { true } else { false } }.reversed()
        let kept = tail.drop { $0 == .trivia("") }
        if position > 0 {
            groups[position - 1].lines += kept
        } else {
            preamble += kept.compactMap { if case .trivia(let text) = $0 { text } else { nil } }
        }
        positions = Dictionary(uniqueKeysWithValues: groups.enumerated().map { ($1.name, $0) })
    }

    /// The file as it is written: UTF-8, every line ended by LF.
    package var serialized: [UInt8] {
        var text = ""
        for line in preamble { text += line + "\n" }
        for group in groups {
            text += group.header + "\n"
            for line in group.lines { text += line.raw + "\n" }
        }
        return Array(text.utf8)
    }

    @discardableResult
    mutating func addGroup(_ name: String, header: String? = nil) -> Int {
        if header == nil, groups.last?.lines.last != .trivia(""), !groups.isEmpty {
            groups[groups.count - 1].lines.append(.trivia(""))
        }
        groups.append(Group(name: name, header: header ?? "[\(name)]", lines: []))
        positions[name] = groups.count - 1
        return groups.count - 1
    }

    mutating func append(_ line: Line) {
        if groups.isEmpty {
            if case .trivia(let raw) = line { preamble.append(raw) }
        } else {
            groups[groups.count - 1].lines.append(line)
        }
    }
}
