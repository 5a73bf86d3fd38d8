import Testing

@testable import QRCodes

/// What is read of the data of a code, each kind by itself, and what is refused.
@Suite struct SymbolMessageTests {
    /// The bytes of bits; spaces are left out, and zeros added at the end.
    private func data(_ bits: String) -> [UInt8] {
        let digits = bits.filter { $0 != " " }
        return stride(from: 0, to: digits.count, by: 8).map { start in
            let byte = digits.dropFirst(start).prefix(8)
            return UInt8(byte + String(repeating: "0", count: 8 - byte.count), radix: 2) ?? 0
        }
    }

    @Test(arguments: [
        ("0001 0000000011 0001111011 0000", "123"), ("0001 0000000101 0001111011 0101101", "12345"),
        ("0010 000000011 00111001101 001100", "ABC"), ("0100 00000010 01101000 01101001", "hi"),
        // ECI 26, UTF-8; 3, Latin-1.
        ("0111 00011010 0100 00000001 01100001", "a"), ("0111 00000011 0100 00000001 01100001", "a"),
    ])
    func `each kind of segment is read`(bits: String, text: String) {
        #expect(SymbolMessage(data(bits), version: 1) == .bytes(Array(text.utf8)))
    }

    @Test(
        arguments: [
            // GB 2312 0xD6D0 is 中: less 0xA6A1, 0x302F; 0x30 · 0x60 + 0x2F.
            ("1101 0001 00000001 1001000101111", "中", [0xD6, 0xD0]),
            // ECI 3, Latin-1; 20, Shift_JIS, also a character in two segments; 15, 8859-13; 25, UTF-16.
            ("0111 00000011 0100 00000001 11101001", "é", [0xE9]),
            ("0111 00010100 0100 00000001 10110001", "ｱ", [0xB1]),
            ("0111 00010100 0100 00000001 10000010 0100 00000001 10100000", "あ", [0x82, 0xA0]),
            ("0111 00001111 0100 00000001 11100000", "ą", [0xE0]),
            ("0111 00011001 0100 00000010 00100000 10101100", "€", [0x20, 0xAC]),
            // Digits before an ECI, kanji behind one.
            ("0001 0000000001 0001 0111 00000011 0100 00000001 11111100", "1ü", [0x31, 0xFC]),
            ("0111 00000011 0100 00000001 11111100 1000 00000001 0110110011111", "ü点", [0xFC, 0x93, 0x5F]),
        ] as [(String, String, [UInt8])])
    func `text in a named character set comes in UTF-8, and its bytes too`(
        bits: String, text: String, stated: [UInt8]
    ) {
        #expect(SymbolMessage(data(bits), version: 1) == .bytes(Array(text.utf8), stated: stated))
    }

    @Test func `each designator is the set that its standard says`() throws {
        // A letter of each, as Python's codecs have it.
        let letters: [(Int, [UInt8], String)] = [
            (0, [0x80], "Ç"), (2, [0x9B], "¢"), (4, [0xB1], "ą"), (7, [0xB0], "А"), (9, [0xE1], "α"),
            (17, [0xA4], "€"), (21, [0x8A], "Š"), (22, [0xC0], "А"), (23, [0x80], "€"), (24, [0xC7], "ا"),
            (28, [0xA4, 0xA4], "中"), (29, [0xD6, 0xD0], "中"), (30, [0xB0, 0xA1], "가"),
            (31, [0x81, 0x40], "丂"), (32, [0x81, 0x30, 0x84, 0x36], "¥"), (33, [0xAC, 0x20], "€"),
            (34, [0, 1, 0xF6, 0], "😀"), (35, [0, 0xF6, 1, 0], "😀"),
        ]
        for (designator, bytes, text) in letters {
            let charset = try #require(Charset(designator: designator))
            #expect(charset.utf8(of: bytes) == Array(text.utf8), "\(designator)")
        }
        for designator in [14, 19, 36, 899, 100_000] { #expect(Charset(designator: designator) == nil) }
        #expect(Charset(designator: 27)?.utf8(of: [0x80]) == nil)
        #expect(Charset(designator: 25)?.utf8(of: [0x20, 0xAC, 0x20]) == nil)
        #expect(Charset(designator: 26)?.utf8(of: [0xFF]) == nil)
    }

    @Test func `kanji are the bytes of Shift_JIS`() {
        // 点 is 0x935F: ISO/IEC 18004 § 7.4.6.
        #expect(SymbolMessage(data("1000 00000001 0110110011111"), version: 1) == .bytes([0x93, 0x5F]))
    }

    @Test(arguments: [
        "0001 1111111111 0001111011", "0001 0000000011 1111101000", "0010 000000010 11111101001",
        "0100 11111111 01101000", "1101 0010 00000001", "1110", "0111 111",
    ])
    func `what makes no sense is refused`(bits: String) {
        #expect(SymbolMessage(data(bits), version: 1) == .broken)
    }

    @Test func `nothing, a part of several codes, FNC1 and rare character sets are for libzbar`() {
        for bits in [
            "0000", "0011 0000", "0101", "0111 00001110 0100 00000001 01100001",
            "0111 00011010 0100 00000001 11111111",
        ] {
            #expect(SymbolMessage(data(bits), version: 1) == .other)
        }
    }

    @Test func `text of no named character set is guessed as readers in the field do`() {
        #expect(Charset.text(of: Array("über".utf8)) == "über")
        #expect(Charset.text(of: [0x93, 0xFA, 0x96, 0x7B]) == "日本")
        #expect(Charset.text(of: [0x66, 0xFC, 0x72]) == "für")
        #expect(Charset.text(of: [0x00, 0xFF, 0xFE]) == nil)
    }

    @Test func `all errors that a block can bear are corrected, and no more are pretended to be`() {
        var random = SystemRandomNumberGenerator()
        for correction in [7, 10, 18, 30] {
            // A codeword of zeros is one of every code, so errors alone are as good as errors in data.
            for errors in 0...correction / 2 {
                var block = [UInt8](repeating: 0, count: 60)
                for place in block.indices.shuffled(using: &random).prefix(errors) {
                    block[place] = UInt8.random(in: 1...255, using: &random)
                }
                #expect(ReedSolomon.correct(&block, correction: correction, mostErrors: correction / 2))
                #expect(block.allSatisfy { $0 == 0 })
            }
            var block = [UInt8](repeating: 0, count: 60)
            for place in 0..<3 { block[place] = 1 }
            #expect(!ReedSolomon.correct(&block, correction: correction, mostErrors: 2))
            #expect(block[0] == 1, "what is refused is not changed")
        }
    }
}
