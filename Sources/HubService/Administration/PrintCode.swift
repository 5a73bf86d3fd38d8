package import Pairing
package import QRCodes

/// Draws pairing codes, and reads every drawing again before anybody sees it.
package struct PrintCode {
    /// How a code is drawn.
    package enum Format: String, CaseIterable, Sendable {
        /// Half blocks or ASCII, one string a line.
        case terminal
        case png
        case svg
        /// A page, a label or a sheet of labels, with text.
        case pdf
        /// The code's text, for scripts and other makers of QR codes.
        case text
    }

    /// A code as it is handed out.
    package enum Drawing: Sendable {
        /// For a terminal: lines of one width each, to which captions may be added.
        case lines([String], columns: Int)
        /// A whole file, and how many characters of the hub's name no font here has.
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

    private let codes: [PairingCode]
    private let hub: HubDescription
    private let format: Format
    private let style: TerminalStyle
    private let columns: Int?
    private let medium: PrintMedium

    /// - Parameters:
    ///   - codes: at least one. PDF sheets take as many as they have labels, and repeat them if there are
    ///     fewer; the other formats draw the first.
    ///   - columns: of the terminal; ASCII makes its quiet zone smaller to fit. Nil without a terminal.
    package init(
        _ codes: [PairingCode], of hub: HubDescription, as format: Format, style: TerminalStyle,
        columns: Int?,
        medium: PrintMedium
    ) {
        (self.codes, self.hub, self.format) = (codes, hub, format)
        (self.style, self.columns, self.medium) = (style, columns, medium)
    }

    /// Draws the codes.
    ///
    /// - Throws: `QREncodeError`; `PDFError`; `RenderError` if a drawing does not read as its code again.
    package func run() throws -> Drawing {
        let symbols = try codes.map(PrintCode.symbol)
        guard let code = codes.first, let symbol = symbols.first else { throw QREncodeError.empty }
        switch format {
        case .terminal:
            var quietZone = QRSymbol.quietZone
            if style == .ascii || style == .ascii.inverted, let columns {
                let room = (columns / style.columnsPerModule - symbol.modulesPerSide) / 2
                quietZone = min(
                    max(room, PrintCode.asciiQuietZone.lowerBound), PrintCode.asciiQuietZone.upperBound)
            }
            let lines = symbol.terminalLines(style: style, quietZone: quietZone)
            try symbol.verify(terminalLines: lines, style: style)
            return .lines(lines, columns: (symbol.modulesPerSide + 2 * quietZone) * style.columnsPerModule)
        case .png:
            let png = try symbol.png(pixelsPerModule: PrintCode.pixelsPerModule)
            try symbol.verify(png: png)
            return .file(png, unknownCharacters: 0)
        case .svg:
            let svg = symbol.svg(title: "hubpair: \(hub.name)")
            try symbol.verify(svg: svg)
            return .file(Array(svg.utf8), unknownCharacters: 0)
        case .pdf:
            let labels = zip(codes, symbols).map { code, symbol in
                CodeLabel(symbol: symbol, texts: CodeWording.texts(for: code, hub: hub))
            }
            let pdf = try PDFRendering.draw(labels, on: medium, title: "hubpair: \(hub.name)")
            return .file(pdf.bytes, unknownCharacters: pdf.unknownCharacters)
        case .text:
            return .file(Array((code.text + "\n").utf8), unknownCharacters: 0)
        }
    }

    private static func symbol(of code: PairingCode) throws -> QRSymbol {
        let text = code.text
        // What cannot be read back must not leave, whichever way it is drawn.
        guard try PairingCode(text: text) == code else { throw RenderError.unreadable("text") }
        return try QRSymbol.encode(Array(text.utf8))
    }
}
