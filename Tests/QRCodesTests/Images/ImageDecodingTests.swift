import QRCodes
import Testing

/// Every kind of PNG and JPEG, made by Pillow and read by us.
@Suite struct ImageDecodingTests {
    /// A code on a canvas of 300 × 300 in the file that `saving` writes as `code.png` or `code.jpg`.
    private func decoded(_ saving: String, _ name: String) throws -> LuminanceImage {
        let code = try QRSymbol.encode(Array("EVERY KIND OF IMAGE".utf8)).png(pixelsPerModule: 6)
        let script = "code = Image.open('in.png').convert('L')\n" + saving
        return try LuminanceImage.decode(try pillow(script, input: code).read(name))
    }

    @Test(arguments: [
        "code.save('code.png')",
        "code.convert('1').save('code.png')",
        "code.convert('P').save('code.png')",
        "code.convert('RGB').save('code.png')",
        "code.convert('RGB').quantize(16).save('code.png')",
        "code.convert('LA').save('code.png')",
        "code.convert('I').point(lambda v: v * 257).convert('I;16').save('code.png')",
    ])
    func `every kind of PNG is read`(saving: String) throws {
        let image = try decoded(saving, "code.png")
        #expect(try scanned(image).codes.map(\.payload) == [Array("EVERY KIND OF IMAGE".utf8)])
        #expect(Set(image.pixels) == [0, 255])
        #expect(image.damage == nil)
    }

    @Test func `transparency is laid on white`() throws {
        // Black everywhere; the light modules are transparent.
        let image = try decoded(
            """
            alpha = code.point(lambda v: 255 - v)
            black = Image.new('L', code.size, 0)
            Image.merge('RGBA', (black, black, black, alpha)).save('code.png')
            """, "code.png")
        #expect(try scanned(image).codes.map(\.payload) == [Array("EVERY KIND OF IMAGE".utf8)])
        #expect(Set(image.pixels) == [0, 255])
    }

    @Test(arguments: [
        "code.save('code.jpg', quality=90)",
        "code.convert('RGB').save('code.jpg', quality=80)",
        "code.convert('RGB').save('code.jpg', quality=80, subsampling=0)",
        "code.convert('RGB').save('code.jpg', progressive=True)",
        "code.convert('RGB').convert('CMYK').save('code.jpg', quality=90)",
        "code.convert('RGB').save('code.jpg', exif=b'Exif\\0\\0' + bytes(1000))",
        "code.convert('RGB').save('code.jpg', icc_profile=bytes(70000))",
    ])
    func `every kind of JPEG is read`(saving: String) throws {
        let image = try decoded(saving, "code.jpg")
        #expect(try scanned(image).codes.map(\.payload) == [Array("EVERY KIND OF IMAGE".utf8)])
        #expect(image.damage == nil)
        // A corner of the quiet zone is white, the finder pattern behind it black.
        #expect(image.pixels[0] > 240)
        #expect(image.pixels[27 * image.width + 27] < 15)
    }

    @Test func `colours become their luma`() throws {
        let files = try pillow(
            """
            colours = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255), (0, 0, 0)]
            for index, colour in enumerate(colours):
                image = Image.new('RGB', (16, 16), colour)
                image.save(f'{index}.jpg', quality=95)
                image.convert('CMYK').save(f'{index}-cmyk.jpg', quality=95)
            """)
        // ITU-R BT.601: 0.299 R + 0.587 G + 0.114 B.
        for (index, luma) in [76, 150, 29, 255, 0].enumerated() {
            for name in ["\(index).jpg", "\(index)-cmyk.jpg"] {
                let image = try LuminanceImage.decode(try files.read(name))
                #expect(image.width == 16 && image.height == 16)
                #expect(image.pixels.allSatisfy { abs(Int($0) - luma) <= 3 }, "\(name): \(image.pixels[0])")
            }
        }
    }

    @Test func `an interlaced PNG is the same picture`() throws {
        // Adam7 (ISO/IEC 15948 § 8.2) of 1 × 1 is one pass of one pixel: filter byte and value, stored in
        // zlib.
        let data: [UInt8] = [0x78, 0x01, 0x01, 0x02, 0x00, 0xFD, 0xFF, 0x00, 0x2A, 0x00, 0x2C, 0x00, 0x2B]
        var header = imageHeader(width: 1, height: 1)
        header[12] = 1
        let image = try LuminanceImage.decode(handmadePNG([("IHDR", header), ("IDAT", data), ("IEND", [])]))
        #expect(image.width == 1 && image.height == 1 && image.pixels == [0x2A])
    }

    @Test func `pictures of one row or one column are read`() throws {
        let files = try pillow(
            """
            for width, height in [(1, 1), (1, 999), (999, 1)]:
                image = Image.new('L', (width, height), 200)
                image.save(f'{width}x{height}.png')
                image.save(f'{width}x{height}.jpg')
            """)
        for (width, height) in [(1, 1), (1, 999), (999, 1)] {
            for kind in ["png", "jpg"] {
                let image = try LuminanceImage.decode(try files.read("\(width)x\(height).\(kind)"))
                #expect(image.width == width && image.height == height)
                #expect(image.pixels.allSatisfy { abs(Int($0) - 200) <= 1 })
                #expect(try scanned(image).isEmpty)
            }
        }
    }

    @Test func `a picture's size and bytes must agree`() {
        #expect(LuminanceImage(width: 2, height: 2, pixels: [1, 2, 3]) == nil)
        #expect(LuminanceImage(width: 0, height: 0, pixels: []) == nil)
        #expect(LuminanceImage(width: -1, height: -1, pixels: [1]) == nil)
        #expect(LuminanceImage(width: .max, height: .max, pixels: [1]) == nil)
        #expect(LuminanceImage(width: .max / 2 + 1, height: 2, pixels: []) == nil)
        #expect(LuminanceImage(width: 2, height: 1, pixels: [1, 2])?.inverted.pixels == [254, 253])
        #expect(LuminanceImage(width: 3, height: 1, pixels: [0, 10, 7])?.halved.pixels == [5, 7])
    }
}
