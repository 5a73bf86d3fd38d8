import Testing

@testable import QRCodes

/// Pictures with many codes.
@Suite struct CrowdTests {
    /// Codes in rows and columns. `spoiled`: the number of a code whose data are painted over; its finder and
    /// timing patterns are left.
    private func sheet(
        columns: Int, rows: Int, pixelsPerModule: Int, spoiled: Int? = nil, text: (Int) -> String
    ) throws -> LuminanceImage {
        let codes = try (0..<columns * rows).map {
            try picture(of: Array(text($0).utf8), pixelsPerModule: pixelsPerModule)
        }
        let cell = codes.map(\.width).max() ?? 1
        var canvas = Canvas(width: columns * cell, height: rows * cell)
        for (index, code) in codes.enumerated() {
            let (x, y) = (index % columns * cell, index / columns * cell)
            canvas.paste(code, x: x, y: y)
            guard index == spoiled else { continue }
            for row in 13 * pixelsPerModule..<code.height - 4 * pixelsPerModule {
                for column in 13 * pixelsPerModule..<code.width - 4 * pixelsPerModule {
                    canvas.pixels[(y + row) * canvas.width + x + column] = 255
                }
            }
        }
        return try canvas.image()
    }

    private func texts(_ image: LuminanceImage, _ effort: ScanEffort = .normal, sought: String = "") throws
        -> [String]
    {
        try PictureSearch.run(
            ImageSource(image), effort: effort, sought: sought.isEmpty ? [] : [Array(sought.utf8)]
        ).result.codes
            .map { String(decoding: $0.payload, as: UTF8.self) }
    }

    @Test(arguments: [2, 3]) func `140 small codes are read, in order`(pixelsPerModule: Int) throws {
        let image = try sheet(columns: 14, rows: 10, pixelsPerModule: pixelsPerModule) { "CODE \(1000 + $0)" }
        let result = try PictureSearch.run(ImageSource(image)).result
        #expect(
            result.codes.map { String(decoding: $0.payload, as: UTF8.self) }
                == (1000..<1140).map { "CODE \($0)" })
        #expect(result.unread == 0)
    }

    @Test func `codes of different versions stand beside each other`() throws {
        func text(_ index: Int) -> String { String(repeating: "\(index % 10)ABC", count: 1 + index % 7 * 5) }
        let image = try sheet(columns: 6, rows: 5, pixelsPerModule: 4, text: text)
        #expect(try texts(image) == (0..<30).map(text))
    }

    @Test(arguments: [(5, 2), (8, 3), (3, 5)])
    func `more effort never reads less`(columns: Int, pixelsPerModule: Int) throws {
        let image = try sheet(columns: columns, rows: 4, pixelsPerModule: pixelsPerModule) {
            "HUBPAIR:\(String(repeating: "0123456789ABCDEF", count: 6))\($0)"
        }.smoothed()
        let normal = try texts(image)
        #expect(normal.count == columns * 4)
        #expect(try texts(image, .thorough) == normal)
    }

    @Test func `a code that is seen and not read is counted`() throws {
        for spoiled in [0, 7, 11] {
            let image = try sheet(columns: 4, rows: 3, pixelsPerModule: 4, spoiled: spoiled) {
                "HTTPS://EXAMPLE.ORG/A/LONG/PATH/\(100 + $0)"
            }
            let result = try PictureSearch.run(ImageSource(image)).result
            #expect(result.codes.count == 11)
            #expect(result.unread == 1, "without code \(spoiled)")
        }
    }

    @Test func `the search goes on beside another code until the sought one is read`() throws {
        // Searched at a quarter, and looked at at half of the size, where the small one has left no sign.
        var canvas = Canvas(width: 3000, height: 2400, filledWith: 200)
        canvas.paste(try picture(of: Array("LARGE".utf8), pixelsPerModule: 24), x: 50, y: 50)
        canvas.paste(try picture(of: Array("TINY".utf8), pixelsPerModule: 2), x: 1300, y: 600)
        let image = try canvas.image().smoothed()
        #expect(try texts(image) == ["LARGE"])
        #expect(try texts(image, sought: "LAR") == ["LARGE"])
        #expect(try texts(image, sought: "TIN") == ["LARGE", "TINY"])
    }

    /// Seen from near by, the far modules are so much smaller than the near ones that in the middle of a side
    /// a dark module is where a light one would be without perspective.
    @Test(arguments: [0.8, 0.9, 1, 1.15, 1.3] as [Float])
    func `codes in perspective are read beside each other`(top: Float) throws {
        var canvas = Canvas(width: 4 * 240, height: 2 * 240, filledWith: 220)
        for index in 0..<8 {
            let inset = 94 * (1 - top) / (1 + top) * (index % 2 == 0 ? 1 : -1)
            let code = try Photograph(
                width: 240, height: 240,
                corners: [
                    Vector(x: 26 + inset, y: 30), Vector(x: 214 - inset, y: 24),
                    Vector(x: 214 + inset, y: 210), Vector(x: 26 - inset, y: 216),
                ], blur: 1, noise: 3
            ).image()
            canvas.paste(code, x: index % 4 * 240, y: index / 4 * 240)
        }
        let image = try canvas.image()
        let seen = try CrowdSearch.run(image, limits: .many(pixels: image.pixels.count))
        #expect(seen.result.codes.count == 8)
        #expect(seen.result.codes.allSatisfy { $0.payload == Photograph.payload })
    }

    /// One can be read where its modules are hardly clear; the other one, smaller and paler, leaves no sign
    /// there.
    @Test(arguments: [92, 98, 110, 122, 134, 146] as [Float], [0.8, 0.9, 1] as [Float])
    func `a pale code beside a small one is looked for more closely`(side: Float, share: Float) throws {
        for dark in [60, 100] as [Float] {
            var canvas = Canvas(width: 2000, height: 1500, filledWith: 190)
            let clear = Photograph(
                corners: Photograph.corners(side: side, turned: 10), light: 190, noise: 4)
            let pale = Photograph(
                corners: Photograph.corners(side: side * share, turned: 41), dark: dark, light: 190,
                blur: 1, noise: 4)
            canvas.paste(try clear.image(), x: 201, y: 303)
            canvas.paste(try pale.image(), x: 1203, y: 850)
            #expect(try texts(try canvas.image()).count == 2, "dark \(dark)")
        }
    }

    /// At half the size, where the large one is read at once, the small one leaves hardly a sign.
    @Test(arguments: [2.6, 2.8, 3, 3.3] as [Float])
    func `a small code beside a large one is looked for in a picture of three megapixels`(
        pixelsPerModule: Float
    ) throws {
        let modules = Float(try QRSymbol.encode(Photograph.payload).modulesPerSide)
        var found = 0
        for turn in stride(from: 0 as Float, to: 90, by: 15) {
            var canvas = Canvas(width: 2000, height: 1500, filledWith: 190)
            let large = Photograph(
                width: 720, height: 720,
                corners: Photograph.corners(side: 560, turned: 10, around: Vector(x: 360, y: 360)),
                light: 190, noise: 3)
            let small = Photograph(
                corners: Photograph.corners(side: pixelsPerModule * modules, turned: turn), light: 190,
                noise: 3)
            canvas.paste(try large.image(), x: 101, y: 103)
            canvas.paste(try small.image(), x: 1203, y: 850)
            found += try texts(try canvas.image()).count
        }
        #expect(found == 12)
    }

    /// A few lines cross the finder patterns, so none of them is sure.
    @Test(arguments: [1.4, 1.5, 1.6] as [Float], [12, 17, 57, 63, 76] as [Float])
    func `a crowd of codes of hardly two pixels a module is read`(pixelsPerModule: Float, turn: Float) throws
    {
        let side = pixelsPerModule * Float(try QRSymbol.encode(Photograph.payload).modulesPerSide)
        let cell = Int(1.6 * side)
        let middle = Vector(x: Float(cell) / 2, y: Float(cell) / 2)
        var canvas = Canvas(width: 6 * cell, height: 5 * cell, filledWith: 220)
        for index in 0..<30 {
            let code = Photograph(
                width: cell, height: cell,
                corners: Photograph.corners(side: side, turned: turn, around: middle), noise: 4)
            canvas.paste(try code.image(), x: index % 6 * cell, y: index / 6 * cell)
        }
        #expect(try texts(try canvas.image()).count == 30)
    }

    /// Of 26 megapixels the scales 8, 4 and 2 are searched; decoding it whole would take too long.
    @Test func `a closer look stays within the scales of the plan`() throws {
        var canvas = Canvas(width: 5200, height: 5000, filledWith: 220)
        let code = Photograph(corners: Photograph.corners(side: 126, turned: 10), noise: 2)
        canvas.paste(try code.image(), x: 600, y: 800)
        var search = PictureSearch(ImageSource(try canvas.image()), effort: .normal)
        try search.run()
        #expect(search.outcome.result.codes.count == 1)
        #expect(search.plan.finerScales == [4, 2])
        #expect(search.sightings.map(\.scale).min() == 2)
    }

    @Test func `a crowd of finder patterns that are of no code takes bounded work`() throws {
        var canvas = Canvas(width: 900, height: 900)
        for y in stride(from: 0, to: 900 - 24, by: 24) {
            for x in stride(from: 0, to: 900 - 24, by: 24) {
                for row in 0..<21 {
                    for column in 0..<21 {
                        let ring = max(abs(column / 3 - 3), abs(row / 3 - 3))
                        canvas.pixels[(y + row) * 900 + x + column] = ring == 2 ? 255 : 0
                    }
                }
            }
        }
        let image = try canvas.image()
        let limits = CrowdSearch.Limits.many(pixels: image.pixels.count)
        let seen = try CrowdSearch.run(image, limits: limits)
        #expect(seen.result.isEmpty)
        #expect(seen.patterns.count > 500, "no crowd; the test shows nothing")
        #expect(seen.grids.count <= limits.grids)
        #expect(seen.unread.isEmpty, "no timing pattern lies between them")
    }

    @Test func `the patterns near a place are those that a look at all of them finds`() {
        var random = UInt64(11)
        func next(_ bound: Int) -> Float {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Float(random >> 33).truncatingRemainder(dividingBy: Float(bound * 8)) / 8
        }
        for _ in 0..<50 {
            let (width, height) = (Int(next(600)) + 1, Int(next(600)) + 1)
            var places = PatternPlaces(width: width, height: height)
            var all: [(centre: Vector, radius: Float)] = []
            for index in 0..<60 {
                let centre = Vector(x: next(width), y: next(height))
                all.append((centre, next(96)))
                places.add(index, at: centre, radius: all[index].radius)
            }
            for _ in 0..<60 {
                let place = Vector(x: next(width), y: next(height))
                let found = places.first(near: place, within: 0) {
                    (all[$0].centre - place).length < all[$0].radius
                }
                #expect(found == all.firstIndex { ($0.centre - place).length < $0.radius })
                let within = next(96)
                #expect(
                    places.first(near: place, within: within) { (all[$0].centre - place).length < within }
                        == all.firstIndex { ($0.centre - place).length < within })
            }
        }
    }
}

/// Codes that were cut out, or that are as small as they can be drawn.
@Suite struct FramedCodeTests {
    @Test(arguments: [1, 2, 3, 5, 8], [false, true])
    func `a code without a quiet zone is read`(pixelsPerModule: Int, isLightOnDark: Bool) throws {
        for (index, text) in ["CUT", "HUBPAIR:" + String(repeating: "0123456789", count: 8)].enumerated() {
            let whole = try picture(of: Array(text.utf8), pixelsPerModule: pixelsPerModule)
            let edge = QRSymbol.quietZone * pixelsPerModule
            let side = whole.width - 2 * edge
            let cut = LuminanceImage(width: side, height: side) { result in
                for place in 0..<side * side {
                    let value = whole.pixels[(place / side + edge) * whole.width + place % side + edge]
                    result[place] = isLightOnDark ? ~value : value
                }
            }
            let code = try #require(try scanned(cut).codes.first)
            #expect(code.payload == Array(text.utf8))
            let (low, high) = (code.corners.map(\.x).min() ?? -9, code.corners.map(\.x).max() ?? -9)
            #expect(abs(low) < 4 && abs(high - side) < 4, "code \(index): \(code.corners)")
        }
    }

    @Test func `a small clean code is read at every size from one pixel a module`() throws {
        for pixelsPerModule in 1...4 {
            for text in [
                "S", "HTTPS://EXAMPLE.ORG/", "HUBPAIR:" + String(repeating: "0123456789", count: 30),
            ] {
                let image = try picture(of: Array(text.utf8), pixelsPerModule: pixelsPerModule)
                #expect(try scanned(image).codes.map(\.payload) == [Array(text.utf8)], "\(pixelsPerModule)")
            }
        }
    }
}
