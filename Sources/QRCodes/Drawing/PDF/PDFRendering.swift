import CCairo

/// A code with its text.
package struct CodeLabel: Equatable, Sendable {
    package let symbol: QRSymbol
    package let texts: [LabelText]

    package init(symbol: QRSymbol, texts: [LabelText]) {
        self.symbol = symbol
        self.texts = texts
    }
}

/// A PDF file of codes.
package struct PDFDocument: Equatable, Sendable {
    package let bytes: [UInt8]
    /// The number of characters in the text for which no font on this machine has a glyph; boxes are drawn
    /// for them.
    package let unknownCharacters: Int
}

/// Draws labels with Cairo: codes as filled rectangles, text with embedded fonts.
package enum PDFRendering {
    /// Every code must be readable at this resolution, that of a modest printer or of a camera at arm's
    /// length.
    static let dotsPerInch = 150.0

    /// A PDF of one page. Each code is read back from a picture of the page at the printed size and 150 dpi.
    ///
    /// - Parameters:
    ///   - labels: At least one, with codes of one size. Fewer labels than the medium has are repeated.
    ///   - title: The title of a viewer's window.
    /// - Throws: `PDFError`; `RenderError.unreadable` if a code does not read back as it should.
    package static func draw(_ labels: [CodeLabel], on medium: PrintMedium, title: String) throws
        -> PDFDocument
    {
        guard !labels.isEmpty else { throw RenderError.unreadable("PDF") }
        let library = try CairoLibrary.load()
        let typesetter = try LabelTypesetter(library)
        let page = try LabelledPage(labels, on: medium, typesetter: typesetter)

        let picture = try CairoSurface.picture(library, size: page.size, dotsPerInch: dotsPerInch)
        _ = page.draw(on: picture, library: library, typesetter: typesetter)
        try picture.check()
        for place in page.places {
            func pixel(_ length: Double) -> Int { Int(length * dotsPerInch / 25.4) }
            let image = picture.pixels(
                x: pixel(place.x), y: pixel(place.y), width: pixel(page.cell.width) + 1,
                height: pixel(page.cell.height) + 1, of: page.size, dotsPerInch: dotsPerInch)
            guard let image else { throw RenderError.unreadable("PDF") }
            try place.label.symbol.verify(picture: image, drawnAs: "PDF")
        }

        let pdf = try CairoSurface.pdf(library, size: page.size, title: title)
        let unknown = page.draw(on: pdf, library: library, typesetter: typesetter)
        return PDFDocument(bytes: try pdf.finishedFile(), unknownCharacters: unknown)
    }
}

/// The places of labels on a page. Lengths are millimetres.
struct LabelledPage {
    let size: LabelSize
    let cell: LabelSize
    /// Each label with its upper left corner.
    let places: [(x: Double, y: Double, label: CodeLabel)]
    private let layout: LabelLayout
    /// True to draw lines between labels that show where to cut; on a sheet of stickers they are on the
    /// existing cuts.
    private let hasCutLines: Bool
    /// True if codes begin on whole dots of `PDFRendering.dotsPerInch`.
    private let isOnDots: Bool

    init(_ labels: [CodeLabel], on medium: PrintMedium, typesetter: borrowing LabelTypesetter)
        throws(PDFError)
    {
        let labelSizes = [48.0, 36, 24, 18, 14, 12, 11, 10, 9, 8, 7, 6.5, 6, 5.5, 5, 4.5]
        var rules = LabelLayout.Rules(
            fontSizes: labelSizes, largestCode: .infinity, margin: 1.5, codeMargin: 1.5)
        var grid: SheetGrid?
        switch medium {
        case .page(let paper):
            size = paper.size
            cell = size
            rules = .init(fontSizes: [13], largestCode: 90, margin: 25, codeMargin: 25)
        case .label(let label):
            size = label
            cell = label
        case .sheet(let wanted, let paper, let label):
            grid = wanted
            size = paper.size
            let share = LabelSize(
                width: size.width / Double(wanted.columns), height: size.height / Double(wanted.rows))
            cell = label ?? share
            guard cell.width <= share.width, cell.height <= share.height else {
                throw .sheetTooLarge(wanted, paper, each: cell)
            }
            // zbar 0.23.92 combines any three finder patterns of a picture, first those that most of its scan
            // lines cross, and each wrong combination spoils what it knows of their edges (qr_finder_ransac
            // in qrdec.c overwrites points that it means to swap). Where rounding made some patterns a dot
            // larger, it lost codes of every second or third sheet. Patterns that are all alike are combined
            // in the order of the page, the right ones soon.
            rules.moduleStep = 25.4 / PDFRendering.dotsPerInch
            // Many printers cannot print on the outer 4 mm of the paper; a quiet zone may be there.
            if label == nil {
                rules.margin = 4
                rules.codeMargin = 4 - LabelLayout.smallestModule * Double(QRSymbol.quietZone)
            }
        }
        guard let first = labels.first,
            let layout = LabelledPage.layout(first, in: cell, rules: rules, typesetter: typesetter)
        else {
            if case .sheet(let grid, let paper, nil) = medium {
                throw .tooManyLabels(grid, paper, each: cell)
            }
            let enough = LabelledPage.enough(for: labels, like: cell, rules: rules, typesetter: typesetter)
            throw .labelTooSmall(cell, enough: enough)
        }
        self.layout = layout
        let (columns, rows) = (grid?.columns ?? 1, grid?.rows ?? 1)
        let left = (size.width - cell.width * Double(columns)) / 2
        let top = (size.height - cell.height * Double(rows)) / 2
        hasCutLines = columns * rows > 1 || cell != size
        isOnDots = rules.moduleStep != nil
        var places: [(x: Double, y: Double, label: CodeLabel)] = []
        for index in 0..<columns * rows {
            places.append(
                (
                    x: left + cell.width * Double(index % columns),
                    y: top + cell.height * Double(index / columns), label: labels[index % labels.count]
                ))
        }
        self.places = places
    }

    private static func layout(
        _ label: CodeLabel, in cell: LabelSize, rules: LabelLayout.Rules,
        typesetter: borrowing LabelTypesetter
    ) -> LabelLayout? {
        LabelLayout(of: cell, modules: label.symbol.framedSide, rules: rules) { fontSize, width in
            typesetter.height(of: label.texts, fontSize: fontSize, width: width)
        }
    }

    /// A size of the same shape as `cell` in which the label fits, in whole millimetres.
    private static func enough(
        for labels: [CodeLabel], like cell: LabelSize, rules: LabelLayout.Rules,
        typesetter: borrowing LabelTypesetter
    ) -> LabelSize? {
        guard let first = labels.first else { return nil }
        var scale = 1.0
        while true {
            scale *= 1.02
            let larger = LabelSize(
                width: (cell.width * scale).rounded(.up), height: (cell.height * scale).rounded(.up))
            guard max(larger.width, larger.height) <= LabelSize.range.upperBound else { return nil }
            if layout(first, in: larger, rules: rules, typesetter: typesetter) != nil { return larger }
        }
    }

    /// Draws the page. Returns the number of characters that no font has.
    func draw(
        on surface: CairoSurface, library: CairoLibrary, typesetter: borrowing LabelTypesetter
    ) -> Int {
        let cairo = library.cairo
        let context = surface.context
        var unknown = 0
        if hasCutLines { drawCutLines(on: context, with: cairo) }
        cairo.cairo_set_source_rgb(context, 0, 0, 0)
        for place in places {
            printedSymbol(of: place).addPath(to: context, with: cairo)
            cairo.cairo_fill(context)
            unknown += typesetter.draw(
                place.label.texts, on: context, x: place.x + layout.text.x, y: place.y + layout.text.y,
                fontSize: layout.fontSize, width: layout.text.width, isCentred: layout.isBelow)
        }
        return unknown
    }

    /// The code in its place.
    func printedSymbol(of place: (x: Double, y: Double, label: CodeLabel)) -> PrintedSymbol {
        let symbol = place.label.symbol
        let module = points(layout.code.side) / Double(symbol.framedSide)
        func first(_ corner: Double) -> Double {
            let edge = points(corner) + module * Double(QRSymbol.quietZone)
            return isOnDots ? (edge / PrintedSymbol.dot).rounded() * PrintedSymbol.dot : edge
        }
        return PrintedSymbol(
            symbol: symbol, left: first(place.x + layout.code.x), top: first(place.y + layout.code.y),
            module: module)
    }

    /// Around every label, but not on the paper's edge.
    private func drawCutLines(on context: OpaquePointer, with cairo: hubpair_cairo) {
        let across = Set(places.flatMap { [$0.x, $0.x + cell.width] })
        let down = Set(places.flatMap { [$0.y, $0.y + cell.height] })
        guard let left = across.min(), let right = across.max(), let top = down.min(), let bottom = down.max()
        else { return }
        cairo.cairo_set_source_rgb(context, 0.6, 0.6, 0.6)
        cairo.cairo_set_line_width(context, points(0.1))
        for x in across.sorted() where x > 0.1 && x < size.width - 0.1 {
            cairo.cairo_move_to(context, points(x), points(top))
            cairo.cairo_line_to(context, points(x), points(bottom))
        }
        for y in down.sorted() where y > 0.1 && y < size.height - 0.1 {
            cairo.cairo_move_to(context, points(left), points(y))
            cairo.cairo_line_to(context, points(right), points(y))
        }
        cairo.cairo_stroke(context)
    }
}
