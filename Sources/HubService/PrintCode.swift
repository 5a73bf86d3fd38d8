package import Pairing
package import QRCodes

/// Draws a pairing code, and reads every drawing again before anybody sees it.
package enum PrintCode {
    /// How a code is drawn.
    package enum Format: String, CaseIterable, Sendable {
        /// Half blocks, one string a line.
        case terminal
        case png
        case svg
        /// The code's text, for scripts and other makers of QR codes.
        case text
    }

    /// A code as it is handed out.
    package enum Drawing: Sendable {
        /// For a terminal: lines of one width each, to which captions may be added.
        case lines([String], columns: Int)
        /// A whole file.
        case file([UInt8])
    }

    /// The side of a module in a PNG: 8 pixels print sharply at a hand's width at 150 dpi, and keep the
    /// file small.
    private static let pixelsPerModule = 8

    /// Draws `code` for the hub called `name`.
    ///
    /// - Throws: `QREncodeError`; `RenderError` if the drawing does not read as the code again.
    package static func run(
        _ code: PairingCode, as format: Format, name: PeerName, style: TerminalStyle
    ) throws -> Drawing {
        let text = code.text
        // What cannot be read back must not leave, whichever way it is drawn.
        guard try PairingCode(text: text) == code else { throw RenderError.unreadable("text") }
        let symbol = try QRSymbol.encode(Array(text.utf8))
        switch format {
        case .terminal:
            let lines = symbol.terminalLines(style: style)
            try symbol.verify(terminalLines: lines, style: style)
            return .lines(lines, columns: symbol.modulesPerSide + 2 * QRSymbol.quietZone)
        case .png:
            let png = try symbol.png(pixelsPerModule: pixelsPerModule)
            try symbol.verify(png: png)
            return .file(png)
        case .svg:
            let svg = symbol.svg(title: "hubpair: \(name)")
            try symbol.verify(svg: svg)
            return .file(Array(svg.utf8))
        case .text:
            return .file(Array((text + "\n").utf8))
        }
    }
}
