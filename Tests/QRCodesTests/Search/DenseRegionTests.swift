import Testing

@testable import QRCodes

/// Codes with two or three pixels a module in a picture that is too large for a thorough search.
@Suite struct DenseRegionTests {
    /// A grey ground with the grain of a small sensor, and a photograph of a code on it.
    private func scene(_ photograph: Photograph?, x: Int, y: Int, width: Int = 2200, height: Int = 1500)
        throws
        -> LuminanceImage
    {
        var canvas = Canvas(width: width, height: height, filledWith: 205)
        if var photograph {
            (photograph.width, photograph.height) = (128, 128)
            canvas.paste(try photograph.image(), x: x, y: y)
        }
        var random = UInt64(7)
        return LuminanceImage(width: width, height: height) { result in
            for index in 0..<width * height {
                random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let grain = Int(random >> 60) - 7
                result[index] = UInt8(max(0, min(255, Int(canvas.pixels[index]) + grain)))
            }
        }
    }

    private func photograph(side: Float, blur: Int) -> Photograph {
        var photograph = Photograph()
        photograph.corners = Photograph.corners(side: side, turned: 33, around: Vector(x: 64, y: 64))
        (photograph.dark, photograph.light, photograph.blur) = (30, 205, blur)
        return photograph
    }

    @Test func `grain does not use up what a search of a large picture may look at`() throws {
        let image = try scene(photograph(side: 82, blur: 1), x: 1500, y: 900)
        let limits = SymbolSearch.Limits.quick(pixels: image.pixels.count, isFiner: true)
        #expect(
            try SymbolSearch.run(image, limits: limits).result.codes.map(\.payload) == [Photograph.payload])
        var faint = limits
        faint.finders.leastContrast = 2
        let seen = try SymbolSearch.run(image, limits: faint)
        #expect(seen.result.isEmpty, "no grain that is in the way; the test shows nothing")
    }

    @Test func `a tiny code that the bounds of a large picture leave out is read in its region`() throws {
        let image = try scene(photograph(side: 68, blur: 2), x: 1500, y: 900)
        let limits = SymbolSearch.Limits.quick(pixels: image.pixels.count, isFiner: true)
        #expect(try SymbolSearch.run(image, limits: limits).result.isEmpty, "the test shows nothing")
        var search = PictureSearch(ImageSource(image), effort: .normal)
        for step in search.plan.steps {
            if case .denseRegions = step.method { continue }
            #expect(try search.carryOut(step, on: try search.picture(step.scale)).isEmpty, "\(step.reason)")
        }
        let code = try #require(try PictureSearch.run(ImageSource(image)).result.codes.first)
        #expect(code.payload == Photograph.payload)
        #expect(code.holds(Vector(x: 1564, y: 964)))
        #expect(!code.holds(Vector(x: 1500, y: 900)))
    }

    @Test func `all tiny codes of a picture are read`() throws {
        let image = try scene(photograph(side: 68, blur: 2), x: 1500, y: 900)
        var canvas = Canvas(width: image.width, height: image.height)
        canvas.pixels = image.pixels
        canvas.paste(try photograph(side: 68, blur: 2).small, x: 300, y: 200)
        let codes = try PictureSearch.run(ImageSource(try canvas.image())).result.codes
        #expect(codes.map(\.payload) == [Photograph.payload, Photograph.payload])
    }

    @Test func `beside several codes that were read, tiny ones are`() throws {
        let grain = try scene(photograph(side: 68, blur: 2), x: 1700, y: 1100)
        var canvas = Canvas(width: grain.width, height: grain.height)
        canvas.pixels = grain.pixels
        for (text, x) in [("LEFT", 40), ("RIGHT", 700)] {
            canvas.paste(try picture(of: Array(text.utf8), pixelsPerModule: 12), x: x, y: 60)
        }
        let codes = try PictureSearch.run(ImageSource(try canvas.image())).result.codes
        #expect(codes.map(\.payload) == [Array("LEFT".utf8), Array("RIGHT".utf8), Photograph.payload])
    }

    @Test(arguments: [(0, 0), (997, 611), (1272, 772)])
    func `the densest region holds the code`(place: (Int, Int)) throws {
        let image = try scene(photograph(side: 70, blur: 1), x: place.0, y: place.1, width: 1400, height: 900)
        let regions = DenseRegion.among(image, limit: 4)
        let first = try #require(regions.first)
        #expect(first.x <= place.0 + 16 && first.x + first.width >= place.0 + 112)
        #expect(first.y <= place.1 + 16 && first.y + first.height >= place.1 + 112)
        #expect(first.width <= 11 * DenseRegion.cell && first.height <= 11 * DenseRegion.cell)
        let part = first.cut(from: image)
        #expect(part.pixels[0] == image.pixels[first.y * 1400 + first.x])
        #expect(
            part.pixels.last == image.pixels[(first.y + first.height - 1) * 1400 + first.x + first.width - 1])
    }

    @Test func `what does not stand out is no region`() throws {
        func regions(_ width: Int, _ height: Int, _ luma: (Int, Int) -> UInt8) -> [DenseRegion] {
            let image = LuminanceImage(width: width, height: height) { result in
                for index in 0..<width * height { result[index] = luma(index % width, index / width) }
            }
            return DenseRegion.among(image, limit: 8)
        }
        #expect(regions(640, 480) { _, _ in 255 }.isEmpty)
        #expect(regions(640, 480) { x, _ in x / 3 % 2 == 0 ? 0 : 255 }.isEmpty)
        #expect(regions(640, 480) { _, y in y / 3 % 2 == 0 ? 0 : 255 }.isEmpty)
        #expect(regions(640, 480) { x, y in (x / 3 + y / 3) % 2 == 0 ? 0 : 255 }.isEmpty)
        #expect(
            regions(640, 480) { x, y in x < 100 && y < 100 && (x / 3 + y / 3) % 2 == 0 ? 0 : 255 }.count == 1)
        for (width, height) in [(1, 1), (31, 500), (500, 31), (32, 32), (33, 40)] {
            #expect(
                regions(width, height) { x, y in UInt8(truncatingIfNeeded: x &* 97 ^ y &* 61) }.count <= 1)
        }
    }

    @Test func `a crowd of finder patterns is not completed to codes`() throws {
        var photograph = Photograph()
        photograph.blots = [(-0.5, -0.5, 6.5)]
        let image = try photograph.image()
        var limits = SymbolSearch.Limits.normal(pixels: image.pixels.count)
        #expect(try SymbolSearch.run(image, limits: limits).triples.contains { $0.corner.directions == 2 })
        limits.crowd = 0
        let seen = try SymbolSearch.run(image, limits: limits)
        #expect(seen.sureCount > 0 && !seen.triples.contains { $0.corner.directions == 2 })
    }
}

extension Photograph {
    fileprivate var small: LuminanceImage {
        get throws {
            var photograph = self
            (photograph.width, photograph.height) = (128, 128)
            return try photograph.image()
        }
    }
}
