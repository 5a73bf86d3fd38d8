package import Identity

/// Why a drawing of a QR code is refused. `description` is shown to the user.
package enum RenderError: Equatable, UserError {
    /// A module of this many pixels is out of range.
    case pixelsPerModule(Int)
    /// libpng cannot write the file; its message.
    case notWritten(String)
    /// The drawing (`PNG`, `SVG`, `terminal`) was read back, and it does not hold the right payload.
    case unreadable(String)

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .pixelsPerModule(let count): "a module of \(count) pixels is out of range"
        case .notWritten(let message): "the PNG image cannot be written: \(message)"
        case .unreadable(let kind):
            "the drawing (\(kind)) was read again to check it, and it does not say what it should"
        }
    }

    package var kind: UserErrorKind { .tryAgain }

    /// How to mend it.
    package var hint: String? {
        let range = QRSymbol.pixelsPerModuleRange
        return switch self {
        case .pixelsPerModule: "choose \(range.lowerBound) to \(range.upperBound)"
        case .notWritten: "close other programs and try again"
        case .unreadable: "choose another format, and report this as a fault of hubpair"
        }
    }
}

/// Every drawing is read back by libzbar, and the payload compared byte for byte, before it is handed out.
enum DrawingCheck {
    /// Pixels per module in a picture that is made only for the check. libzbar reads every version at this
    /// size. More pixels would cost time: the check is most of the work of drawing a code.
    static let pixelsPerModule = 4
}

extension QRSymbol {
    /// Checks that `image` holds this symbol's payload and no other code.
    func verify(_ image: LuminanceImage, drawnAs kind: String) throws(RenderError) {
        guard let result = try? ZBarSearch.run(image), result.codes.map(\.payload) == [payload],
            result.incompleteStructuredAppends == 0, result.emptyCodes == 0
        else { throw .unreadable(kind) }
    }
}
