import Identity
import Testing

@testable import QRCodes

/// Broken and hostile images. Each has an error of its own that says what to do.
@Suite struct BadImageTests {
    private func failure(_ bytes: [UInt8], limits: ImageLimits = ImageLimits()) -> ImageError? {
        do throws(ImageError) {
            _ = try LuminanceImage.decode(bytes, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    @Test func `an empty file`() throws {
        let error = try #require(failure([]))
        #expect(error == .empty)
        #expect(error.description == "the image file is empty")
        #expect(error.recoverySuggestion == "take the picture or save the file again")
    }

    @Test(arguments: [
        Array("HUBPAIR:ABC\n".utf8), [0], [0xFF], [0xFF, 0xD8], [0x89, 0x50, 0x4E, 0x47],
        Array("BM, a text".utf8),
        Array("<html><body>".utf8), Array("RIFF....WAVE".utf8), [UInt8](repeating: 0, count: 100_000),
    ])
    func `no image`(bytes: [UInt8]) throws {
        #expect(ImageFormat.detect(bytes) == nil)
        let error = try #require(failure(bytes))
        #expect(error == .notAnImage)
        #expect(error.description == "the file is not an image")
    }

    @Test(arguments: [
        (ImageFormat.tiff, "code.save('x', 'TIFF')"),
        (.svg, "open('x', 'w').write('\\ufeff<?xml version=\"1.0\"?>\\n<!-- a -->\\n<svg/>')"),
    ])
    func `a kind that cannot be read is named, and how to convert it`(format: ImageFormat, script: String)
        throws
    {
        let file = try pillow("code = Image.new('RGB', (20, 20))\n" + script).read("x")
        let error = try #require(failure(file))
        #expect(error == .otherFormat(format))
        #expect(
            error.description
                == "the file is \(format == .svg ? "an" : "a") \(format.rawValue) image, which cannot be read"
        )
        #expect(error.recoverySuggestion?.hasPrefix("convert it first") == true)
    }

    @Test func `our own SVG is named as SVG`() throws {
        let file = try QRSymbol.encode([0x41]).svg()
        #expect(failure(Array(file.utf8)) == .otherFormat(.svg))
    }

    @Test func `a PNG that is cut off anywhere is read as far as it goes, or is an error`() throws {
        // Noise, so that rows end all over the file.
        var random = UInt64(3)
        let modules = (0..<64 * 64).map { _ -> UInt8 in
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(random >> 63)
        }
        let file = try PNGCodec.encode(bilevel: modules, width: 64, height: 64)
        let whole = try LuminanceImage.decode(file)
        var longest = 0
        // Without the 12 bytes of IEND all pixels are there.
        for count in 8..<file.count - 12 {
            switch Result(catching: { try LuminanceImage.decode(Array(file.prefix(count))) }) {
            case .success(let part):
                #expect(part.width == 64 && part.height == 64 && part.damage?.isEmpty == false)
                let rows = zip(part.pixels, whole.pixels).prefix { $0 == $1 }.count / 64
                #expect(rows >= longest, "\(count) of \(file.count) bytes")
                longest = rows
            case .failure(ImageError.broken(.png, let message)):
                #expect(!message.isEmpty && message.utf8.count <= 64)
                #expect(longest == 0)
            case .failure(let error): Issue.record("\(count) of \(file.count) bytes: \(error)")
            }
        }
        #expect(longest > 60)
    }

    @Test func `a PNG with a flipped bit never traps`() throws {
        let file = try QRSymbol.encode(Array("FLIPPED".utf8)).png()
        for position in 0..<file.count {
            var bytes = file
            bytes[position] ^= 1 << UInt8(position % 8)
            _ = failure(bytes, limits: ImageLimits(maximumPixels: 1_000_000))
        }
        // In the pixels, the checksum shows it.
        var bytes = file
        bytes[file.count - 30] ^= 4
        switch Result(catching: { try LuminanceImage.decode(bytes) }) {
        case .success(let image): #expect(image.damage?.isEmpty == false)
        case .failure(let error):
            guard case ImageError.broken(.png, _) = error else {
                Issue.record("another error: \(error)")
                return
            }
        }
    }

    @Test(arguments: [false, true])
    func `a JPEG that is cut off is read as far as it goes, and says so`(progressive: Bool) throws {
        let code = try QRSymbol.encode(Array("CUT OFF".utf8)).png()
        let file = try pillow(
            "Image.open('in.png').convert('RGB')"
                + ".save('x.jpg', quality=90, progressive=\(progressive ? "True" : "False"))", input: code
        ).read("x.jpg")
        #expect(try LuminanceImage.decode(file).damage == nil)

        var damaged = 0
        for count in 3..<file.count - 2 {
            let bytes = Array(file.prefix(count))
            switch failure(bytes) {
            case nil:
                damaged += 1
                #expect(try LuminanceImage.decode(bytes).damage?.isEmpty == false, "\(count) bytes")
            case .broken(.jpeg, let message): #expect(!message.isEmpty && message.utf8.count <= 200)
            case let other: Issue.record("\(count) bytes: \(String(describing: other))")
            }
        }
        #expect(damaged > file.count / 2)
        let nearlyWhole = try LuminanceImage.decode(Array(file.dropLast(3)))
        #expect(nearlyWhole.damage?.hasPrefix("Premature end of JPEG file") == true)
        #expect(try scanned(nearlyWhole).codes.map(\.payload) == [Array("CUT OFF".utf8)])
    }

    @Test func `a size of zero`() throws {
        for (width, height): (UInt32, UInt32) in [(0, 0), (0, 10), (10, 0)] {
            let expected = ImageError.zeroDimensions(width: Int(width), height: Int(height))
            let png = handmadePNG([("IHDR", imageHeader(width: width, height: height)), ("IEND", [])])
            #expect(failure(png) == expected)
            #expect(failure(handmadeJPEG(width: UInt16(width), height: UInt16(height))) == expected)
        }
        #expect(
            ImageError.zeroDimensions(width: 0, height: 10).description
                == "the image has no pixels: it says 0×10")
    }

    @Test(arguments: [(100_000, 100_000), (64_000_001, 1), (1, 64_000_001), (4_294_967_295, 4_294_967_295)])
    func `a size above the limit is refused by the header alone`(width: UInt32, height: UInt32) throws {
        let png = handmadePNG([("IHDR", imageHeader(width: width, height: height))])
        let refused = try #require(failure(png))
        #expect(refused == .tooManyPixels(width: Int(width), height: Int(height), limit: 64_000_000))
        #expect(refused.recoverySuggestion?.contains("--max-pixels") == true)
        if width == 100_000 {
            #expect(
                refused.description
                    == "the image says 100000×100000 pixels, more than the limit of 64000000")
        }
    }

    @Test func `the largest JPEG is refused by the header alone`() {
        #expect(
            failure(handmadeJPEG(width: 65_535, height: 65_535))
                == .tooManyPixels(width: 65_535, height: 65_535, limit: 64_000_000))
    }

    @Test func `a small valid file of huge size is refused, or read within the limit that allows it`() throws
    {
        // 9,000 × 9,000 white pixels of one bit compress to about 28 kB.
        let file = try pillow("Image.new('1', (9000, 9000), 1).save('bomb.png')").read("bomb.png")
        #expect(file.count < 40_000)
        #expect(failure(file) == .tooManyPixels(width: 9000, height: 9000, limit: 64_000_000))
        let image = try LuminanceImage.decode(file, limits: ImageLimits(maximumPixels: 81_000_000))
        #expect(image.pixels.count == 81_000_000)
        #expect(failure(file, limits: ImageLimits(maximumPixels: 80_999_999)) != nil)
    }

    @Test func `limits at their edges`() {
        let small = handmadePNG([("IHDR", imageHeader(width: 10, height: 10)), ("IEND", [])])
        #expect(failure(small, limits: ImageLimits(maximumPixels: 99)) != nil)
        for limit in [0, -1, Int.min] {
            #expect(
                failure(small, limits: ImageLimits(maximumPixels: limit))
                    == .tooManyPixels(width: 10, height: 10, limit: limit))
        }
        let huge = handmadePNG([("IHDR", imageHeader(width: 0x7FFF_FFFF, height: 0x7FFF_FFFF)), ("IEND", [])])
        guard case .broken(.png, _) = failure(huge, limits: ImageLimits(maximumPixels: .max)) else {
            Issue.record("libpng's own limit did not hold")
            return
        }
    }

    @Test func `a JPEG whose segments end nowhere never traps`() {
        for length: UInt8 in [0, 1, 2, 255] {
            for marker: UInt8 in [0xC0, 0xC4, 0xDA, 0xE0, 0xFF] {
                let bytes: [UInt8] = [0xFF, 0xD8, 0xFF, marker, 0x00, length, 0xFF]
                guard case .broken(.jpeg, _) = failure(bytes) else {
                    Issue.record("\(bytes)")
                    continue
                }
            }
        }
    }
}
