import Testing

@testable import QRCodes

/// The formats other than PNG and JPEG, written by Pillow, heif-enc and ffmpeg and read by us.
@Suite struct ImageFormatTests {
    private static let payload = Array("EVERY FORMAT".utf8)

    /// The file that a script with Pillow writes as `x`; in it `code` is a code of 6 pixels a module.
    private func file(_ script: String) throws -> [UInt8] {
        let code = try QRSymbol.encode(ImageFormatTests.payload).png(pixelsPerModule: 6)
        return try pillow("code = Image.open('in.png').convert('L')\n" + script, input: code).read("x")
    }

    private func payloads(_ image: LuminanceImage) throws -> [[UInt8]] {
        try scanned(image).codes.map(\.payload)
    }

    @Test(arguments: [
        (ImageFormat.webp, "code.convert('RGB').save('x', 'WEBP', quality=70)"),
        (.webp, "code.convert('RGB').save('x', 'WEBP', lossless=True)"),
        (.webp, "code.convert('RGB').save('x', 'WEBP', quality=70, exif=b'Exif\\0\\0' + bytes(100))"),
        (.gif, "code.save('x', 'GIF')"),
        (.gif, "code.save('x', 'GIF', interlace=0)"),
        (.gif, "code.convert('1').save('x', 'GIF')"),
        (.bmp, "code.save('x', 'BMP')"),
        (.bmp, "code.convert('1').save('x', 'BMP')"),
        (.bmp, "code.convert('RGB').save('x', 'BMP')"),
        (.bmp, "code.convert('RGBA').save('x', 'BMP')"),
        (.pnm, "code.save('x', 'PPM')"),
        (.pnm, "code.convert('1').save('x', 'PPM')"),
        (.pnm, "code.convert('RGB').save('x', 'PPM')"),
        (.pnm, "code.point(lambda v: v * 257, 'I').save('x', 'PPM')"),
        (
            .pnm,
            "open('x', 'w').write(f'P2\\n# grey\\n{code.width} {code.height}\\n255\\n'"
                + " + ' '.join(map(str, code.getdata())))"
        ),
        (
            .pnm,
            "open('x', 'w').write(f'P1 {code.width} {code.height} '"
                + " + ''.join('10'[v > 99] for v in code.getdata()))"
        ),
        (.pdf, "code.save('x', 'PDF', resolution=72)"),
        (.heic, "\(heif)'-q', '60', 'code.png'])"),
        (.heic, "\(heif)'-L', 'code.png'])"),
        (.avif, "\(heif)'-A', '-q', '60', '-p', 'speed=9', 'code.png'])"),
    ])
    func `every format is read`(format: ImageFormat, script: String) throws {
        let source = try ImageSource(try file(script))
        #expect(source.format == format)
        let image = try source.luminance(scale: 1)
        #expect(image.width == source.width && image.height == source.height && image.damage == nil)
        #expect(try payloads(image) == [ImageFormatTests.payload])
        #expect(image.pixels[0] > 235)
        if format != .pdf { #expect(image.pixels[27 * image.width + 27] < 25) }
        // At half the size a module still has three pixels.
        let half = try ImageSource(try file(script)).luminance(scale: 2)
        #expect(half.width == (image.width + 1) / 2 && half.height == (image.height + 1) / 2)
        #expect(try payloads(half) == [ImageFormatTests.payload])
    }

    private static let heif =
        "import subprocess\ncode.save('code.png')\nsubprocess.check_call(['heif-enc', '-o', 'x', "

    @Test(arguments: ["JPEG", "PNG", "WEBP"])
    func `the orientation in EXIF makes no difference to a code`(format: String) throws {
        for orientation in 1...8 {
            let image = try LuminanceImage.decode(
                try file(
                    """
                    wide = Image.new('RGB', (code.width + 60, code.height), 'white')
                    wide.paste(code)
                    tags = Image.Exif()
                    tags[0x0112] = \(orientation)
                    wide.save('x', '\(format)', exif=tags)
                    """))
            // The pixels are as they are stored, neither turned nor mirrored.
            #expect(image.width == image.height + 60, "orientation \(orientation)")
            #expect(try payloads(image) == [ImageFormatTests.payload], "orientation \(orientation)")
        }
    }

    @Test(arguments: ["PNG", "WEBP", "GIF"])
    func `white on nothing shows on black`(format: String) throws {
        var source = try ImageSource(
            try file(
                """
                white = Image.new('L', code.size, 255)
                image = Image.merge('RGBA', (white, white, white, code.point(lambda v: 255 - v)))
                image.save('x', '\(format)', **({'lossless': True} if '\(format)' == 'WEBP' else {}))
                """))
        #expect(source.hasTransparency)
        #expect(try payloads(source.luminance(scale: 1)).isEmpty)
        source.ground = 0
        #expect(try payloads(source.luminance(scale: 1)) == [ImageFormatTests.payload])
    }

    @Test func `an animation is read frame by frame`() throws {
        let bytes = try file(
            """
            blank = Image.new('L', code.size, 200)
            blank.save('x', 'GIF', save_all=True, append_images=[blank, code, blank], duration=100)
            """)
        var pictures = try ImagePictures(ImageBytes(bytes))
        var found: [Bool] = []
        while let source = try pictures.next() {
            found.append(try payloads(source.luminance(scale: 1)) == [ImageFormatTests.payload])
        }
        #expect(found == [false, true, false])
        pictures = try ImagePictures(ImageBytes(bytes))
        _ = try pictures.next()
        #expect(try pictures.next(found: true).map(\.width) == nil)
    }

    /// Frames that hold only what differs, and ones that are removed again.
    @Test(arguments: ["minimize_size=True", "lossless=True", "quality=80, kmin=0, kmax=0"])
    func `an animated WebP is read frame by frame`(options: String) throws {
        let bytes = try file(
            """
            blank = Image.new('RGBA', code.size, (200, 200, 200, 255))
            half = blank.copy()
            half.paste(code.crop((0, 0, code.width // 2, code.height)))
            blank.save('x', 'WEBP', save_all=True, append_images=[half, code.convert('RGBA'), blank],
                       duration=100, \(options))
            """)
        var pictures = try ImagePictures(ImageBytes(bytes))
        #expect(pictures.isSequence)
        var found: [Bool] = []
        while let source = try pictures.next() {
            found.append(try payloads(source.luminance(scale: 1)) == [ImageFormatTests.payload])
        }
        #expect(found == [false, false, true, false])
        // Cut short, it has its first frames.
        for count in [bytes.count / 2, bytes.count - 9] {
            var pictures = try ImagePictures(ImageBytes(Array(bytes.prefix(count))))
            #expect(try pictures.next()?.width == pictures.next()?.width)
        }
        pictures = try ImagePictures(ImageBytes(bytes))
        _ = try pictures.next()
        #expect(try pictures.next(found: true).map(\.width) == nil)
    }

    @Test(arguments: [false, true])
    func `a WebP that takes too long is read as far as it came`(lossless: Bool) throws {
        let bytes = try file(
            """
            noise = Image.effect_noise((1500, 1500), 90).convert('RGB')
            noise.save('x', 'WEBP', lossless=\(lossless ? "True" : "False"), quality=90, method=0)
            """)
        let whole = try LuminanceImage.decode(bytes)
        #expect(whole.damage == nil)
        // Parts or all at once: the same pixels.
        let limited = try WebPCodec(bytes[...], limits: ImageLimits(), budget: WorkBudget(seconds: 60))
        #expect(try limited.decode(scale: 1, ground: 255) == whole)
        let spent = try WebPCodec(bytes[...], limits: ImageLimits(), budget: WorkBudget(seconds: 0))
        let cut = try spent.decode(scale: 1, ground: 255)
        #expect(cut.damage == "it takes too long to read all of it")
        #expect(cut.pixels.suffix(1500 * 200).allSatisfy { $0 == 255 })
    }

    @Test func `the pages of a document are read one after the other`() throws {
        let bytes = try file(
            "blank = Image.new('L', (200, 100), 255)\n"
                + "blank.save('x', 'PDF', save_all=True, append_images=[code])"
        )
        var pictures = try ImagePictures(ImageBytes(bytes))
        let first = try #require(try pictures.next())
        let second = try #require(try pictures.next())
        #expect(try payloads(first.luminance(scale: 1)).isEmpty)
        #expect(try payloads(second.luminance(scale: 1)) == [ImageFormatTests.payload])
        #expect(try pictures.next(found: true).map(\.width) == nil)
    }

    @Test func `a document without a code is drawn again, finer`() throws {
        var pictures = try ImagePictures(
            ImageBytes(try file("Image.new('L', (72, 72), 255).save('x', 'PDF')")))
        #expect(try pictures.next()?.width == 150)
        #expect(try pictures.next()?.width == 300)
        #expect(try pictures.next().map(\.width) == nil)
    }

    @Test func `a page that is too large hides no code on another one, and is named if there is none`() throws
    {
        let large = "large = Image.new('1', (900, 900), 1)\n"
        let limits = ImageLimits(maximumPixels: 1_000_000)
        let search = ImageScan(limits: limits)
        let beside = try file(
            large + "code.convert('1').save('x', 'PDF', save_all=True, append_images=[large])")
        #expect(try search.run(ImageBytes(beside)).result.codes.map(\.payload) == [ImageFormatTests.payload])
        let behind = try file(
            large + "large.save('x', 'PDF', save_all=True, append_images=[code.convert('1')])")
        #expect(try search.run(ImageBytes(behind)).result.codes.map(\.payload) == [ImageFormatTests.payload])
        let blank = try file(
            large + "large.save('x', 'PDF', save_all=True, append_images=[large.crop((0, 0, 9, 9))])")
        #expect(throws: ImageError.tooManyPixels(width: 1875, height: 1875, limit: 1_000_000)) {
            try search.run(ImageBytes(blank))
        }
        // Too large at the second resolution only.
        let whole = try file("Image.new('1', (300, 300), 1).save('x', 'PDF')")
        let outcome = try search.run(ImageBytes(whole))
        #expect(outcome.result.isEmpty && outcome.width == 625)
    }

    @Test func `a scale that no codec has is a box filter's`() throws {
        let bytes = try file(
            "Image.frombytes('L', (7, 3), bytes(range(0, 210, 10))).save('x', 'PNG')")
        let source = try ImageSource(bytes)
        let full = try source.luminance(scale: 1).pixels.map(Int.init)
        for scale in [2, 3, 5, 100, Int.max] {
            let image = try ImageSource(bytes).luminance(scale: scale)
            let side = min(scale, 7)
            #expect(image.width == (7 + side - 1) / side && image.height == (3 + side - 1) / side)
            for y in 0..<image.height {
                for x in 0..<image.width {
                    let block = (y * side..<min(3, (y + 1) * side)).flatMap { row in
                        (x * side..<min(7, (x + 1) * side)).map { full[row * 7 + $0] }
                    }
                    let mean = (block.reduce(0, +) * 2 + block.count) / (2 * block.count)
                    #expect(abs(Int(image.pixels[y * image.width + x]) - mean) <= 1)
                }
            }
        }
    }
}
