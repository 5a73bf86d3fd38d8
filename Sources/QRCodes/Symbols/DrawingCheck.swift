public import Identity

/// Why a drawing of a QR code is refused. `description` is shown to the user.
public enum RenderError: Codable, Equatable, UserError {
    /// A module of this many pixels is out of range.
    case pixelsPerModule(Int)
    /// libpng cannot write the file; its message.
    case notWritten(String)
    /// libpng cannot be loaded.
    case missingLibrary
    /// The drawing (`PNG`, `SVG`, `terminal`) was read back, and does not contain the right payload.
    case unreadable(String)
    /// A page could not be read back: the library for that is not installed.
    case unchecked

    /// What is wrong, in lower case, without a full stop.
    public var description: String {
        switch self {
        case .pixelsPerModule(let count): "a module of \(count) pixels is out of range"
        case .notWritten(let message): "the PNG image cannot be written: \(message)"
        case .missingLibrary: "the library libpng is not installed"
        case .unchecked: QRScanError.missingLibrary.description
        case .unreadable(let kind):
            "the drawing (\(kind)) was read again to check it, and it does not say what it should"
        }
    }

    /// What a program does with it; the command's exit code follows from it.
    public var kind: UserErrorKind {
        switch self {
        case .missingLibrary: .unavailable
        case .unchecked: QRScanError.missingLibrary.kind
        case .pixelsPerModule, .notWritten, .unreadable: .tryAgain
        }
    }

    /// How to fix it; nil if there is no advice.
    public var hint: String? {
        let range = QRSymbol.pixelsPerModuleRange
        return switch self {
        case .pixelsPerModule: "choose \(range.lowerBound) to \(range.upperBound)"
        case .notWritten: "close other programs and try again"
        case .missingLibrary: "apt install libpng16-16"
        case .unchecked: QRScanError.missingLibrary.hint
        case .unreadable: "choose another format, and report this as a fault of hubpair"
        }
    }
}

/// Every drawing is read back, and its payload compared byte for byte, before it is returned.
enum DrawingCheck {
    /// Pixels per module in a picture that is made only for the check. All of them are looked at: half a
    /// module in the wrong colour shows.
    static let pixelsPerModule = 4
}

extension QRSymbol {
    /// Checks that `image` shows this symbol and its quiet zone, and that its modules hold the payload.
    /// Nothing is corrected: what is drawn has no error.
    ///
    /// Below the quiet zone one more light row is allowed: half blocks come in pairs.
    ///
    /// - Parameter scale: pixels per module, at least 1.
    func verify(
        modules image: LuminanceImage, scale: Int = DrawingCheck.pixelsPerModule, drawnAs kind: String
    ) throws(RenderError) {
        guard let quietZone = quietZone(of: image, scale: scale),
            shows(image, scale: scale, quietZone: quietZone), message == payload
        else { throw .unreadable(kind) }
    }

    /// Checks that libzbar finds this symbol's payload in a picture, and no other code.
    func verify(picture image: LuminanceImage, drawnAs kind: String) throws(RenderError) {
        do {
            _ = try ZBarLibrary.load()
        } catch {
            throw .unchecked
        }
        guard let result = try? ZBarSearch.run(image), result.codes.map(\.payload) == [payload],
            result.incompleteStructuredAppends == 0, result.emptyCodes == 0
        else { throw .unreadable(kind) }
    }

    /// The light border around the modules, at least one; nil if the picture has another shape.
    private func quietZone(of image: LuminanceImage, scale: Int) -> Int? {
        let (columns, rows) = (image.width / scale, image.height / scale)
        let border = columns - modulesPerSide
        guard image.width % scale == 0, image.height % scale == 0, border >= 2, border % 2 == 0,
            rows == columns || rows == columns + 1
        else { return nil }
        return border / 2
    }

    /// True if each pixel has the colour of its module.
    private func shows(_ image: LuminanceImage, scale: Int, quietZone: Int) -> Bool {
        var at = 0
        for y in 0..<image.height {
            for x in 0..<image.width / scale {
                let isDark = isDark(x: x - quietZone, y: y / scale - quietZone)
                for _ in 0..<scale {
                    guard (image.pixels[at] < 128) == isDark else { return false }
                    at += 1
                }
            }
        }
        return true
    }

    /// What the modules say, read by another program than the one that has set them.
    private var message: [UInt8]? {
        let patterns = FunctionPatterns(version: version)
        guard patterns.side == modulesPerSide else { return nil }
        for y in 0..<modulesPerSide {
            for x in 0..<modulesPerSide {
                switch patterns[x, y] {
                case .dark where !isDark(x: x, y: y), .light where isDark(x: x, y: y): return nil
                default: break
                }
            }
        }
        // Bit 14 first; both copies must be the same, and one of the 32 that exist.
        let formats = [0, 1].map { copy in
            (0..<15).reduce(0) { format, bit in
                let place = patterns.formatPlaces(14 - bit)[copy]
                return format << 1 | (isDark(x: place.x, y: place.y) ? 1 : 0)
            }
        }
        let isLight = (0..<modulesPerSide * modulesPerSide).map { index in
            !isDark(x: index % modulesPerSide, y: index / modulesPerSide)
        }
        guard formats[0] == formats[1], FunctionPatterns.formats.contains(formats[0]),
            let data = SymbolMatrix.data(
                of: isLight, format: formats[0], patterns: patterns, corrects: false),
            case .bytes(let message, _) = SymbolMessage(data, version: version)
        else { return nil }
        return message
    }
}
