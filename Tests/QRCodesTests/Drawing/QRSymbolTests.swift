import Identity
import QRCodes
import Testing

@Suite struct QRSymbolTests {
    @Test(arguments: [(88, 4, 33), (98, 5, 37), (1, 1, 21)])
    func `the smallest version for alphanumeric text at level M`(count: Int, version: Int, side: Int) throws {
        let text = Array("HUBPAIR:".utf8.prefix(count)) + [UInt8](repeating: 0x5A, count: max(0, count - 8))
        let symbol = try QRSymbol.encode(text)
        #expect(symbol.version == version)
        #expect(symbol.modulesPerSide == side)
        #expect(symbol.payload == text)
    }

    @Test func `each mode is used where it is the densest`() throws {
        // ISO/IEC 18004 table 7, version 1-M: 34 digits, 20 alphanumerics, 14 bytes.
        func version(_ text: String) throws -> Int { try QRSymbol.encode(Array(text.utf8)).version }
        #expect(try version(String(repeating: "7", count: 34)) == 1)
        #expect(try version(String(repeating: "7", count: 35)) == 2)
        #expect(try version(String(repeating: "A", count: 20)) == 1)
        #expect(try version(String(repeating: "A", count: 21)) == 2)
        #expect(try version("ABCDEFGHIJKLMNOPQRST".lowercased()) == 2)
        #expect(try version(String(repeating: "a", count: 14)) == 1)
        #expect(try version(" $%*+-./:0123456789A") == 1)
    }

    @Test func `a higher level needs a larger symbol`() throws {
        let text = Array("HUBPAIR:0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
        let versions = try [QRSymbol.ErrorCorrection.low, .medium, .quartile, .high].map {
            try QRSymbol.encode(text, errorCorrection: $0).version
        }
        #expect(versions == [2, 3, 3, 4])
    }

    @Test func `finder patterns stand in three corners, and light all around`() throws {
        let symbol = try QRSymbol.encode(Array("A".utf8))
        let ring = [true, true, true, true, true, true, true, false]
        for index in 0..<8 {
            #expect(symbol.isDark(x: index, y: 0) == ring[index])
            #expect(symbol.isDark(x: 20 - index, y: 0) == ring[index])
            #expect(symbol.isDark(x: index, y: 20) == ring[index])
            #expect(!symbol.isDark(x: -1, y: index) && !symbol.isDark(x: index, y: 21))
        }
        #expect(!symbol.isDark(x: .min, y: .max))
    }

    @Test(arguments: [
        (QRSymbol.ErrorCorrection.low, 2953), (.medium, 2331), (.quartile, 1663), (.high, 1273),
    ])
    func `the largest payload is the standard's, one byte more is refused`(
        level: QRSymbol.ErrorCorrection, count: Int
    ) throws {
        let payload = [UInt8](repeating: 0x80, count: count)
        #expect(try QRSymbol.encode(payload, errorCorrection: level).version == 40)
        #expect(throws: QREncodeError.tooLong(count + 1)) {
            try QRSymbol.encode(payload + [0x80], errorCorrection: level)
        }
    }

    @Test func `too much or nothing is refused before the library sees it`() {
        #expect(throws: QREncodeError.empty) { try QRSymbol.encode([]) }
        #expect(throws: QREncodeError.tooLong(7090)) {
            try QRSymbol.encode([UInt8](repeating: 0x37, count: 7090), errorCorrection: .low)
        }
        #expect(throws: QREncodeError.tooLong(3_000_000)) {
            try QRSymbol.encode([UInt8](repeating: 0, count: 3_000_000))
        }
        #expect(QREncodeError.tooLong(2400).description == "2400 bytes are too many for a QR code")
        #expect(QREncodeError.empty.recoverySuggestion == "give at least one byte")
    }
}
