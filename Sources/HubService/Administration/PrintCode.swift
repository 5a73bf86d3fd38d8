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

    private let codes: [PairingCode]
    private let hub: HubDescription
    private let format: Format
    private let style: TerminalStyle
    private let columns: Int?
    private let medium: PrintMedium
    private let isBare: Bool

    /// - Parameters:
    ///   - codes: at least one. PDF sheets take as many as they have labels, and repeat them if there are
    ///     fewer; the other formats draw the first.
    ///   - columns: of the terminal; ASCII makes its quiet zone smaller to fit. Nil without a terminal.
    ///   - isBare: the code itself, not the address that a phone opens.
    package init(
        _ codes: [PairingCode], of hub: HubDescription, as format: Format, style: TerminalStyle,
        columns: Int?, medium: PrintMedium, isBare: Bool = false
    ) {
        (self.codes, self.hub, self.format) = (codes, hub, format)
        (self.style, self.columns, self.medium, self.isBare) = (style, columns, medium, isBare)
    }

    /// Draws the codes, in a program of its own; any thread may wait for it.
    ///
    /// - Throws: `QREncodeError`; `PDFError`; `PictureProgramError`; `RenderError` if a drawing does not read
    ///   as its code again.
    package func run() throws -> CodeDrawing.Drawn {
        let texts = try codes.map(text)
        guard let first = texts.first else { throw QREncodeError.empty }
        let title = "hubpair: \(hub.name)"
        let form: CodeDrawing.Form
        switch format {
        case .terminal: form = .terminal(style, columns: columns)
        case .png: form = .png
        case .svg: form = .svg(title: title)
        case .pdf:
            form = .pdf(codes.map { CodeWording.texts(for: $0, hub: hub) }, medium, title: title)
        case .text: return .file(Array((first + "\n").utf8), unknownCharacters: 0)
        }
        return try CodeDrawing(texts.map { Array($0.utf8) }, as: form).runApart()
    }

    private func text(of code: PairingCode) throws -> String {
        let text = isBare ? code.text : code.written
        // What cannot be read back must not leave, whichever way it is drawn.
        let isSame = try PairingCode(text: text).at(code.addressHint) == code
        guard isSame else { throw RenderError.unreadable("text") }
        return text
    }
}
