package import Identity

/// Why a PDF of codes is not made. `description` is shown to the user.
package enum PDFError: Codable, Equatable, UserError {
    /// The code and its text do not fit a label of this size. `enough`: a size of the same shape that is
    /// large enough, or nil if that is over 500 mm.
    case labelTooSmall(LabelSize, enough: LabelSize?)
    /// With this many labels each one has this size, which is too small.
    case tooManyLabels(SheetGrid, PaperSize, each: LabelSize)
    /// This many labels of this size are larger than the paper.
    case sheetTooLarge(SheetGrid, PaperSize, each: LabelSize)
    /// Cairo or Pango is not installed; the loader's message.
    case missingLibrary(String)
    /// There is no font on this machine.
    case noFont
    /// Cairo cannot write the file; its message.
    case notWritten(String)

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .labelTooSmall(let size, _): "a label of \(size) is too small for the code and its text"
        case .tooManyLabels(let grid, let paper, let each):
            "\(grid) labels on \(paper) paper are \(each) each, too small for the code and its text"
        case .sheetTooLarge(let grid, let paper, let each):
            "\(grid) labels of \(each) do not fit on \(paper) paper"
        case .missingLibrary(let message): "the libraries that draw PDF cannot be loaded: \(message)"
        case .noFont: "no font on this machine can write the text of a PDF"
        case .notWritten(let message): "the PDF cannot be written: \(message)"
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .labelTooSmall, .tooManyLabels, .sheetTooLarge: .usage
        case .missingLibrary, .noFont: .unavailable
        case .notWritten: .tryAgain
        }
    }

    /// How to fix it; nil if there is no advice.
    package var hint: String? {
        switch self {
        case .labelTooSmall(_, let enough):
            enough.map { "choose --size \($0) or more" } ?? "choose another shape, like --size 62x29mm"
        case .tooManyLabels, .sheetTooLarge: "choose fewer columns or rows"
        case .missingLibrary:
            "install them: apt install libpangocairo-1.0-0; or choose another format, like png or svg"
        case .noFont: "install one: apt install fonts-dejavu-core"
        case .notWritten: "close other programs and try again"
        }
    }
}
