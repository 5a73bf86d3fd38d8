import FoundationEssentials
package import Identity

/// Why no QR code was read in a picture, as far as the picture tells. The description is what the user reads.
package enum ScanDiagnosis: Equatable, UserError {
    /// Nothing looks like one of the three squares in the corners of a QR code.
    case noFinderPattern
    /// There are one or two such squares (this many), and none that belongs to them.
    case fewFinderPatterns(Int)
    /// A code whose modules are this many pixels wide, in hundredths of a pixel.
    case tooSmall(hundredthsOfPixelsPerModule: Int)
    /// A code, or a whole picture, without sharp edges: out of focus, or shaken.
    case blurred
    /// Nearly all of the picture is black: its brightest parts (99 of 100 pixels are darker) have this luma.
    case tooDark(brightest: Int)
    /// Dark and light hardly differ: by this many of 255 steps.
    case lowContrast(steps: Int)
    /// The code reaches over the edge of the picture.
    case cutOff
    /// A code whose place is known and whose modules are seen, with more errors than can be mended: dirt, a
    /// glare, a fold, or something laid over it.
    case damaged
    /// A barcode of another kind, by its name (`EAN-13`), and its bytes.
    case otherSymbology(name: String, payload: [UInt8])

    /// What is wrong, in lower case, without a full stop. Holds no bytes of the picture.
    package var description: String {
        switch self {
        case .noFinderPattern: "nothing in the picture looks like a QR code"
        case .fewFinderPatterns(let count):
            "only \(count == 1 ? "one" : "two") of the three corner squares of a QR code can be seen"
        case .tooSmall(let hundredths):
            "the QR code is too small: \(ScanDiagnosis.decimal(hundredths)) pixels a module"
        case .blurred: "the picture is blurred"
        case .tooDark: "the picture is too dark"
        case .lowContrast: "dark and light hardly differ in the picture"
        case .cutOff: "the QR code is cut off at the edge of the picture"
        case .damaged: "the QR code is there, but too much of it is damaged, covered or in a glare"
        case .otherSymbology(let name, _): "no QR code, but a barcode (\(name))"
        }
    }

    package var kind: UserErrorKind { .data }

    /// What the person with the camera can do.
    package var hint: String? {
        switch self {
        case .noFinderPattern:
            "take the picture again: sharp, straight, with the code's white border, the code filling most of it"
        case .fewFinderPatterns(1):
            "take the picture again with the whole code and its white border in it; a Micro QR code, which has only "
                + "one such square, is no pairing code"
        case .fewFinderPatterns: "take the picture again with the whole code and its white border in it"
        case .tooSmall: "come closer, or crop the image to the code: 3 pixels a module are enough"
        case .blurred: "hold the camera still, let it focus, and take the picture again"
        case .tooDark, .lowContrast: "take the picture again with more light, and none of it reflected"
        case .cutOff: "step back, and take the picture again with the whole code and its white border in it"
        case .damaged: "take the picture again from another angle, without a reflection or a shadow's edge"
        case .otherSymbology: "pairing codes are QR codes; 'hubpair print' on the hub makes one"
        }
    }

    /// A number of hundredths with one digit after the point, such as `1.4`.
    private static func decimal(_ hundredths: Int) -> String {
        let tenths = max(0, hundredths) / 10
        return "\(tenths / 10).\(tenths % 10)"
    }
}
