import CQREncode
import Testing

@testable import QRCodes

@Suite struct ZBarSearchTests {
    static let payloads: [[UInt8]] = [
        Array("HUBPAIR:0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8),
        Array(0...255), Array((0...255).reversed()), [0], [0, 0, 0], [0xFF], [0xFF, 0xFE, 0x00, 0x41],
        Array("Küche 😀 — 鍵".utf8), Array("line\nline\r\n".utf8), [0xEF, 0xBB, 0xBF, 0x41],
        [0x83, 0x5C, 0x83, 0x93], [0xA4, 0x40, 0xC3], Array("007".utf8),
    ]

    @Test(arguments: payloads) func `what we encode, we read, byte for byte`(payload: [UInt8]) throws {
        let result = try scanned(try picture(of: payload))
        #expect(result.codes.map(\.payload) == [payload])
        #expect(result.otherSymbologies.isEmpty)
    }

    @Test(arguments: [
        (payloads[0], []), (payloads[0], ["-8"]), (payloads[0], ["-i", "-l", "H"]),
        (payloads[0], ["-v", "40"]),
        (payloads[1], ["-8"]), (payloads[4], ["-8", "-l", "Q"]), (payloads[7], ["-8", "-s", "2"]),
        (payloads[9], ["-8", "-m", "10"]), (payloads[10], ["-k"]), (payloads[12], ["-l", "L"]),
        (payloads[7], ["-8", "-t", "PNG32", "--background=FFFFFF00"]),
        (payloads[7], ["-8", "--foreground=202060", "--background=FFE0C0"]),
    ])
    func `what qrencode encodes, we read, byte for byte`(payload: [UInt8], arguments: [String]) throws {
        let image = try LuminanceImage.decode(try qrencode(payload, arguments))
        #expect(try scanned(image).codes.map(\.payload) == [payload])
    }

    @Test func `codes come in reading order, twins apart are two, and the corners are theirs`() throws {
        var canvas = Canvas(width: 700, height: 400)
        for (text, x, y) in [("B", 300, 12), ("D", 20, 200), ("A", 20, 20), ("C", 540, 0), ("D", 300, 205)] {
            canvas.paste(try picture(of: Array(text.utf8)), x: x, y: y)
        }
        let codes = try scanned(try canvas.image()).codes
        #expect(codes.map { String(decoding: $0.payload, as: UTF8.self) } == ["A", "B", "C", "D", "D"])
        // 21 modules of 4 pixels after a quiet zone of 16 pixels.
        let corners = try #require(codes.first?.corners)
        #expect(corners.count == 4)
        for (corner, expected) in zip(corners, [(36, 36), (36, 120), (120, 120), (120, 36)]) {
            #expect(abs(corner.x - expected.0) <= 4 && abs(corner.y - expected.1) <= 4, "\(corners)")
        }
    }

    @Test func `a light code on a dark ground is read`() throws {
        let image = try picture(of: Array("INVERTED".utf8)).inverted
        #expect(try scanned(image).codes.map(\.payload) == [Array("INVERTED".utf8)])
    }

    @Test(arguments: [true, false])
    func `a part of a structured append is no result, all of them are one`(asBytes: Bool) throws {
        let text = Array("STRUCTURED APPEND IN SEVERAL PARTS: 0123456789 ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        let parts = try structuredAppend(text, asBytes ? ["-8"] : [])
        try #require(parts.count >= 4)

        for (index, part) in parts.enumerated() {
            let result = try scanned(part)
            #expect(result.codes.isEmpty)
            // libzbar ignores all alphanumeric parts but the first.
            #expect(result.incompleteStructuredAppends == (asBytes || index == 0 ? 1 : 0))
        }
        let backwards = try scanned(try sideBySide(parts.reversed()))
        #expect(backwards.codes.map(\.payload) == [text])
        #expect(backwards.incompleteStructuredAppends == 0)
        let lacking = try scanned(try sideBySide([parts[0], parts[2]]))
        #expect(lacking.codes.isEmpty)
        #expect(!asBytes || lacking.incompleteStructuredAppends == 1)
    }

    @Test func `a part beside a whole code hides neither`() throws {
        let part = try structuredAppend(Array("A TEXT FOR MORE THAN ONE SYMBOL OF VERSION 1".utf8), [])[0]
        let result = try scanned(try sideBySide([part, try picture(of: Array("WHOLE".utf8))]))
        #expect(result.codes.map(\.payload) == [Array("WHOLE".utf8)])
        #expect(result.incompleteStructuredAppends == 1)
    }

    @Test func `a named character set gives UTF-8, wrong bytes in it give no code`() throws {
        // ECI 3 is ISO 8859-1, 26 is UTF-8, 20 Shift JIS.
        let latin = try scan(eci: 3, [0x4B, 0xFC]).codes
        #expect(latin.map(\.payload) == [Array("Kü".utf8)])
        #expect(latin.map(\.stated) == [[0x4B, 0xFC]])
        let kana = try scan(eci: 20, [0x82, 0xA0]).codes
        #expect(kana.map(\.payload) == [Array("あ".utf8)] && kana.map(\.stated) == [[0x82, 0xA0]])
        #expect(try scan(eci: 26, Array("Kü".utf8)).codes.map(\.stated) == [nil])
        #expect(try scan(eci: 26, Array("Kü".utf8)).codes.map(\.payload) == [Array("Kü".utf8)])
        for set: UInt32 in [20, 26] {
            let result = try scan(eci: set, [0xFF, 0xFF])
            #expect(result.codes.isEmpty, "\(result)")
        }
    }

    @Test func `a picture without a code says what it holds instead`() throws {
        let product = try barcode(ean13([4, 0, 0, 6, 3, 8, 1, 3, 3, 3, 9, 3, 1]))
        let result = try scanned(product)
        #expect(result.isEmpty)
        #expect(result.otherSymbologies == ["EAN-13"])

        // Beside a QR code it is not looked for.
        var canvas = Canvas(width: 700, height: 200)
        canvas.paste(product, x: 0, y: 20)
        canvas.paste(try picture(of: [0x41]), x: 500, y: 20)
        let both = try scanned(try canvas.image())
        #expect(both.codes.map(\.payload) == [[0x41]])
        #expect(both.otherSymbologies.isEmpty)
    }

    @Test(arguments: [(1, 1), (1, 500), (500, 1), (2, 2), (20, 20), (3, 100_000), (100_000, 3)])
    func `pictures too small for any code hold none`(width: Int, height: Int) throws {
        for value: UInt8 in [0, 128, 255] {
            let image = try Canvas(width: width, height: height, filledWith: value).image()
            #expect(try scanned(image).isEmpty)
        }
        let stripes = (0..<width * height).map { UInt8($0 % 2 * 255) }
        let image = try #require(LuminanceImage(width: width, height: height, pixels: stripes))
        #expect(try scanned(image).codes.isEmpty)
    }

    /// The symbols of version 1 over which `qrencode` spreads `text`.
    private func structuredAppend(_ text: [UInt8], _ arguments: [String]) throws -> [LuminanceImage] {
        let directory = try TemporaryDirectory()
        let symbols = ["-S", "-v", "1", "-l", "L", "-o", "p.png"]
        try #require(try run("qrencode", symbols + arguments, input: text, in: directory).status == 0)
        var parts: [LuminanceImage] = []
        while let file = try? directory.read("p-0\(parts.count + 1).png") {
            parts.append(try LuminanceImage.decode(file))
        }
        return parts
    }

    private func sideBySide(_ images: [LuminanceImage]) throws -> LuminanceImage {
        var canvas = Canvas(width: images.map(\.width).reduce(0, +), height: images.map(\.height).max() ?? 1)
        var x = 0
        for image in images {
            canvas.paste(image, x: x, y: 0)
            x += image.width
        }
        return try canvas.image()
    }

    /// A code with an ECI header, which `QRSymbol` never writes.
    private func scan(eci: UInt32, _ bytes: [UInt8]) throws -> QRScanResult {
        let input = try #require(QRinput_new2(0, QR_ECLEVEL_M))
        defer { QRinput_free(input) }
        try #require(QRinput_appendECIheader(input, eci) == 0)
        try #require(QRinput_append(input, QR_MODE_8, Int32(bytes.count), bytes) == 0)
        let code = try #require(QRcode_encodeInput(input))
        defer { QRcode_free(code) }
        let side = Int(code.pointee.width)
        let data = UnsafeBufferPointer(start: code.pointee.data, count: side * side)
        var rows = [[Bool]](repeating: [Bool](repeating: true, count: side + 8), count: side + 8)
        for (index, module) in data.enumerated() {
            rows[index / side + 4][index % side + 4] = module & 1 == 0
        }
        return try scanned(try #require(LuminanceImage.squares(rows, scale: 4)))
    }
}
