public import Identity

/// Why a drawing of a QR code is refused. `description` is shown to the user.
public enum RenderError: Equatable, UserError {
    /// A module of this many pixels is out of range.
    case pixelsPerModule(Int)
    /// libpng cannot write the file; its message.
    case notWritten(String)
    /// The drawing (`PNG`, `SVG`, `terminal`) was read back, and does not contain the right payload.
    case unreadable(String)
    /// It could not be read back: the library for that is not installed.
    case unchecked

    /// What is wrong, in lower case, without a full stop.
    public var description: String {
        switch self {
        case .pixelsPerModule(let count): "a module of \(count) pixels is out of range"
        case .notWritten(let message): "the PNG image cannot be written: \(message)"
        case .unchecked: QRScanError.missingLibrary.description
        case .unreadable(let kind):
            "the drawing (\(kind)) was read again to check it, and it does not say what it should"
        }
    }

    /// What a program does with it; the command's exit code follows from it.
    public var kind: UserErrorKind { self == .unchecked ? QRScanError.missingLibrary.kind : .tryAgain }

    /// How to fix it; nil if there is no advice.
    public var hint: String? {
        let range = QRSymbol.pixelsPerModuleRange
        return switch self {
        case .pixelsPerModule: "choose \(range.lowerBound) to \(range.upperBound)"
        case .notWritten: "close other programs and try again"
        case .unchecked: QRScanError.missingLibrary.hint
        case .unreadable: "choose another format, and report this as a fault of hubpair"
        }
    }
}

/// Every drawing is read back by libzbar, and its payload compared byte for byte, before it is returned.
enum DrawingCheck {
    /// Pixels per module in a picture that is made only for the check. libzbar reads every version at this
    /// size. More pixels would take more time, and the check is most of the work of drawing a code.
    static let pixelsPerModule = 4
}

extension QRSymbol {
    /// Checks that `image` holds this symbol's payload and no other code.
    func verify(_ image: LuminanceImage, drawnAs kind: String) throws(RenderError) {
        do {
            _ = try ZBarLibrary.load()
        } catch {
            throw .unchecked
        }
        guard let result = try? ZBarSearch.run(image), result.codes.map(\.payload) == [payload],
            result.incompleteStructuredAppends == 0, result.emptyCodes == 0
        else { throw .unreadable(kind) }
    }
}
