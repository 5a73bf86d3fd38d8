/// The server name in the first bytes of a TLS connection: a ClientHello (RFC 8446 § 4.1.2), which may be cut
/// into any number of records (§ 5.1).
///
///     record    = %x16 %x03 version(1) length(2) fragment         ; length: 1 to 16,384
///     handshake = %x01 length(3) hello                            ; the fragments, put together
///     hello     = version(2) random(32) session<0..32> suites<2..> compression<1..> extensions<0..>
///     extension = type(2) data<0..>                               ; 0: server_name (RFC 6066 § 3), 16: ALPN
///
/// Only the name is read, and whether an authority asks for it (RFC 8737); nothing is verified: whoever
/// sends it can name any server. Values of types that are reserved so that servers learn to ignore them
/// (GREASE, RFC 8701) are ignored. With an encrypted ClientHello the name is that of the outer one.
///
/// Accepted: `16 03 01 …` with one host name. Rejected: another first byte, an empty fragment, a second
/// extension of one type, a second name, a name that is not ASCII, lengths that do not add up.
package enum ClientHello {
    /// The most bytes that are read for a name.
    package static let maximumByteCount = 16_384

    package enum Verdict: Equatable, Sendable {
        /// It goes on; at most ``maximumByteCount`` bytes in all.
        case more
        /// The name in lower case, without the root's dot.
        ///
        /// `isChallenge`: an ACME authority asks whether the name is held; it offers `acme-tls/1` alone.
        case name(String, isChallenge: Bool = false)
        /// A whole ClientHello without a name.
        case noName
        case malformed
    }

    /// Never reaches a user: it becomes a verdict.
    private struct Malformed: Error {}

    /// What the bytes from the beginning of a connection say.
    package static func read(_ bytes: [UInt8]) -> Verdict {
        do {
            guard let hello = try message(in: bytes) else {
                return bytes.count < maximumByteCount ? .more : .malformed
            }
            return try name(in: hello)
        } catch {
            return .malformed
        }
    }

    /// The body of the first handshake message; nil if it is not complete.
    private static func message(in bytes: [UInt8]) throws(Malformed) -> [UInt8]? {
        var fragments: [Range<Int>] = []
        var (position, available) = (0, 0)
        while position < bytes.count {
            guard bytes[position] == 0x16 else { throw Malformed() }
            if position + 1 < bytes.count, bytes[position + 1] != 0x03 { throw Malformed() }
            guard position + 5 <= bytes.count else { break }
            let length = Int(bytes[position + 3]) << 8 | Int(bytes[position + 4])
            guard (1...16_384).contains(length) else { throw Malformed() }
            let end = min(position + 5 + length, bytes.count)
            fragments.append(position + 5..<end)
            available += end - position - 5
            position += 5 + length
            guard let first = fragments.first.flatMap({ $0.isEmpty ? nil : bytes[$0.lowerBound] }) else {
                break
            }
            guard first == 0x01 else { throw Malformed() }
            // No more is put together than the message has.
            if available >= 4, let needed = need(bytes, fragments) {
                guard needed <= maximumByteCount else { throw Malformed() }
                if available >= needed { break }
            }
        }
        guard available >= 4, let needed = need(bytes, fragments), available >= needed else { return nil }
        var message: [UInt8] = []
        message.reserveCapacity(needed)
        for fragment in fragments { message += bytes[fragment].prefix(needed - message.count) }
        return Array(message.dropFirst(4))
    }

    /// The length of the message with its four bytes in front, which may be cut, too.
    private static func need(_ bytes: [UInt8], _ fragments: [Range<Int>]) -> Int? {
        var head: [UInt8] = []
        for fragment in fragments {
            head += bytes[fragment].prefix(4 - head.count)
            if head.count == 4 { return 4 + (Int(head[1]) << 16 | Int(head[2]) << 8 | Int(head[3])) }
        }
        return nil
    }

    private struct Reader {
        var bytes: ArraySlice<UInt8>

        mutating func number(_ count: Int) throws(Malformed) -> Int {
            guard bytes.count >= count else { throw Malformed() }
            var number = 0
            for _ in 0..<count { number = number << 8 | Int(bytes.removeFirst()) }
            return number
        }

        mutating func take(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
            guard bytes.count >= count else { throw Malformed() }
            defer { bytes = bytes.dropFirst(count) }
            return bytes.prefix(count)
        }

        mutating func vector(_ lengthBytes: Int) throws(Malformed) -> ArraySlice<UInt8> {
            try take(try number(lengthBytes))
        }
    }

    /// What RFC 8737 § 3 lets an authority offer, as the extension has it.
    private static let challengeProtocols: [UInt8] = [0, 11, 10] + Array("acme-tls/1".utf8)

    private static func name(in hello: [UInt8]) throws(Malformed) -> Verdict {
        var reader = Reader(bytes: hello[...])
        _ = try reader.take(34)
        guard try reader.vector(1).count <= 32 else { throw Malformed() }
        let suites = try reader.vector(2)
        guard suites.count >= 2, suites.count.isMultiple(of: 2) else { throw Malformed() }
        guard try !reader.vector(1).isEmpty else { throw Malformed() }
        // A ClientHello of before TLS 1.3 may have none.
        guard !reader.bytes.isEmpty else { return .noName }
        var extensions = Reader(bytes: try reader.vector(2))
        guard reader.bytes.isEmpty else { throw Malformed() }
        var seen: Set<Int> = []
        var (name, isChallenge): (String?, Bool) = (nil, false)
        while !extensions.bytes.isEmpty {
            let type = try extensions.number(2)
            let data = try extensions.vector(2)
            guard seen.insert(type).inserted else { throw Malformed() }
            if type == 0 { name = try serverName(data) }
            if type == 16 { isChallenge = data.elementsEqual(challengeProtocols) }
        }
        return name.map { .name($0, isChallenge: isChallenge) } ?? .noName
    }

    private static func serverName(_ data: ArraySlice<UInt8>) throws(Malformed) -> String {
        var reader = Reader(bytes: data)
        var list = Reader(bytes: try reader.vector(2))
        guard reader.bytes.isEmpty, try list.number(1) == 0 else { throw Malformed() }
        var name = try list.vector(2)
        guard list.bytes.isEmpty else { throw Malformed() }
        if name.last == UInt8(ascii: ".") { name = name.dropLast() }
        guard (1...253).contains(name.count), name.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Malformed()
        }
        return String(decoding: name, as: UTF8.self).lowercased()
    }
}
