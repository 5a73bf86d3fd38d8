import Identity

/// Reads field lines and what they say about the message: the only code that interprets a length, a transfer
/// coding or a connection option.
struct FieldReader: Sendable {
    private(set) var block = FieldBlock()
    private(set) var hosts = 0
    private(set) var contentLength: Int?
    private(set) var isChunked = false
    /// The connection options (RFC 9110 § 7.6.1) in lower case.
    private(set) var options: Set<String> = []
    /// The maximum number of field lines, including earlier ones of the same message.
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// The number of further field lines that are allowed.
    var room: Int { limit - block.fields.count }

    /// Reads a field line of a head, without its CR LF; must not be empty.
    mutating func takeField(_ line: UnsafeRawBufferPointer) throws(FramingError) {
        let (role, value) = try takeLine(line)
        switch role {
        case .host:
            hosts += 1
            guard hosts == 1 else { throw .repeatedHost }
            guard value.allSatisfy({ (0x21...0x7E).contains($0) && !"/?#@\\<>\"{}|^`,".utf8.contains($0) })
            else { throw .badHost }
        case .contentLength:
            guard contentLength == nil else { throw .repeatedContentLength }
            let digits = String(decoding: value, as: UTF8.self)
            guard value.count <= 18, let length = Int(digits: digits) else { throw .badContentLength }
            contentLength = length
        case .transferEncoding:
            guard !isChunked else { throw .repeatedTransferEncoding }
            guard isEqual(value, "chunked") else { throw .otherTransferEncoding }
            isChunked = true
        case .connection:
            for option in value.split(separator: UInt8(ascii: ",")) {
                let text = String(decoding: option.trimmed, as: UTF8.self).lowercased()
                if !text.isEmpty { options.insert(text) }
            }
        default: break
        }
    }

    /// Reads a field line of trailers, which cannot change the framing.
    mutating func takeTrailer(_ line: UnsafeRawBufferPointer) throws(FramingError) { _ = try takeLine(line) }

    private mutating func takeLine(_ line: UnsafeRawBufferPointer) throws(FramingError)
        -> (FieldRole, Slice<UnsafeRawBufferPointer>)
    {
        guard let first = line.first, first != 0x20, first != 0x09 else { throw .foldedLine }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            line[..<colon].allSatisfy(isTokenByte)
        else { throw .badFieldName }
        guard room > 0 else { throw .tooManyFields(limit: limit) }
        let (name, value) = (line[..<colon], line[(colon + 1)...].trimmed)
        let role = FieldRole(name: name)
        block.append(name: name, value: value, role: role)
        return (role, value)
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// The bytes without spaces and tabs at the ends (OWS, RFC 9110 § 5.6.3).
    fileprivate var trimmed: Self {
        var rest = self
        while let first = rest.first, first == 0x20 || first == 0x09 { rest.removeFirst() }
        while let last = rest.last, last == 0x20 || last == 0x09 { rest.removeLast() }
        return rest
    }
}
