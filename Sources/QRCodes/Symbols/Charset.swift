import Glibc

/// A character set that codes in the field use beside UTF-8, by its name for iconv(3).
package enum Charset: String, Sendable {
    case gb2312 = "GB2312"
    case shiftJIS = "SHIFT_JIS"
    case latin1 = "ISO-8859-1"

    /// The bytes in UTF-8; nil if they are none of this set, or if the system cannot convert it.
    package func utf8(of bytes: [UInt8]) -> [UInt8]? {
        guard let converter = iconv_open("UTF-8", rawValue), Int(bitPattern: converter) != -1 else {
            return nil
        }
        defer { iconv_close(converter) }
        // A character of one byte takes at most three in UTF-8.
        var result = [UInt8](repeating: 0, count: 3 * bytes.count + 4)
        var input = bytes.map { CChar(bitPattern: $0) }
        var left = input.count
        let room = result.count
        var free = room
        let isWhole = input.withUnsafeMutableBufferPointer { input in
            result.withUnsafeMutableBytes { result in
                var from = input.baseAddress
                var to = result.baseAddress?.assumingMemoryBound(to: CChar.self)
                return iconv(converter, &from, &left, &to, &free) == 0
            }
        }
        guard isWhole, left == 0 else { return nil }
        return Array(result.prefix(room - free))
    }

    /// The text of bytes that name no character set, as readers in the field guess it: UTF-8, else Shift_JIS
    /// if all of it is, else Latin-1. Bytes with control characters are no text.
    package static func text(of bytes: [UInt8]) -> String? {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        guard !bytes.contains(where: { $0 < 0x20 && !(0x09...0x0D).contains($0) || $0 == 0x7F }) else {
            return nil
        }
        // 0x80 to 0x9F are control characters in Latin-1, and begin most characters of Shift_JIS.
        let sets: [Charset] =
            bytes.contains { (0x80...0x9F).contains($0) } ? [.shiftJIS] : [.shiftJIS, .latin1]
        return sets.lazy.compactMap { $0.utf8(of: bytes) }.first.map { String(decoding: $0, as: UTF8.self) }
    }
}
