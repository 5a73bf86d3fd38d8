import QRCodes
import Testing

/// Broken and hostile files of the formats other than PNG and JPEG.
@Suite struct BadFormatTests {
    private func failure(_ bytes: [UInt8], limits: ImageLimits = ImageLimits()) -> ImageError? {
        do throws(ImageError) {
            _ = try LuminanceImage.decode(bytes, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    private static let makers: [(format: ImageFormat, script: String)] = [
        (.webp, "code.convert('RGB').save('x', 'WEBP', quality=80)"),
        (.webp, "code.convert('RGB').save('x', 'WEBP', lossless=True)"),
        (.gif, "code.save('x', 'GIF', save_all=True, append_images=[code.rotate(90)], duration=9)"),
        (.bmp, "code.convert('P').save('x', 'BMP')"),
        (.pnm, "code.save('x', 'PPM')"),
        (.pnm, "open('x', 'w').write('P2 9 9 255 ' + '7 ' * 81)"),
        (.heic, "heif('-q', '50')"),
        (.avif, "heif('-A', '-q', '50', '-p', 'speed=9')"),
    ]

    private func whole(_ script: String) throws -> [UInt8] {
        let code = try QRSymbol.encode(Array("DAMAGED".utf8)).png(pixelsPerModule: 3)
        let head = """
            import subprocess
            code = Image.open('in.png').convert('L')
            def heif(*options):
                code.convert('RGB').save('rgb.png')
                subprocess.check_call(['heif-enc', *options, '-o', 'x', 'rgb.png'])

            """
        return try pillow(head + script, input: code).read("x")
    }

    @Test(arguments: makers)
    func `any image that is cut off is an error, or read and known to be damaged`(
        format: ImageFormat, script: String
    ) throws {
        let file = try whole(script)
        #expect(try LuminanceImage.decode(file).damage == nil)
        let step = max(1, file.count / 40)
        for count in stride(from: 16, to: file.count - 20, by: step) {
            do throws(ImageError) {
                let image = try LuminanceImage.decode(Array(file.prefix(count)))
                // In an animation only the second frame may be missing.
                if format != .gif { #expect(image.damage?.isEmpty == false, "\(count) of \(file.count)") }
            } catch {
                guard case .broken(format, let words) = error else {
                    Issue.record("\(count) bytes: \(error)")
                    continue
                }
                #expect(!words.isEmpty && words.utf8.count <= 200)
            }
        }
    }

    @Test(arguments: makers)
    func `any image with flipped bits never traps`(format: ImageFormat, script: String) throws {
        let file = try whole(script)
        for round in 0..<60 {
            var bytes = file
            // One bit near the header, and one anywhere.
            bytes[round % file.count] ^= 1 << UInt8(round % 8)
            bytes[round * 7919 % file.count] ^= 1 << UInt8(round % 7)
            _ = failure(bytes, limits: ImageLimits(maximumPixels: 1_000_000))
        }
    }

    private static let webpBomb: [UInt8] =
        [0x52, 0x49, 0x46, 0x46, 0x64, 0, 0, 0, 0x57, 0x45, 0x42, 0x50]  // RIFF, WEBP
        + [0x56, 0x50, 0x38, 0x4C, 0x50, 0, 0, 0, 0x2F, 0xFF, 0xFF, 0xFF, 0x0F, 0, 0, 0]  // VP8L
    private static let gifBomb: [UInt8] = [
        0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 0x60, 0xEA, 0x60, 0xEA, 0, 0, 0,
    ]
    private static let bmpBomb: [UInt8] =
        [0x42, 0x4D, 0, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0x80, 1, 0, 1, 0]
        + [UInt8](repeating: 0, count: 24)

    /// Headers of a few bytes that state more pixels than there is memory for.
    private static let bombs: [(ImageFormat, [UInt8])] = [
        (.webp, webpBomb), (.gif, gifBomb), (.bmp, bmpBomb), (.pnm, Array("P5 60000 60000 255\n".utf8)),
        (.pnm, Array("P4 999999999 999999999\n".utf8)),
    ]

    @Test(arguments: bombs)
    func `a huge size is refused by the header alone`(format: ImageFormat, bytes: [UInt8]) {
        #expect(ImageFormat.detect(bytes) == format)
        guard case .tooManyPixels(let width, let height, limit: 64_000_000) = failure(bytes) else {
            Issue.record("\(String(describing: failure(bytes)))")
            return
        }
        #expect(width > 0 && height > 0)
    }

    @Test func `a HEIC of huge size is refused before it is decoded`() throws {
        let file = try whole("code = code.resize((1200, 1200))\nheif('-q', '1')")
        #expect(
            failure(file, limits: ImageLimits(maximumPixels: 1_439_999))
                == .tooManyPixels(width: 1200, height: 1200, limit: 1_439_999))
    }

    @Test(arguments: [
        "P5 0 9 255\n", "P5 9 0 255\n", "P5 9 9 0\n", "P5 9 9 65536\n", "P5 9999999999 9 255\n", "P2 9",
        "P1\n#", "P6 -9 9 255\n", "P4 9 9",
    ])
    func `a malformed header of Netpbm is refused`(text: String) {
        #expect(failure(Array(text.utf8)) != nil)
    }

    @Test func `a BMP with a mask or a palette of nonsense never traps`() throws {
        let file = try whole("code.convert('RGBA').save('x', 'BMP')")
        let changes: [(offset: Int, values: [UInt8])] = [
            (10, [0, 255]), (14, [11, 12, 13, 40, 255]), (28, [0, 2, 7, 16, 64, 255]),
            (30, [0, 1, 2, 3, 4, 5, 6, 7]), (46, [255]), (49, [255]), (54, [0, 1, 255]), (57, [255]),
        ]
        for change in changes {
            for value in change.values {
                var bytes = file
                bytes[change.offset] = value
                _ = failure(bytes, limits: ImageLimits(maximumPixels: 1_000_000))
            }
        }
    }
}
