import Testing

@testable import QRCodes

@Suite struct PDFRenderingTests {
    private static let texts = [
        LabelText("Küche 漢字", .title), LabelText("K7QF-2M9D-X0TW-8RHC", .code),
        LabelText("Lets a device ask the owner: hubpair pair PHOTO.", .body),
    ]

    private func code(_ seed: Int) throws -> QRSymbol {
        // Any 88 characters of a pairing code's alphabet.
        var generator = seed
        let text = (0..<80).map { _ -> UInt8 in
            generator = (generator &* 1_103_515_245 &+ 12345) & 0x7FFF_FFFF
            return Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)[generator >> 16 & 31]
        }
        return try QRSymbol.encode(Array("HUBPAIR:".utf8) + text)
    }

    private func rasterised(_ pdf: [UInt8], dotsPerInch: Int, by tool: String = "pdftoppm") throws
        -> LuminanceImage
    {
        let directory = try TemporaryDirectory()
        try directory.write(pdf, to: "a.pdf")
        let arguments = ["-r", "\(dotsPerInch)", "-gray", "-png", "-singlefile", "a.pdf", "a"]
        try #require(try run(tool, arguments, in: directory).status == 0)
        return try LuminanceImage.decode(try directory.read("a.png"))
    }

    @Test func `the smallest label that is made reads as poppler draws it at 150 dpi`() throws {
        let size = try smallest(above: LabelSize(width: 10, height: 10), texts: Self.texts)
        #expect(size.width < 36)
        for seed in 0..<20 {
            let label = CodeLabel(symbol: try code(seed), texts: Self.texts)
            let pdf = try PDFRendering.draw([label], on: .label(size), title: "")
            let image = try rasterised(pdf.bytes, dotsPerInch: 150)
            #expect(try ZBarSearch.run(image).codes.map(\.payload) == [label.symbol.payload])
        }
    }

    /// The size that the error for a too small label suggests.
    private func smallest(above size: LabelSize, texts: [LabelText]) throws -> LabelSize {
        do {
            _ = try PDFRendering.draw(
                [CodeLabel(symbol: try code(0), texts: texts)], on: .label(size), title: "")
        } catch PDFError.labelTooSmall(size, let enough) {
            return try #require(enough)
        }
        return size
    }

    @Test func `modules are where they should be, and no seam is between them`() throws {
        let symbol = try code(1)
        let size = LabelSize(width: 44, height: 45)
        let pdf = try PDFRendering.draw([CodeLabel(symbol: symbol, texts: [])], on: .label(size), title: "")
        // pdftoppm moves edges to whole pixels, which hides seams; pdftocairo does not.
        let image = try rasterised(pdf.bytes, dotsPerInch: 600, by: "pdftocairo")
        // 44 mm minus two margins of 1.5 mm are the code and its quiet zone, 41 modules: 1 mm each.
        let pixel = 600 / 25.4
        #expect(abs(Double(image.width) - 44 * pixel) <= 1 && abs(Double(image.height) - 45 * pixel) <= 1)
        let top = (45 - 41 - 1) / 2.0
        func isBlack(_ x: Double, _ y: Double) -> Bool {
            image.pixels[Int((top + 4 + y) * pixel) * image.width + Int((1.5 + 4 + x) * pixel)] == 0
        }
        func isWhite(_ x: Double, _ y: Double) -> Bool {
            image.pixels[Int((top + 4 + y) * pixel) * image.width + Int((1.5 + 4 + x) * pixel)] == 255
        }
        for y in 0..<33 {
            for x in 0..<33 {
                let (left, upper) = (Double(x), Double(y))
                guard symbol.isDark(x: x, y: y) else {
                    #expect(isWhite(left + 0.5, upper + 0.5))
                    continue
                }
                #expect(isBlack(left + 0.06, upper + 0.06) && isBlack(left + 0.94, upper + 0.94))
                if symbol.isDark(x: x + 1, y: y) {
                    #expect(isBlack(left + 1, upper + 0.5), "seam at \(x), \(y)")
                }
                if symbol.isDark(x: x, y: y + 1) {
                    #expect(isBlack(left + 0.5, upper + 1), "seam at \(x), \(y)")
                }
            }
        }
    }

    @Test func `a sheet has a place for every label, and repeats them if they are too few`() throws {
        let codes = [try code(1), try code(2)]
        let labels = codes.map { CodeLabel(symbol: $0, texts: Self.texts) }
        let grid = try #require(SheetGrid("2x2"))
        let pdf = try PDFRendering.draw(labels, on: .sheet(grid, .letter, nil), title: "t")
        let image = try rasterised(pdf.bytes, dotsPerInch: 150)
        let read = try ZBarSearch.run(image).codes.map(\.payload)
        #expect(read == [codes[0].payload, codes[1].payload, codes[0].payload, codes[1].payload])
        // A quarter of the paper is 107.95 × 139.7 mm.
        let tooWide = LabelSize(width: 108, height: 100)
        #expect(throws: PDFError.sheetTooLarge(grid, .letter, each: tooWide)) {
            try PDFRendering.draw(labels, on: .sheet(grid, .letter, tooWide), title: "t")
        }
        let crowd = try #require(SheetGrid("99x99"))
        #expect(throws: PDFError.self) {
            try PDFRendering.draw(labels, on: .sheet(crowd, .a4, nil), title: "t")
        }
        #expect(throws: RenderError.unreadable("PDF")) {
            try PDFRendering.draw([], on: .page(.a4), title: "")
        }
    }

    @Test(arguments: [("3x8", nil), ("2x5", nil), ("3x8", "63.5x33.9"), ("2x7", "99.1x38.1")])
    func `codes of a sheet are on whole dots of 150 dpi`(grid: String, size: String?) throws {
        let labels = try (0..<3).map { CodeLabel(symbol: try code($0), texts: Self.texts) }
        for paper in PaperSize.allCases {
            let medium = PrintMedium.sheet(
                try #require(SheetGrid(grid)), paper, try size.map { try #require(LabelSize($0)) })
            let typesetter = try LabelTypesetter(try CairoLibrary.load())
            let page = try LabelledPage(labels, on: medium, typesetter: typesetter)
            for place in page.places {
                let symbol = page.printedSymbol(of: place)
                for length in [symbol.left, symbol.top, symbol.module] {
                    let dots = length / 72 * 150
                    #expect(abs(dots - dots.rounded()) < 1e-6, "\(dots) dots")
                }
                #expect(symbol.module / 72 * 25.4 >= LabelLayout.smallestModule)
                // The quiet zone is on the label, and nothing dark is where many printers cannot print.
                let quiet = Double(QRSymbol.quietZone) * symbol.module
                #expect(symbol.left - quiet >= points(place.x) && symbol.top - quiet >= points(place.y))
                if size == nil { #expect(min(symbol.left, symbol.top) >= points(4)) }
            }
        }
    }

    @Test func `a character that no font has is counted`() throws {
        func unknown(_ name: String) throws -> Int {
            let label = CodeLabel(symbol: try code(1), texts: [LabelText(name, .title)])
            return try PDFRendering.draw([label], on: .page(.a4), title: "").unknownCharacters
        }
        #expect(try unknown("Küche") == 0)
        #expect(try unknown("\u{E621}x\u{10FFFD}") == 2)  // private use
    }
}

@Suite struct PrintMediumTests {
    @Test(arguments: [
        ("40mm", 40.0, 40.0), ("40", 40, 40), ("62x29mm", 62, 29), ("63.5x38.1", 63.5, 38.1),
        ("10x500", 10, 500),
    ])
    func sizes(text: String, width: Double, height: Double) {
        #expect(LabelSize(text) == LabelSize(width: width, height: height))
    }

    @Test(arguments: [
        "", "mm", "x", "62x", "x29", "4cm", "40 mm", "-40mm", "+40", "9.99", "501", "500.01", "nan", "inf",
        "1e2",
        "0x40", "62x29x3", "62X29", "40.", ".5", "40.123", "40mmx20mm", "99999", "４0mm", "40mmmm",
    ])
    func noSizes(text: String) { #expect(LabelSize(text) == nil) }

    @Test func grids() {
        #expect(SheetGrid("3x8").map { [$0.columns, $0.rows] } == [3, 8])
        #expect(SheetGrid("99x1").map { [$0.columns, $0.rows] } == [99, 1])
        for text in [
            "", "3", "3x", "x8", "0x3", "3x0", "100x100", "-3x8", "+3x8", "3*8", "3x8x1", "3 x 8", "３x8",
        ] {
            #expect(SheetGrid(text) == nil, "\(text)")
        }
    }

    @Test func descriptions() {
        #expect("\(LabelSize(width: 62, height: 29.04))" == "62x29mm")
        #expect("\(LabelSize(width: 63.5, height: 38.14))" == "63.5x38.1mm")
    }
}

@Suite struct LabelLayoutTests {
    /// Text of 200 letters, each half as wide as the text is high; nil under 10 letters a line.
    private func height(_ fontSize: Double, _ width: Double) -> Double? {
        let size = fontSize * 25.4 / 72
        let letters = (width / (size / 2)).rounded(.down)
        return letters < 10 ? nil : (200 / letters).rounded(.up) * size * 1.2
    }

    @Test(
        arguments: [41, 45], [(40.0, 40.0), (62, 29), (29, 62), (70, 37), (210, 297), (500, 20), (20, 500)])
    func `nothing overlaps or leaves the label`(modules: Int, side: (width: Double, height: Double)) throws {
        let rules = LabelLayout.Rules(fontSizes: [4, 6, 8, 12], largestCode: 90, margin: 2, codeMargin: 2)
        let label = LabelSize(width: side.width, height: side.height)
        guard let layout = LabelLayout(of: label, modules: modules, rules: rules, textHeight: height) else {
            #expect(min(side.width, side.height) == 20)
            return
        }
        let text = try #require(height(layout.fontSize, layout.text.width))
        #expect(layout.code.side <= 90)
        #expect(layout.code.side >= LabelLayout.smallestModule * Double(modules))
        #expect(layout.code.x >= 1.99 && layout.code.x + layout.code.side <= side.width - 1.99)
        #expect(layout.code.y >= 1.99 && layout.code.y + layout.code.side <= side.height - 1.99)
        #expect(layout.text.x >= 1.99 && layout.text.x + layout.text.width <= side.width - 1.99)
        #expect(layout.text.y >= 1.99 && layout.text.y + text <= side.height - 1.99)
        if layout.isBelow {
            #expect(layout.text.y > layout.code.y + layout.code.side)
        } else {
            #expect(layout.text.x > layout.code.x + layout.code.side)
        }
    }

    @Test(arguments: [(40.0, 40.0), (62, 29), (29, 62), (70, 37), (105, 59), (35, 80), (200, 29)])
    func `modules are whole steps if there is room for that`(side: (width: Double, height: Double)) throws {
        let label = LabelSize(width: side.width, height: side.height)
        var rules = LabelLayout.Rules(fontSizes: [4, 6, 8, 12], largestCode: 90, margin: 2, codeMargin: 1)
        let free = try #require(LabelLayout(of: label, modules: 41, rules: rules, textHeight: height))
        for step in [0.01, 0.17, 0.3, 0.41, 5] {
            rules.moduleStep = step
            let layout = try #require(LabelLayout(of: label, modules: 41, rules: rules, textHeight: height))
            let module = layout.code.side / 41
            let steps = module / step
            #expect(module >= LabelLayout.smallestModule - 1e-9)
            #expect(layout.code.x >= 0.99 && layout.code.y >= 0.99)
            #expect(layout.code.x + layout.code.side <= side.width - 0.99)
            #expect(layout.code.y + layout.code.side <= side.height - 0.99)
            #expect(layout.text.x >= 1.99 && layout.text.x + layout.text.width <= side.width - 1.99)
            if step == 5 {
                #expect(abs(layout.code.side - free.code.side) < 1e-9, "without a step that fits")
            } else if free.code.side / 41 >= 2 * step {
                #expect(abs(steps - steps.rounded()) < 1e-9, "\(module) is no multiple of \(step)")
            }
        }
    }

    @Test func `a label that cannot hold both has no layout`() {
        let rules = LabelLayout.Rules(fontSizes: [4, 8], largestCode: 90, margin: 2, codeMargin: 2)
        for size in [LabelSize(width: 10, height: 10), LabelSize(width: 25, height: 25)] {
            #expect(LabelLayout(of: size, modules: 41, rules: rules, textHeight: height) == nil)
        }
        let large = LabelSize(width: 500, height: 500)
        #expect(LabelLayout(of: large, modules: 41, rules: rules) { _, _ in nil } == nil)
    }
}
