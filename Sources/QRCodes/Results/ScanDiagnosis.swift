package import Identity

/// Why no QR code was read in a picture, as far as the picture shows it. `description` is shown to the user.
package enum ScanDiagnosis: Codable, Equatable, UserError {
    /// Nothing looks like one of the three squares in the corners of a QR code.
    case noFinderPattern
    /// Only this many of the three squares were found, one or two.
    case fewFinderPatterns(Int)
    /// A code with modules of this size, in hundredths of a pixel.
    case tooSmall(hundredthsOfPixelsPerModule: Int)
    /// The code or the whole picture has no sharp edges: out of focus, or the camera moved.
    case blurred
    /// Nearly all of the picture is black: 99 of 100 pixels are darker than this luma.
    case tooDark(brightest: Int)
    /// Dark and light differ by only this many of 255 steps.
    case lowContrast(steps: Int)
    /// The code extends beyond the edge of the picture.
    case cutOff
    /// The place of the code is known and its modules are visible, but there are more errors than error
    /// correction can repair: dirt, a glare, a fold, or something laid over it.
    case damaged
    /// The place of the code is known, and nothing else shows why it is not read.
    case unclear
    /// A Micro QR code (ISO/IEC 18004 § 6.3.1), with one finder pattern.
    case microQR
    /// A QR code of Model 1, the one before 1997, whose data have other places.
    case model1
    /// A barcode of another kind: its name (`EAN-13`) and its bytes.
    case otherSymbology(name: String, payload: [UInt8])

    /// What is wrong, in lower case, without a full stop. Contains no bytes of the picture.
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
        case .damaged: "the QR code is there, but a part of it is damaged, covered or in a glare"
        case .unclear: "the QR code is there, and its modules cannot be told apart"
        case .microQR: "no QR code, but a Micro QR code"
        case .model1: "the QR code is of Model 1, the old kind, which cannot be read"
        case .otherSymbology(let name, _): "no QR code, but a barcode (\(name))"
        }
    }

    package var kind: UserErrorKind { .data }

    /// What the user can do about it.
    package var hint: String? {
        switch self {
        case .noFinderPattern:
            "take the picture again: sharp, straight, with the code's white border, "
                + "the code filling most of it"
        case .fewFinderPatterns: "take the picture again with the whole code and its white border in it"
        case .tooSmall: "come closer, or crop the image to the code: 3 pixels a module are enough"
        case .blurred: "hold the camera still, let it focus, and take the picture again"
        case .tooDark, .lowContrast: "take the picture again with more light, and none of it reflected"
        case .cutOff: "step back, and take the picture again with the whole code and its white border in it"
        case .unclear: "take the picture again from straight above, sharp, with the code flat"
        case .damaged: "take the picture again from another angle, without a reflection or a shadow's edge"
        case .microQR, .model1, .otherSymbology:
            "pairing codes are QR codes; 'hubpair print' on the hub makes one"
        }
    }

    /// A number of hundredths with one digit after the point, such as `1.4`.
    private static func decimal(_ hundredths: Int) -> String {
        let tenths = max(0, hundredths) / 10
        return "\(tenths / 10).\(tenths % 10)"
    }
}
