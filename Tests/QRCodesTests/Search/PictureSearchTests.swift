import Testing

@testable import QRCodes

/// Photographs that libzbar alone does not read, each for one reason, and the search does.
@Suite struct PictureSearchTests {
    typealias Case = (name: String, photograph: Photograph)

    private static func photograph(_ change: (inout Photograph) -> Void) -> Photograph {
        var photograph = Photograph()
        change(&photograph)
        return photograph
    }

    /// Read by the quick steps.
    static let quick: [Case] = [
        (
            "tilted",
            photograph {
                $0.corners = [(110, 90), (210, 90), (250, 150), (70, 150)].map { Vector(x: $0, y: $1) }
            }
        ),
        ("light on dark", photograph { ($0.dark, $0.light) = (220, 30) }),
        (
            "on a pipe",
            photograph {
                $0.corners = Photograph.corners(side: 160, turned: 12)
                $0.bulge = 2
            }
        ),
        (
            "two pixels and a half a module, aslant",
            photograph { ($0.corners, $0.blur) = (Photograph.corners(side: 84, turned: 33), 1) }
        ),
    ]

    /// Read only by the steps of `normal`.
    static let normal: [Case] = [
        ("a finder pattern is covered", photograph { $0.blots = [(-0.5, -0.5, 6.5)] }),
        ("another one is covered", photograph { $0.blots = [(26.5, -1, 8)] }),
        (
            "small and blurred",
            photograph { ($0.corners, $0.blur) = (Photograph.corners(side: 80, turned: 20), 2) }
        ),
        (
            "two pixels a module, aslant",
            photograph { ($0.corners, $0.blur) = (Photograph.corners(side: 66, turned: 33), 1) }
        ),
        ("out of focus", photograph { $0.blur = 12 }),
        (
            "noise and little contrast",
            photograph {
                ($0.dark, $0.light, $0.noise) = (100, 150, 40)
                $0.corners = Photograph.corners(side: 120, turned: 28)
            }
        ),
    ]

    @Test(arguments: quick) func `what libzbar does not read, the quick steps read`(item: Case) throws {
        let image = try item.photograph.image()
        #expect(try ZBarSearch.run(image).isEmpty, "libzbar alone reads it; the test shows nothing")
        let outcome = try PictureSearch.run(ImageSource(image), effort: .quick)
        #expect(outcome.result.codes.map(\.payload) == [Photograph.payload])
        for (corner, expected) in zip(
            try #require(outcome.result.codes.first).corners,
            [0, 3, 2, 1].map { item.photograph.corners[$0] })
        {
            #expect(abs(Float(corner.x) - expected.x) < 4 && abs(Float(corner.y) - expected.y) < 4)
        }
    }

    @Test(arguments: normal) func `what the quick steps do not read, normal ones read`(item: Case) throws {
        let image = try item.photograph.image()
        let quick = try PictureSearch.run(ImageSource(image), effort: .quick)
        #expect(quick.result.isEmpty, "the quick steps read it; the test shows nothing")
        #expect(quick.result.diagnosis == nil)
        let outcome = try PictureSearch.run(ImageSource(image), effort: .normal)
        #expect(outcome.result.codes.map(\.payload) == [Photograph.payload])
    }

    @Test func `a large picture is searched small first, and its codes are where they are`() throws {
        var photograph = Photograph()
        (photograph.width, photograph.height) = (1800, 1350)
        photograph.corners = Photograph.corners(side: 400, turned: 10, around: Vector(x: 900, y: 700))
        let source = ImageSource(try photograph.image())
        var search = PictureSearch(source, effort: .normal)
        try search.run()
        #expect(search.plan.steps.first?.scale == 2)
        // Read by the first step; the whole picture is only looked at.
        #expect(search.sightings.map(\.scale) == [2, 1])
        let code = try #require(search.outcome.result.codes.first)
        #expect(code.payload == Photograph.payload)
        #expect(abs(code.corners[0].x - Int(photograph.corners[0].x)) < 8)
    }

    @Test(arguments: [1600, 2400])
    func `a code that fills the picture is read through grain and print dots`(side: Int) throws {
        var random = UInt64(37)
        let symbol = try QRSymbol.encode(Photograph.payload)
        let pitch = side / symbol.framedSide
        let image = LuminanceImage(width: side, height: side) { pixels in
            for y in 0..<side {
                for x in 0..<side {
                    let isDark = symbol.isDark(
                        x: x / pitch - QRSymbol.quietZone, y: y / pitch - QRSymbol.quietZone)
                    // A hole in the ink every fourth of a module.
                    let isHole = (x * 4 / pitch + y * 4 / pitch) % 2 == 0
                    random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    let grain = Int(random >> 40) % 61 - 30
                    pixels[y * side + x] = UInt8((isDark ? (isHole ? 110 : 40) : 190) + grain)
                }
            }
        }
        let outcome = try PictureSearch.run(ImageSource(image), effort: .normal)
        #expect(outcome.result.codes.map(\.payload) == [Photograph.payload])
    }

    @Test func `a code that is small in a large picture is read at full scale`() throws {
        var photograph = Photograph()
        (photograph.width, photograph.height) = (1800, 1350)
        photograph.corners = Photograph.corners(side: 90, turned: 10, around: Vector(x: 300, y: 1000))
        let outcome = try PictureSearch.run(ImageSource(try photograph.image()))
        #expect(outcome.result.codes.map(\.payload) == [Photograph.payload])
    }

    @Test func `two tilted codes in one picture are both read`() throws {
        var photograph = Photograph()
        photograph.corners = Photograph.quick("tilted").corners
        let one = try photograph.image()
        var canvas = Canvas(width: 640, height: 240)
        canvas.paste(one, x: 0, y: 0)
        canvas.paste(one, x: 320, y: 0)
        let codes = try PictureSearch.run(ImageSource(try canvas.image())).result.codes
        #expect(codes.map(\.payload) == [Photograph.payload, Photograph.payload])
    }

    @Test func `where more codes are than the quick search reads, all of them are read, in order`() throws {
        var canvas = Canvas(width: 900, height: 660)
        for index in 0..<12 {
            let code = try picture(of: Array("CODE \(index)".utf8), pixelsPerModule: 5)
            canvas.paste(code, x: index % 4 * 220, y: index / 4 * 220)
        }
        let codes = try PictureSearch.run(ImageSource(try canvas.image())).result.codes
        #expect(codes.map { String(decoding: $0.payload, as: UTF8.self) } == (0..<12).map { "CODE \($0)" })
    }

    /// Codes in a picture that is searched at half its size first.
    private func canvas(of codes: [(text: String, pixelsPerModule: Int, x: Int, y: Int)]) throws
        -> ImageSource
    {
        var canvas = Canvas(width: 1800, height: 1350, filledWith: 200)
        for code in codes {
            canvas.paste(
                try picture(of: Array(code.text.utf8), pixelsPerModule: code.pixelsPerModule), x: code.x,
                y: code.y)
        }
        return ImageSource(try canvas.image().smoothed())
    }

    private func texts(_ source: ImageSource, _ effort: ScanEffort = .normal) throws -> [String] {
        try PictureSearch.run(source, effort: effort).result.codes.map {
            String(decoding: $0.payload, as: UTF8.self)
        }
    }

    @Test func `beside a large code smaller ones are read, at finer scales`() throws {
        let source = try canvas(of: [
            ("LARGE", 12, 50, 50), ("MIDDLE", 4, 900, 200), ("SMALL", 2, 1300, 600),
        ])
        #expect(try texts(source) == ["LARGE", "MIDDLE", "SMALL"])
    }

    @Test func `one code with nothing beside it ends the search`() throws {
        var search = PictureSearch(try canvas(of: [("ONE", 12, 50, 50)]), effort: .normal)
        try search.run()
        #expect(search.outcome.result.codes.count == 1)
        // The whole picture is looked at, and not searched.
        #expect(search.sightings.map(\.scale) == [2, 1])
        #expect(search.sightings.last?.seen.grids.isEmpty == true)
    }

    @Test func `a sheet of small codes is read whole`() throws {
        let source = try canvas(
            of: (0..<24).map { ("LABEL \(100 + $0)", 2, 60 + $0 % 3 * 600, 30 + $0 / 3 * 165) })
        #expect(try texts(source) == (100..<124).map { "LABEL \($0)" })
    }

    @Test(arguments: [ScanEffort.normal, .thorough])
    func `a code that shows at full scale alone is read beside a large one`(effort: ScanEffort) throws {
        let source = try canvas(of: [("LARGE", 12, 50, 50), ("TINY", 2, 1300, 600)])
        #expect(try texts(source, effort) == ["LARGE", "TINY"])
    }

    @Test(arguments: quick + [("upright", Photograph())])
    func `a code in a mirror is read`(item: Case) throws {
        var photograph = item.photograph
        photograph.corners = [1, 0, 3, 2].map { photograph.corners[$0] }
        let source = ImageSource(try photograph.image())
        let first = SearchPlan(width: source.width, height: source.height, effort: .quick).steps[0]
        guard case .symbols(let limits) = first.method else {
            Issue.record("the quick search does not go first")
            return
        }
        let seen = try SymbolSearch.run(try source.luminance(scale: first.scale), limits: limits)
        #expect(seen.result.codes.map(\.payload) == [Photograph.payload])
    }

    @Test func `codes that overlap and say different things are dropped`() {
        func code(_ text: String, _ x: Int) -> ScannedQRCode {
            let corners = [(x, 0), (x, 40), (x + 40, 40), (x + 40, 0)].map { PixelPoint(x: $0, y: $1) }
            return ScannedQRCode(payload: Array(text.utf8), corners: corners)
        }
        #expect([code("A", 0), code("B", 5)].withoutContradictions.isEmpty)
        #expect([code("A", 0), code("A", 5)].withoutContradictions.count == 2)
        #expect([code("A", 0), code("B", 50)].withoutContradictions.count == 2)
        #expect([code("A", 0), code("B", 5), code("C", 90)].withoutContradictions.map(\.payload) == [[0x43]])
    }

    @Test(arguments: [ScanEffort.quick, .normal, .thorough])
    func `a picture full of finder patterns is given up after bounded work`(effort: ScanEffort) throws {
        var canvas = Canvas(width: 480, height: 360)
        for y in stride(from: 0, to: 360 - 9 * 3, by: 9 * 3) {
            for x in stride(from: 0, to: 480 - 9 * 3, by: 9 * 3) {
                for row in 0..<21 {
                    for column in 0..<21 {
                        let ring = max(abs(column / 3 - 3), abs(row / 3 - 3))
                        canvas.pixels[(y + row) * 480 + x + column] = ring == 2 ? 255 : 0
                    }
                }
            }
        }
        let image = try canvas.image()
        // Not libzbar's own search, which does not end on such pictures.
        let plan = SearchPlan(width: image.width, height: image.height, effort: effort)
        var searches = 0
        for case .symbols(let limits) in plan.steps.map(\.method) {
            let seen = try SymbolSearch.run(image, limits: limits)
            #expect(seen.result.isEmpty)
            #expect(seen.patterns.count <= limits.finders.maximumPatterns)
            #expect(seen.triples.count <= limits.triples + 2 * limits.pairs)
            #expect(seen.grids.count <= limits.grids)
            searches += 1
        }
        #expect(searches >= 1)
    }

    @Test func `what was seen can be drawn`() throws {
        let image = try PictureSearchTests.normal[0].photograph.image()
        let (outcome, png) = try PictureSearch.explained(ImageSource(image))
        #expect(outcome.result.codes.count == 1)
        let drawing = try LuminanceImage.decode(png)
        #expect(drawing.width == 640 && drawing.height == 480)
        // Twice as large as the photograph. The edge of the code is green: 166 in grey.
        let edge = (195..<215).map { drawing.pixels[240 * 640 + $0 - 20] }
        #expect(edge.contains { abs(Int($0) - 166) < 3 }, "\(edge)")
        let plain = try PictureSearch.explained(ImageSource(try Photograph().image()))
        #expect(plain.outcome.result.codes.count == 1 && !plain.png.isEmpty)
    }
}

extension Photograph {
    fileprivate static func quick(_ name: String) -> Photograph {
        PictureSearchTests.quick.first { $0.name == name }?.photograph ?? Photograph()
    }
}
