/// An independent parser for HTTP/1.1 messages (RFC 9112), for comparison. It shares no code with
/// GatewayRules, and parses a whole message at once instead of in pieces.
struct StrictMessage {
    /// The parts of the first line: method, target and version, or version, status and reason.
    var start: [String]
    var fields: [(name: String, value: [UInt8])]
    var body: [UInt8] = []
    /// The offset of its end; nil if the body ends with the connection.
    var end: Int?

    func values(_ name: String) -> [[UInt8]] { fields.filter { $0.name == name }.map(\.value) }
}

/// Why no message was found.
enum StrictFault: Error {
    /// The bytes are not a message.
    case malformed
    /// The message continues after the bytes.
    case partial
}

/// Parses messages from `bytes`.
struct StrictReader {
    let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The request at `start`.
    mutating func request(at start: Int = 0) throws -> StrictMessage {
        position = start
        var first = try line()
        if first.isEmpty { first = try line() }
        let parts = first.split(separator: 0x20, omittingEmptySubsequences: false).map(text)
        guard parts.count == 3, parts[1].hasPrefix("/"), ["HTTP/1.0", "HTTP/1.1"].contains(parts[2]) else {
            throw StrictFault.malformed
        }
        var message = StrictMessage(start: parts, fields: try fields())
        guard message.values("host").count == 1 || parts[2] == "HTTP/1.0" && message.values("host").isEmpty
        else {
            throw StrictFault.malformed
        }
        let (length, isChunked) = try framing(message)
        try readBody(&message, length: length ?? 0, isChunked: isChunked)
        return message
    }

    /// The answer at `start`, which may be an informational one.
    mutating func answer(at start: Int = 0, toHead isHead: Bool) throws -> StrictMessage {
        position = start
        let first = text(try line())
        let parts = first.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).map(
            String.init)
        guard parts.count >= 2, ["HTTP/1.0", "HTTP/1.1"].contains(parts[0]), parts[1].utf8.count == 3,
            let status = Int(parts[1]), status >= 100
        else { throw StrictFault.malformed }
        var message = StrictMessage(start: parts, fields: try fields())
        let (length, isChunked) = try framing(message)
        if isHead || status < 200 || status == 204 || status == 304 {
            message.end = position
        } else if length == nil, !isChunked {
            message.body = Array(bytes[position...])
        } else {
            try readBody(&message, length: length ?? 0, isChunked: isChunked)
        }
        return message
    }

    private func framing(_ message: StrictMessage) throws -> (length: Int?, isChunked: Bool) {
        let (lengths, codings) = (message.values("content-length"), message.values("transfer-encoding"))
        guard lengths.count + codings.count <= 1, codings.isEmpty || !message.start.contains("HTTP/1.0")
        else {
            throw StrictFault.malformed
        }
        if let coding = codings.first {
            guard text(coding).lowercased() == "chunked" else { throw StrictFault.malformed }
            return (nil, true)
        }
        guard let digits = lengths.first else { return (nil, false) }
        guard !digits.isEmpty, digits.count <= 18, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
            throw StrictFault.malformed
        }
        return (Int(text(digits)), false)
    }

    private mutating func readBody(_ message: inout StrictMessage, length: Int, isChunked: Bool) throws {
        if isChunked {
            while true {
                let digits = try line().prefix { $0 != 0x3B }
                guard !digits.isEmpty,
                    digits.allSatisfy({ $0 < 0x80 && Character(Unicode.Scalar($0)).isHexDigit }),
                    let count = Int(text(digits), radix: 16)
                else { throw StrictFault.malformed }
                if count == 0 { break }
                message.body += try take(count)
                guard try take(2) == [13, 10] else { throw StrictFault.malformed }
            }
            _ = try fields()
        } else {
            message.body = try take(length)
        }
        message.end = position
    }

    private mutating func take(_ count: Int) throws -> [UInt8] {
        guard count <= bytes.count - position else { throw StrictFault.partial }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    private mutating func fields() throws -> [(name: String, value: [UInt8])] {
        var found: [(name: String, value: [UInt8])] = []
        while true {
            let line = try line()
            if line.isEmpty { return found }
            guard let colon = line.firstIndex(of: 0x3A) else { throw StrictFault.malformed }
            let name = text(line[..<colon])
            let isToken = { (character: Character) in
                character.isASCII
                    && (character.isLetter || character.isNumber || "!#$%&'*+-.^_`|~".contains(character))
            }
            guard !name.isEmpty, name.allSatisfy(isToken) else { throw StrictFault.malformed }
            var value = line[(colon + 1)...]
            while value.first == 0x20 || value.first == 9 { value.removeFirst() }
            while value.last == 0x20 || value.last == 9 { value.removeLast() }
            found.append((name.lowercased(), Array(value)))
        }
    }

    private mutating func line() throws -> ArraySlice<UInt8> {
        guard let end = bytes[position...].firstIndex(of: 10) else { throw StrictFault.partial }
        let line = bytes[position..<end]
        guard line.last == 13, line.dropLast().allSatisfy({ $0 == 9 || $0 >= 0x20 && $0 != 0x7F }) else {
            throw StrictFault.malformed
        }
        position = end + 1
        return line.dropLast()
    }

    private func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
