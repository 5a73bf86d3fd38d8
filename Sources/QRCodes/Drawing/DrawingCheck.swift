import FoundationEssentials
package import Identity

/// Why a drawing of a QR code is not handed out. The description is what the user reads.
package enum RenderError: Equatable, UserError {
    /// A module was to be this many pixels wide, outside the range.
    case pixelsPerModule(Int)
    /// libpng does not write the file; its message.
    case notWritten(String)
    /// What was drawn (`PNG`, `SVG`, `terminal`) was read again and is not the code that it should be.
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
        switch self {
        case .pixelsPerModule:
            "choose \(QRSymbol.pixelsPerModuleRange.lowerBound) to \(QRSymbol.pixelsPerModuleRange.upperBound)"
        case .notWritten: "close other programs and try again"
        case .unreadable: "choose another format, and report this as a fault of hubpair"
        }
    }
}

/// The check of what was drawn: it is read again by the scanner that reads photos, and compared byte for byte.
enum DrawingCheck {
    /// How wide a module is in a picture that is made only to be checked: wide enough for libzbar at every
    /// version, and few pixels, since the check is most of the work of drawing a code.
    static let pixelsPerModule = 4
}

extension QRSymbol {
    /// Makes sure that `image` holds this symbol's payload and no other code.
    func verify(_ image: LuminanceImage, drawnAs kind: String) throws(RenderError) {
        guard let result = try? ZBarSearch.run(image), result.codes.map(\.payload) == [payload],
            result.incompleteStructuredAppends == 0, result.emptyCodes == 0
        else { throw .unreadable(kind) }
    }
}
