import QRCodes
import Testing

/// Valid files that few programs write. Scripts take apart files of Pillow, cjpeg, heif-enc and ffmpeg, and
/// put them together again.
@Suite struct OddFileTests {
    private static let payload = Array("ODD FILES".utf8)

    private func file(_ script: String) throws -> [UInt8] {
        let code = try QRSymbol.encode(OddFileTests.payload).png(pixelsPerModule: 6)
        return try pillow(OddFileTests.tools + script, input: code).read("x")
    }

    private func expectCode(_ script: String) throws {
        let image = try LuminanceImage.decode(try file(script))
        #expect(try scanned(image).codes.map(\.payload) == [OddFileTests.payload], "\(script)")
    }

    @Test(arguments: [
        "png(8, 0, lambda v: bytes([v]))", "png(1, 0, lambda v: bytes([v > 99]))",
        "png(1, 3, lambda v: bytes([v > 99]), chunk(b'PLTE', bytes(3) + b'\\xff' * 3))",
        "png(8, 2, lambda v: bytes([v] * 3))", "png(16, 0, lambda v: bytes([v, 1]))",
        "png(16, 2, lambda v: bytes([v, 1] * 3))", "png(16, 4, lambda v: bytes([v, 1, 255, 255]))",
        "png(16, 6, lambda v: bytes([v, 1] * 3 + [255, 255]))",
    ])
    func `PNG of every depth and colour, interlaced and not`(call: String) throws {
        for interlaced in ["False", "True"] {
            let bytes = try file("interlaced = \(interlaced)\nwrite(\(call))")
            #expect(bytes[28] == (interlaced == "True" ? 1 : 0))
            let image = try LuminanceImage.decode(bytes)
            #expect(try scanned(image).codes.map(\.payload) == [OddFileTests.payload])
            #expect(image.pixels.allSatisfy { $0 < 3 || $0 > 252 })
        }
    }

    @Test(arguments: [
        "write(saved(code.convert('RGB').quantize(4), 'PNG', bits=2))",
        "write(saved(code.convert('RGB').quantize(2), 'PNG', bits=1))",
        "ffmpeg('-pix_fmt', 'rgb48be', '-f', 'image2pipe', '-c:v', 'png')",
        "ffmpeg('-pix_fmt', 'ya16be', '-f', 'image2pipe', '-c:v', 'png')",
        // A wrong checksum of what is not needed; profiles and texts of many megabytes; nonsense in each.
        "write(into_png(chunk(b'tEXt', b'a\\0b', 5)))",
        "write(into_png(chunk(b'iCCP', b'p\\0\\0' + zlib.compress(bytes(50_000_000), 9))))",
        "write(into_png(*[chunk(b'zTXt', b'p\\0\\0' + zlib.compress(bytes(50_000_000), 9))] * 9))",
        "write(into_png(*[chunk(b'tEXt', b'a\\0b')] * 20_000))",
        "write(saved(code.convert('RGB'), 'PNG', icc_profile=bytes(range(256)) * 9999))",
        "write(into_png(chunk(b'gAMA', bytes(4)), chunk(b'cHRM', b'\\xff' * 32), chunk(b'sRGB', b'\\x63')))",
        "write(into_png(chunk(b'eXIf', b'MM' * 5), chunk(b'pHYs', bytes(9))))",
        "write(saved(code, 'PNG') + b'junk' * 99)",
        "write(saved(code, 'PNG', save_all=True, append_images=[blank, code.rotate(90)], duration=50))",
        "ffmpeg('-vf', 'loop=3:1', '-f', 'apng')",
    ])
    func `PNG of few colours, of 16 bits, animated, and with odd chunks`(script: String) throws {
        try expectCode(script)
    }

    @Test(arguments: [
        "write(saved(code, 'JPEG', progressive=True))", "cjpeg('-progressive', '-restart', '3B')",
        "write(without(0xC4))", "cjpeg('-arithmetic')", "cjpeg('-rgb')",
        "cjpeg('-grayscale', '-progressive')",
        // The Adobe marker says 0 for RGB or CMYK, 1 for YCbCr, 2 for YCCK.
        "write(adobe(0))", "write(adobe(2))", "write(adobe(255))",
        "write(adobe(1, ink))", "write(adobe(2, ink))", "write(adobe(255, ink))",
        "write(without(0xEE, jpeg=ink))", "write(into_jpeg((0xEE, b'Adobe')))",
        "write(into_jpeg((0xE1, b'Exif\\0\\0')))",
        "write(into_jpeg((0xE1, b'Exif\\0\\0II*\\0' + b'\\xff' * 999)))",
        "write(into_jpeg(*[(0xE2, b'ICC_PROFILE\\0\\x09\\x03' + bytes(65_000))] * 60))",
        "write(saved(code, 'JPEG', icc_profile=bytes(range(256)) * 16_000))",
        "write(into_jpeg(*[(0xFE, bytes(65_533))] * 60))",
        "write(into_jpeg((0xE1, b'Exif\\0\\0MM\\0*\\0\\0\\0\\x08\\0\\x01\\x01\\x12'"
            + " b'\\0\\x03\\0\\0\\0\\x01\\xff\\xff\\0\\0\\0\\0\\0\\0')))",
        "write(jpeg[:2] + b'\\xff' * 50 + jpeg[2:])",
    ])
    func `JPEG of every coding, and with odd segments`(script: String) throws {
        try expectCode(script)
    }

    @Test func `YCCK is the picture that others see`() throws {
        // A code in black ink and one in the three colours. Pillow writes CMYK inverted, as Adobe does, but
        // not YCCK.
        let image = try LuminanceImage.decode(
            try file(
                """
                def plate(value): return Image.new('L', code.size, value)
                black = code.point(lambda v: 255 - v)
                left = Image.merge('CMYK', (plate(255), plate(127), plate(127), black))
                right = Image.merge('CMYK', (code, plate(127), plate(127), plate(0)))
                both = Image.new('CMYK', (2 * code.width, code.height))
                both.paste(left, (0, 0))
                both.paste(right, (code.width, 0))
                write(adobe(2, saved(both, 'JPEG', quality=95)))
                seen = Image.open('x')
                assert seen.mode == 'CMYK' and seen.convert('L').getpixel((9, 9)) > 250
                assert seen.convert('L').getpixel((27, 27)) < 5
                """))
        #expect(
            try scanned(image).codes.map(\.payload) == [OddFileTests.payload, OddFileTests.payload])
        for x in [0, image.width / 2] {
            #expect(image.pixels[9 * image.width + 9 + x] > 250)
            #expect(image.pixels[27 * image.width + 27 + x] < 5)
        }
    }

    @Test(arguments: [
        ("write(jpeg.replace(b'\\xff\\xc0\\0\\x11\\x08', b'\\xff\\xc0\\0\\x11\\x0c'))", ImageFormat.jpeg),
        ("write(jpeg.replace(b'\\xff\\xc0\\0\\x11', b'\\xff\\xc3\\0\\x11'))", .jpeg),
    ])
    func `what is whole and cannot be read is not called damaged`(script: String, format: ImageFormat) throws
    {
        let bytes = try file(script)
        do throws(ImageError) {
            _ = try LuminanceImage.decode(bytes)
            Issue.record("it was read")
        } catch {
            guard case .unsupported(format, _) = error else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test(arguments: ["", "-A -p speed=9 "])
    func `HEIC and AVIF that say how they are turned and mirrored`(options: String) throws {
        for (kind, values) in [("irot", [1, 2, 3, 255]), ("imir", [0, 1])] {
            for value in values {
                try expectCode("heif('\(options)'.split(), b'\(kind)', \(value))")
            }
        }
    }

    @Test func `WebP with wrong sizes is read, or known to be broken`() throws {
        let places = [
            "4, size + 100", "4, size - 7", "4, size // 2", "4, 0", "4, 2**32 - 1", "16, 2 * size", "16, 9",
        ]
        for mode in ["", ", exif=b'Exif\\0\\0' + bytes(99)", ", save_all=True, append_images=[blank]"] {
            for place in places + (mode.isEmpty ? [] : ["24, 500", "24, 9"]) {
                let bytes = try file(
                    """
                    data = saved(code.convert('RGB'), 'WEBP', quality=80\(mode))
                    size = len(data)
                    at, value = \(place)
                    write(data[:at] + struct.pack('<I', value) + data[at + 4:])
                    """)
                do {
                    let found = try scanned(try LuminanceImage.decode(bytes))
                    #expect(found.codes.allSatisfy { $0.payload == OddFileTests.payload })
                } catch ImageError.broken(.webp, _) {
                } catch {
                    Issue.record("\(place)\(mode): \(error)")
                }
            }
        }
    }

    @Test(arguments: [
        "ffmpeg('-vf', 'pad=300:300:30:30:white,noise=alls=3:allf=t,loop=3:1', '-f', 'gif')",
        "write(saved(code, 'GIF') + b'junk' * 9)", "write(saved(code, 'GIF')[:-1])",
        "data = saved(code, 'GIF')\nwrite(data[:6] + struct.pack('<HH', 900, 900) + data[10:])",
        "ffmpeg('-f', 'image2pipe', '-c:v', 'bmp')",
        "ffmpeg('-pix_fmt', 'rgb565le', '-f', 'image2pipe', '-c:v', 'bmp')",
        "ffmpeg('-pix_fmt', 'gray16be', '-f', 'image2pipe', '-c:v', 'pgm')",
        "ffmpeg('-f', 'image2pipe', '-c:v', 'mjpeg')", "ffmpeg('-vf', 'loop=3:1', '-f', 'webp')",
    ])
    func `what ffmpeg writes, and GIF with odd sizes`(script: String) throws { try expectCode(script) }
}
