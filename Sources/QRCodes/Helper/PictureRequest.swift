package import FoundationEssentials
import Glibc
package import Identity

/// What `hubpair-picture` is asked: one line of JSON, and behind it the bytes of the picture to search.
package enum PictureRequest: Codable, Equatable, Sendable {
    case search(ImageScan, ImageFormat)
    case draw(CodeDrawing)

    /// The longest line: a sheet of labels with all their texts has some hundred kilobytes.
    package static let maximumByteCount = 16 << 20

    package func line() throws -> [UInt8] { try Array(JSONEncoder().encode(self)) + [0x0A] }

    /// - Throws: `DecodingError` for anything that `line` does not write.
    package init(line: some Sequence<UInt8>) throws {
        self = try JSONDecoder().decode(PictureRequest.self, from: Data(line))
    }
}

/// What it answers: lines of JSON. The last line counts. Whoever reads it trusts none of it: the picture may
/// have taken the program over.
package enum PictureAnswer: Codable, Equatable, Sendable {
    /// What was found until now, if the time is over before the search is.
    case kept(ImageScanOutcome)
    /// All that was found. The drawing of what was seen stands apart: as numbers it would be four times as
    /// long.
    case found(ImageScanOutcome, explanation: Data?)
    case lines([String], columns: Int)
    case file(Data, unknownCharacters: Int)
    case failed(PictureFailure)

    /// The longest line: the drawing at a coarse scale, in base64, or a sheet of labels.
    package static let maximumByteCount = 24 << 20

    package func line() throws -> [UInt8] { try Array(JSONEncoder().encode(self)) + [0x0A] }

    /// - Throws: `PictureProgramError.nonsense` for anything that the program never writes.
    package init(line: some Sequence<UInt8>) throws(PictureProgramError) {
        guard let answer = try? JSONDecoder().decode(PictureAnswer.self, from: Data(line)),
            answer.isPossible
        else { throw .nonsense }
        self = answer
    }

    /// False for values that no search and no drawing has.
    private var isPossible: Bool {
        switch self {
        case .kept(let outcome), .found(let outcome, _): outcome.isPossible
        case .lines(let lines, let columns):
            (1...1_000).contains(columns) && (1...1_000).contains(lines.count)
                && lines.allSatisfy(TerminalStyle.isDrawn)
        case .file(_, let unknownCharacters): unknownCharacters >= 0
        case .failed: true
        }
    }
}

extension ImageScanOutcome {
    fileprivate var isPossible: Bool {
        let counts = [
            width, height, result.incompleteStructuredAppends, result.emptyCodes, result.unread,
        ]
        return explanation == nil && counts.allSatisfy { $0 >= 0 }
            && result.codes.allSatisfy { code in
                !code.payload.isEmpty
                    && code.corners.allSatisfy { Int32(exactly: $0.x) != nil && Int32(exactly: $0.y) != nil }
            }
    }
}

/// The errors of a search and of a drawing, on their way through the pipe.
package enum PictureFailure: Codable, Equatable, Sendable {
    case image(ImageError)
    case search(QRScanError)
    case encoding(QREncodeError)
    case drawing(RenderError)
    case page(PDFError)
    case program(PictureProgramError)

    package init(_ error: any Error) {
        self =
            switch error {
            case let error as ImageError: .image(error)
            case let error as QRScanError: .search(error)
            case let error as QREncodeError: .encoding(error)
            case let error as RenderError: .drawing(error)
            case let error as PDFError: .page(error)
            case let error as PictureProgramError: .program(error)
            default: .program(.nonsense)
            }
    }

    package var error: any UserError {
        switch self {
        case .image(let error): error
        case .search(let error): error
        case .encoding(let error): error
        case .drawing(let error): error
        case .page(let error): error
        case .program(let error): error
        }
    }
}

/// Why `hubpair-picture` is of no use. `description` is shown to the user.
package enum PictureProgramError: Codable, Equatable, UserError {
    /// It is not where it belongs.
    case missing
    /// It cannot be started; the errno.
    case notStarted(Int32)
    /// The kernel cannot lock it in; the errno.
    case notLocked(Int32)
    /// Its answer is none, or far too long.
    case nonsense
    /// It ended while it drew, or went on for ever.
    case dead

    package var description: String {
        switch self {
        case .missing: "the program hubpair-picture, which reads and draws pictures, is not installed"
        case .notStarted(let code):
            "the program hubpair-picture cannot be started: "
                + String(cString: strerror(code)).lowercased()
        case .notLocked(let code):
            "this system cannot lock in the program that reads pictures: "
                + String(cString: strerror(code)).lowercased()
        case .nonsense: "the program that reads pictures answers nonsense"
        case .dead: "the program that draws pictures has ended without an answer"
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .missing, .notLocked: .unavailable
        case .notStarted, .dead: .tryAgain
        case .nonsense: .data
        }
    }

    package var hint: String? {
        switch self {
        case .missing, .notStarted(EACCES), .notStarted(ENOENT), .notStarted(ENOEXEC):
            "install hubpair again: hubpair-picture belongs beside it or in libexec/hubpair"
        case .notStarted: "close other programs and try again"
        case .notLocked: "a kernel with seccomp (CONFIG_SECCOMP_FILTER) is needed"
        case .nonsense: "if the picture comes from a stranger, do not trust it; else restart hubpair"
        case .dead: "try again, or choose another format"
        }
    }
}
