package import Identity
package import QRCodes

/// Why no QR code could be read in an image.
package enum NoCodeError: Equatable, UserError {
    /// Nothing looks like a code; the size of the image in pixels.
    case nothing(width: Int, height: Int)
    /// The file is damaged, and no code is in the readable part; the decoder's words.
    case damaged(String)
    /// The time was over before the whole file was searched.
    case unfinished
    /// Another kind of code, such as EAN-13.
    case otherSymbology(String)
    /// A message in several codes (structured append, ISO/IEC 18004 § 8), and some are missing.
    case incomplete
    /// A QR code without content, or with bytes that are invalid in its character set.
    case empty
    /// What the search has found out about the picture.
    case unread(ScanDiagnosis)
    /// A stream of this many frames, none with a code that could be used.
    case stream(frames: Int)

    init(_ outcome: ImageScanOutcome) {
        let result = outcome.result
        self =
            if result.incompleteStructuredAppends > 0 {
                .incomplete
            } else if result.emptyCodes > 0 {
                .empty
            } else if case .otherSymbology? = result.diagnosis, let diagnosis = result.diagnosis {
                .unread(diagnosis)
            } else if let kind = result.otherSymbologies.first {
                .otherSymbology(kind)
            } else if outcome.isCut {
                .unfinished
            } else if let damage = outcome.damage {
                .damaged(damage)
            } else if let diagnosis = result.diagnosis, diagnosis != .noFinderPattern {
                .unread(diagnosis)
            } else {
                .nothing(width: outcome.width, height: outcome.height)
            }
    }

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .nothing(let width, let height): "no QR code found in \(width)×\(height) pixels"
        case .damaged(let words): "no QR code found, and the image is damaged: \(words)"
        case .unfinished: "no QR code found in the time that an image has"
        case .otherSymbology(let kind): "no QR code, but a barcode (\(kind))"
        case .incomplete: "the QR code is only a part of a message in several codes"
        case .empty: "the QR code holds nothing that can be read"
        case .unread(.otherSymbology(let kind, let payload)):
            "no QR code, but a barcode (\(kind))" + (NoCodeError.printable(payload).map { ": \($0)" } ?? "")
        case .unread(let diagnosis):
            // These two say nothing about a code.
            switch diagnosis {
            case .tooDark, .lowContrast: "no QR code found: \(diagnosis)"
            default: diagnosis.description
            }
        case .stream(let frames): "no pairing code in the \(frames) frames of the stream"
        }
    }

    package var kind: UserErrorKind { .notFound }

    /// How to fix it; nil if there is no advice.
    package var hint: String? {
        switch self {
        case .nothing:
            "take the picture again: sharp, straight, with the code's white border, "
                + "the code filling most of it"
        case .damaged: "copy the image again from where it came"
        case .unfinished: "crop the image to one code, or try 'hubpair scan IMAGE --effort thorough'"
        case .unread(let diagnosis): diagnosis.hint
        case .stream: "hold the code still before the camera, sharp and filling most of the picture"
        case .otherSymbology, .empty: "pairing codes are QR codes; 'hubpair print' on the hub makes one"
        case .incomplete: "take all its codes into one picture; a pairing code is always a single one"
        }
    }

    /// A word for scripts.
    package var reason: String {
        switch self {
        case .nothing, .unread(.noFinderPattern): "no_code"
        case .damaged: "damaged_image"
        case .unfinished: "too_long"
        case .otherSymbology, .unread(.otherSymbology): "other_symbology"
        case .incomplete: "incomplete"
        case .empty: "empty"
        case .stream: "no_code"
        case .unread(.fewFinderPatterns): "partly_visible"
        case .unread(.tooSmall): "too_small"
        case .unread(.blurred): "blurred"
        case .unread(.tooDark): "too_dark"
        case .unread(.lowContrast): "low_contrast"
        case .unread(.cutOff): "cut_off"
        case .unread(.damaged): "damaged_code"
        case .unread(.unclear): "unclear_code"
        case .unread(.microQR): "micro_qr"
        case .unread(.model1): "model_1"
        }
    }

    /// The text of a barcode, if it is short and all of it can be printed.
    private static func printable(_ payload: [UInt8]) -> String? {
        let isPlain =
            !payload.isEmpty && payload.count <= 80 && payload.allSatisfy { (0x20...0x7E).contains($0) }
        return isPlain ? String(decoding: payload, as: UTF8.self) : nil
    }
}
