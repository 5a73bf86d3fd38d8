/// The message in the data of a QR code: ISO/IEC 18004 § 7.4, and GB/T 18284 for Chinese characters.
///
///     data      = *segment [0000 end]                  the end may be cut short
///     segment   = 0001 count digits                    three in 10 bits, two in 7, one in 4
///               | 0010 count letters                   two in 11 bits, one in 6
///               | 0100 count bytes                     8 bits each
///               | 1000 count kanji                     13 bits each, of Shift_JIS
///               | 1101 0001 count hanzi                13 bits each, of GB 2312
///               | 0111 designator                      ECI: the character set of what follows
///     count     = 8 to 16 bits, by version and kind
///
/// Accepted: `0001 0000000011 0001111011 0000`, which is 123. Rejected: a count beyond the end, a letter pair
/// above 2024, a kind that is not named here. Parts of a structured append and FNC1 are left to libzbar.
package enum SymbolMessage: Equatable, Sendable {
    /// The bytes of the message. Hanzi are in UTF-8, and so is all whose character set an ECI names.
    /// `stated`: the bytes as they stand in the code, if they are others.
    case bytes([UInt8], stated: [UInt8]? = nil)
    /// It has something that only libzbar judges, or nothing at all.
    case other
    /// The data make no sense.
    case broken

    /// - Parameter version: 1 to 40; the number of bits of a count depends on it.
    package init(_ data: [UInt8], version: Int) {
        var bits = SymbolBits(data)
        var pieces = Pieces()
        // What an ECI says of the bytes that follow.
        var charset: Charset?
        let size = version < 10 ? 0 : version < 27 ? 1 : 2
        while let mode = bits.next(4), mode != 0 {
            var (segment, its): ([UInt8]?, Charset?) = (nil, nil)
            switch mode {
            case 0b0001: segment = bits.next([10, 12, 14][size]).flatMap { bits.digits($0) }
            case 0b0010: segment = bits.next([9, 11, 13][size]).flatMap { bits.letters($0) }
            case 0b0100:
                segment = bits.next([8, 16, 16][size]).flatMap { bits.bytes($0) }
                its = charset
            case 0b1000:
                segment = bits.next([8, 10, 12][size]).flatMap { bits.kanji($0) }
                its = .shiftJIS
            case 0b1101:
                guard bits.next(4) == 1 else {
                    self = .broken
                    return
                }
                segment = bits.next([8, 10, 12][size]).flatMap { bits.hanzi($0) }
                its = .gb2312
            case 0b0111:
                let designator = bits.designator()
                guard let designator, let named = Charset(designator: designator) else {
                    self = designator == nil ? .broken : .other
                    return
                }
                (charset, pieces.hasNames) = (named, true)
                segment = []
            case 0b0011, 0b0101, 0b1001:
                self = .other
                return
            default: break
            }
            guard let segment else {
                self = .broken
                return
            }
            pieces.append(segment, its)
        }
        // Nil if bytes are not valid in the named set: left to libzbar.
        guard let message = pieces.message, !message.isEmpty else {
            self = .other
            return
        }
        let stated = pieces.stated
        self = .bytes(message, stated: stated == message ? nil : stated)
    }
}

/// The segments of a message, in order, and what they are in.
private struct Pieces {
    private var pieces: [(bytes: [UInt8], charset: Charset?)] = []
    /// True if an ECI names a character set.
    var hasNames = false

    /// A character may be divided between two segments.
    mutating func append(_ bytes: [UInt8], _ charset: Charset?) {
        if let last = pieces.indices.last, pieces[last].charset == charset {
            pieces[last].bytes += bytes
        } else if !bytes.isEmpty {
            pieces.append((bytes, charset))
        }
    }

    /// The bytes as they stand in the code.
    var stated: [UInt8] { pieces.flatMap(\.bytes) }

    /// In UTF-8, as far as the sets are named; nil if bytes are not valid in theirs. Kanji stay in Shift_JIS
    /// where no set is named: programs write bytes of it beside them without a word.
    var message: [UInt8]? {
        var message: [UInt8] = []
        for (bytes, charset) in pieces {
            guard let charset, charset != .shiftJIS || hasNames else {
                message += bytes
                continue
            }
            guard let text = charset.utf8(of: bytes) else { return nil }
            message += text
        }
        return message
    }
}

/// Reads bits, the highest of each byte first. A result is nil if there are not enough of them.
private struct SymbolBits {
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:".utf8)

    private let data: [UInt8]
    private var position = 0

    init(_ data: [UInt8]) { self.data = data }

    /// The next `count` bits, at most 16.
    mutating func next(_ count: Int) -> Int? {
        guard position + count <= 8 * data.count else { return nil }
        var value = 0
        for _ in 0..<count {
            value = value << 1 | Int(data[position >> 3] >> (7 - UInt8(position & 7)) & 1)
            position += 1
        }
        return value
    }

    /// What `count` characters of at least `bits` bits each may be allocated for.
    private func holds(_ count: Int, _ bits: Int) -> Bool { count * bits <= 8 * data.count - position }

    mutating func digits(_ count: Int) -> [UInt8]? {
        guard holds(count, 3) else { return nil }
        var text: [UInt8] = []
        while text.count < count {
            let digits = min(3, count - text.count)
            guard let value = next([4, 7, 10][digits - 1]), value < [10, 100, 1000][digits - 1] else {
                return nil
            }
            for divisor in [100, 10, 1].suffix(digits) { text.append(0x30 + UInt8(value / divisor % 10)) }
        }
        return text
    }

    mutating func letters(_ count: Int) -> [UInt8]? {
        guard holds(count, 5) else { return nil }
        var text: [UInt8] = []
        let size = SymbolBits.alphabet.count
        while text.count < count {
            if count - text.count > 1 {
                guard let pair = next(11), pair < size * size else { return nil }
                text += [SymbolBits.alphabet[pair / size], SymbolBits.alphabet[pair % size]]
            } else {
                guard let one = next(6), one < size else { return nil }
                text.append(SymbolBits.alphabet[one])
            }
        }
        return text
    }

    mutating func bytes(_ count: Int) -> [UInt8]? {
        guard holds(count, 8) else { return nil }
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: next(8) ?? 0) }
    }

    /// Shift_JIS without 0x8140, or 0xC140 from 0xE040 on, its high byte times 0xC0.
    mutating func kanji(_ count: Int) -> [UInt8]? {
        guard holds(count, 13) else { return nil }
        return (0..<count).flatMap { _ -> [UInt8] in
            let value = next(13) ?? 0
            let joined = (value / 0xC0) << 8 | value % 0xC0
            let code = joined + (joined < 0x1F00 ? 0x8140 : 0xC140)
            return [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)]
        }
    }

    /// GB 2312: less 0xA1A1, or 0xA6A1 from 0xB0A1 on, its high byte times 0x60.
    mutating func hanzi(_ count: Int) -> [UInt8]? {
        guard holds(count, 13) else { return nil }
        return (0..<count).flatMap { _ -> [UInt8] in
            let value = next(13) ?? 0
            let joined = (value / 0x60) << 8 | value % 0x60
            let code = joined + (joined < 0x0A00 ? 0xA1A1 : 0xA6A1)
            return [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)]
        }
    }

    /// The number of a character set (§ 7.4.2.2): 7, 14 or 21 bits after 0, 10 or 110.
    mutating func designator() -> Int? {
        guard let first = next(8) else { return nil }
        if first < 0x80 { return first }
        if first < 0xC0 { return next(8).map { (first & 0x3F) << 8 | $0 } }
        guard first < 0xE0, let rest = next(16) else { return nil }
        return (first & 0x1F) << 16 | rest
    }
}
