import Glibc

/// A character set that codes in the field use, by its name for iconv(3).
package struct Charset: Hashable, Sendable {
    private let name: String

    static let gb2312 = Charset(name: "GB2312")
    static let shiftJIS = Charset(name: "SHIFT_JIS")
    static let latin1 = Charset(name: "ISO-8859-1")
    private static let utf8 = Charset(name: "UTF-8")

    /// The names of the designators of AIM ITS/04-023 but those of ISO/IEC 8859; 25 and later are of Unicode
    /// and of East Asia.
    private static let names = [
        0: "CP437", 1: "ISO-8859-1", 2: "CP437", 20: "SHIFT_JIS", 21: "CP1250", 22: "CP1251", 23: "CP1252",
        24: "CP1256", 25: "UTF-16BE", 26: "UTF-8", 27: "US-ASCII", 28: "BIG5", 29: "GB2312", 30: "EUC-KR",
        31: "GBK", 32: "GB18030", 33: "UTF-16LE", 34: "UTF-32BE", 35: "UTF-32LE", 170: "US-ASCII",
    ]

    private init(name: String) { self.name = name }

    /// The set of an ECI (ISO/IEC 18004 § 7.4.2); nil for one that is not known, and for 899, which says that
    /// the bytes are no text.
    init?(designator: Int) {
        switch designator {
        // 3 to 18 are the parts 1 to 16 of ISO/IEC 8859; there is no part 12.
        case 14: return nil
        case 3...18: name = "ISO-8859-\(designator - 2)"
        default:
            guard let name = Charset.names[designator] else { return nil }
            self.name = name
        }
    }

    /// The bytes in UTF-8; nil if they are not valid in this set, or the system cannot convert it.
    package func utf8(of bytes: [UInt8]) -> [UInt8]? {
        if self == .utf8 { return String(validating: bytes, as: UTF8.self) == nil ? nil : bytes }
        guard let converter = iconv_open("UTF-8", name), Int(bitPattern: converter) != -1 else {
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
