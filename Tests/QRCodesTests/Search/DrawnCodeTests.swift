import Testing

@testable import QRCodes

/// Codes that fill their picture.
@Suite struct DrawnCodeTests {
    private static let payload = Array("HUBPAIR:DRAWN".utf8)

    /// The modules of a code with a border, light as true.
    private func rows(_ symbol: QRSymbol, border: Int) -> [[Bool]] {
        let side = symbol.modulesPerSide
        return (-border..<side + border).map { y in
            (-border..<side + border).map { x in
                !((0..<side).contains(x) && (0..<side).contains(y) && symbol.isDark(x: x, y: y))
            }
        }
    }

    @Test(arguments: [0, 1, 4], [1, 2, 3, 7])
    func `a clean code is read with any border, in both polarities`(border: Int, scale: Int) throws {
        for count in [1, 20, 200, 900] {
            let payload = (0..<count).map { UInt8(0x41 + $0 % 23) }
            let symbol = try QRSymbol.encode(payload)
            let image = try #require(LuminanceImage.squares(rows(symbol, border: border), scale: scale))
            for picture in [image, image.inverted] {
                let found = try DrawnCode.read(picture).codes
                #expect(found.map(\.payload) == [payload], "version \(symbol.version)")
                let corner = try #require(found.first?.corners.first)
                #expect(abs(corner.x - border * scale) <= 1 && abs(corner.y - border * scale) <= 1)
            }
        }
    }

    @Test func `anything beside the code leaves it to the search`() throws {
        let symbol = try QRSymbol.encode(DrawnCodeTests.payload)
        let image = try #require(LuminanceImage.squares(rows(symbol, border: 4), scale: 4))
        var canvas = Canvas(width: image.width + 40, height: image.height)
        canvas.paste(image, x: 0, y: 0)
        canvas.pixels[20 * canvas.width + image.width + 20] = 0
        #expect(DrawnOutline.all(in: try canvas.image()).isEmpty)
        #expect(try DrawnCode.read(try canvas.image()).isEmpty)
        #expect(try scanned(try canvas.image()).codes.map(\.payload) == [DrawnCodeTests.payload])
    }
}
