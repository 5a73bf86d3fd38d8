extension KeyFile {
    /// Parses a file. The error names the first line that breaks the grammar, counted from 1.
    package init(parsing bytes: [UInt8]) throws(KeyFileError) {
        var kept: [Int?] = []
        try self.init(parsing: bytes, keeping: KeyFile(), &kept)
    }

    /// The same of a file of which most was parsed before.
    ///
    /// - Parameters:
    ///   - known: what was parsed before: a group of the same bytes is taken from it.
    ///   - kept: for each group its position in `known`; nil for one that is another.
    init(parsing bytes: [UInt8], keeping known: KeyFile, _ kept: inout [Int?]) throws(KeyFileError) {
        guard bytes.count <= KeyFile.maximumByteCount else { throw .tooLarge(bytes.count) }
        guard String(validating: bytes, as: UTF8.self) != nil else { throw .notUTF8 }
        guard !bytes.starts(with: [0xEF, 0xBB, 0xBF]) else { throw .byteOrderMark }
        self.init()
        guard let last = bytes.last else { return }
        guard last == lineFeed else { throw .torn }
        // Not slices of the array: each counts a reference, and 10,000 codes have 70,000 lines.
        try bytes.withUnsafeBufferPointer { text throws(KeyFileError) in
            try enterLines(of: text, keeping: known, &kept)
        }
        serialized = bytes
    }

    private mutating func enterLines(
        of text: UnsafeBufferPointer<UInt8>, keeping known: KeyFile, _ kept: inout [Int?]
    ) throws(KeyFileError) {
        // Where the groups are that come next, if nothing has changed.
        var next = 0
        // One set for all groups, so that its storage is kept.
        var keys: Set<String> = []
        var (number, start) = (0, 0)
        while start < text.count {
            number += 1
            if text[start] == UInt8(ascii: "["), let end = known.end(of: next, in: text, at: start) {
                let group = known.groups[next]
                guard !hasGroup(group.name) else { throw .duplicateGroup(group.name, line: number) }
                enter(group, at: start)
                kept.append(next)
                (number, start, next) = (number + group.lines.count, end, next + 1)
                continue
            }
            let slice = text[start..<(text[start...].firstIndex(of: lineFeed) ?? text.count)]
            let line = slice.last == UInt8(ascii: "\r") ? slice.dropLast() : slice
            let content = line.drop(while: isBlank)
            if content.isEmpty || content.first == UInt8(ascii: "#") {
                enter(.trivia(String(decoding: slice, as: UTF8.self)))
            } else if content.first == UInt8(ascii: "[") {
                let name = try KeyFile.groupName(content, line: number)
                guard !hasGroup(name) else { throw .duplicateGroup(name, line: number) }
                let isPlain = slice.count == name.utf8.count + 2
                let header = isPlain ? nil : String(decoding: slice, as: UTF8.self)
                enter(Group(name: name, header: header, lines: []), at: start)
                kept.append(nil)
                next = (known.positions[name] ?? next - 1) + 1
                keys.removeAll(keepingCapacity: true)
            } else {
                let (key, value) = try KeyFile.pair(content, line: number)
                guard let group = groups.last?.name else { throw .pairOutsideGroup(line: number) }
                guard keys.insert(key).inserted else { throw .duplicateKey(key, group: group, line: number) }
                guard KeyFile.unescaped(value) != nil else { throw .invalidEscape(key: key, line: number) }
                let isPlain = slice.count == key.utf8.count + 1 + value.utf8.count
                let raw = isPlain ? nil : String(decoding: slice, as: UTF8.self)
                enter(.pair(key: key, value: value, raw: raw))
            }
            start = slice.endIndex + 1
        }
    }

    /// Where the group at `position` ends in another file's text, if the same bytes stand there, and no line
    /// more.
    private func end(
        of position: Int, in text: UnsafeBufferPointer<UInt8>, at start: Int
    ) -> Int? {
        guard groups.indices.contains(position) else { return nil }
        let own = starts[position]..<(position + 1 < starts.count ? starts[position + 1] : serialized.count)
        let end = start + own.count
        guard end == text.count || end < text.count && text[end] == UInt8(ascii: "[") else { return nil }
        let isSame = serialized.withUnsafeBufferPointer { $0[own].elementsEqual(text[start..<end]) }
        return isSame ? end : nil
    }

    private typealias Text = Slice<UnsafeBufferPointer<UInt8>>

    // Bytes, not Characters: a value that begins with a combining mark would form one Character with the "="
    // before it. A device with such a name would make the whole file unreadable.
    private static func groupName(_ content: Text, line: Int) throws(KeyFileError) -> String {
        let trimmed = content.droppingLast(while: isBlank)
        let name = trimmed.dropFirst().dropLast()
        guard trimmed.last == UInt8(ascii: "]"), isName(name) else { throw .invalidHeader(line: line) }
        return String(decoding: name, as: UTF8.self)
    }

    private static func pair(
        _ content: Text, line: Int
    ) throws(KeyFileError) -> (key: String, value: String) {
        guard !hasControlCharacter(content, besides: 0x09) else { throw .controlCharacter(line: line) }
        guard let equals = content.firstIndex(of: UInt8(ascii: "=")) else { throw .invalidLine(line: line) }
        let key = content[..<equals].droppingLast(while: isBlank)
        var unlocalized = key
        if key.last == UInt8(ascii: "]"), let bracket = key.firstIndex(of: UInt8(ascii: "[")) {
            let locale = key[(bracket + 1)...].dropLast()
            guard !locale.isEmpty, locale.allSatisfy(isLocaleByte) else { throw .invalidLine(line: line) }
            unlocalized = key[..<bracket]
        }
        guard isName(unlocalized) else { throw .invalidLine(line: line) }
        let value = content[(equals + 1)...].drop(while: isBlank)
        return (String(decoding: key, as: UTF8.self), String(decoding: value, as: UTF8.self))
    }

    /// General category Cc, whose members are fixed for all time (The Unicode Standard, § 23.1): U+0000 to
    /// U+001F, U+007F, and U+0080 to U+009F, which are C2 80 to C2 9F in UTF-8. The text is valid UTF-8.
    private static func hasControlCharacter(_ text: Text, besides allowed: UInt8? = nil) -> Bool {
        var previous: UInt8 = 0
        for byte in text {
            let isControl = byte < 0x20 || byte == 0x7F || (previous == 0xC2 && byte < 0xA0)
            if isControl && byte != allowed { return true }
            previous = byte
        }
        return false
    }

    private static func isLocaleByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-_.@".utf8.contains(byte)
        }
    }

    /// True for the name of a group or key: not empty, without brackets and control characters.
    private static func isName(_ bytes: Text) -> Bool {
        !bytes.isEmpty && !hasControlCharacter(bytes) && !bytes.contains { $0 == 0x5B || $0 == 0x5D }
    }

    /// `value` with escapes. A space at either end becomes `\s`: the parser drops leading spaces, and editors
    /// often remove trailing ones.
    static func escaped(_ value: String) -> String {
        var text = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\t": text += "\\t"
            case "\r": text += "\\r"
            default: text.unicodeScalars.append(scalar)
            }
        }
        if text.utf8.first == 0x20 { text = "\\s" + String(text.unicodeScalars.dropFirst()) }
        if text.utf8.last == 0x20 { text = String(text.unicodeScalars.dropLast()) + "\\s" }
        return text
    }

    /// `value` with escapes decoded; nil if an escape is invalid.
    static func unescaped(_ value: String) -> String? {
        let isPlain = value.utf8.withContiguousStorageIfAvailable { !$0.contains(backslash) }
        guard isPlain != true else { return value }
        var text = ""
        var scalars = value.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            guard scalar == "\\" else {
                text.unicodeScalars.append(scalar)
                continue
            }
            switch scalars.next() {
            case "s": text.unicodeScalars.append(" ")
            case "n": text.unicodeScalars.append("\n")
            case "t": text.unicodeScalars.append("\t")
            case "r": text.unicodeScalars.append("\r")
            case "\\": text.unicodeScalars.append("\\")
            default: return nil
            }
        }
        return text
    }
}

private let backslash = UInt8(ascii: "\\")
private let lineFeed = UInt8(ascii: "\n")

private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

extension Slice<UnsafeBufferPointer<UInt8>> {
    fileprivate func droppingLast(while predicate: (UInt8) -> Bool) -> Self {
        self[..<(lastIndex { !predicate($0) }.map { $0 + 1 } ?? startIndex)]
    }
}
