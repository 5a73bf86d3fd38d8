/// How codes are drawn, and what drawing them makes.
package struct CodeDrawing: Codable, Equatable, Sendable {
    /// What is drawn.
    package enum Form: Codable, Equatable, Sendable {
        /// Lines for a terminal; ASCII makes its quiet zone smaller to fit so many columns.
        case terminal(TerminalStyle, columns: Int?)
        case png
        case svg(title: String)
        /// A page, with the texts beside each code.
        case pdf([[LabelText]], PrintMedium, title: String)
    }

    /// A drawing that has been read again.
    package enum Drawn: Equatable, Sendable {
        /// For a terminal: lines of one width each.
        case lines([String], columns: Int)
        /// A whole file, and how many characters of its text no font here has.
        case file([UInt8], unknownCharacters: Int)
    }

    /// The side of a module in a PNG: 8 pixels print sharply at a hand's width at 150 dpi, and keep the
    /// file small.
    private static let pixelsPerModule = 8
    /// ISO/IEC 18004 asks for a quiet zone of 4; in ASCII 4 do not fit 80 columns, and 2 still read.
    private static let asciiQuietZone = 2...QRSymbol.quietZone

    /// The columns that ASCII needs at least for a code of this many modules a side.
    package static func asciiColumns(modulesPerSide: Int) -> Int {
        (modulesPerSide + 2 * asciiQuietZone.lowerBound) * TerminalStyle.ascii.columnsPerModule
    }

    /// What the codes hold. Every form but a page draws the first.
    package var payloads: [[UInt8]]
    package var form: Form

    package init(_ payloads: [[UInt8]], as form: Form) { (self.payloads, self.form) = (payloads, form) }

    /// Draws in this process.
    ///
    /// - Throws: `QREncodeError`; `PDFError`; `RenderError` if a drawing does not read as its code again.
    package func run() throws -> Drawn {
        let symbols = try payloads.map { try QRSymbol.encode($0) }
        guard let symbol = symbols.first else { throw QREncodeError.empty }
        switch form {
        case .terminal(let style, let columns):
            var quietZone = QRSymbol.quietZone
            if style == .ascii || style == .ascii.inverted, let columns {
                let room = (columns / style.columnsPerModule - symbol.modulesPerSide) / 2
                quietZone = min(
                    max(room, CodeDrawing.asciiQuietZone.lowerBound), CodeDrawing.asciiQuietZone.upperBound)
            }
            let lines = symbol.terminalLines(style: style, quietZone: quietZone)
            try symbol.verify(terminalLines: lines, style: style)
            return .lines(lines, columns: (symbol.modulesPerSide + 2 * quietZone) * style.columnsPerModule)
        case .png:
            let png = try symbol.png(pixelsPerModule: CodeDrawing.pixelsPerModule)
            try symbol.verify(png: png)
            return .file(png, unknownCharacters: 0)
        case .svg(let title):
            let svg = symbol.svg(title: title)
            try symbol.verify(svg: svg)
            return .file(Array(svg.utf8), unknownCharacters: 0)
        case .pdf(let texts, let medium, let title):
            let labels = zip(symbols, texts).map { CodeLabel(symbol: $0, texts: $1) }
            let pdf = try PDFRendering.draw(labels, on: medium, title: title)
            return .file(pdf.bytes, unknownCharacters: pdf.unknownCharacters)
        }
    }
}
