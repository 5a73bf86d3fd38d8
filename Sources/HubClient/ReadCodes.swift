import FoundationEssentials
package import Pairing
package import QRCodes

/// What a QR code in an image says.
package enum CodeContent: Equatable, Sendable {
    /// A pairing code.
    case pairing(PairingCode)
    /// It begins like a pairing code but is none: damaged, or made by a newer hubpair.
    case unusable(PairingCodeError)
    /// Any other code.
    case other

    /// Reads a payload. One that only resembles a pairing code, in lower case or with something before it,
    /// is unusable and not another code: its text may hold a secret.
    package init(payload: [UInt8]) {
        let upper = payload.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }
        guard upper.firstRange(of: Array(PairingCode.prefix.utf8)) != nil else {
            self = .other
            return
        }
        do {
            self = .pairing(try PairingCode(text: String(decoding: payload, as: UTF8.self)))
        } catch {
            self = .unusable(error)
        }
    }
}

extension CodeContent {
    /// The text of a code on standard input, in the place of an image: one short line, its end left out.
    static func line(of bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count <= 256 else { return nil }
        let line = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
        return bytes[line.count...].allSatisfy { $0 == 0x0A || $0 == 0x0D } ? Array(line) : nil
    }
}

/// Reads the QR codes of one image: a file, or standard input, where the text of a code may stand too.
package struct ReadCodes {
    /// A code and where it came from.
    package struct Reading: Sendable {
        /// The bytes of the code, exactly.
        package let payload: [UInt8]
        /// What they say.
        package let content: CodeContent
    }

    /// - Throws: `InputFileError`, `ImageError`, `QRScanError`, or `NoCodeError` if there is nothing to read.
    package static func run(_ path: String, limits: ImageLimits) throws -> [Reading] {
        let bytes = try InputFile.read(path)
        if path == "-", let text = CodeContent.line(of: bytes), CodeContent(payload: text) != .other {
            return [Reading(payload: text, content: CodeContent(payload: text))]
        }
        return try run(image: bytes, limits: limits)
    }

    /// The same for the bytes of an image.
    package static func run(image bytes: [UInt8], limits: ImageLimits) throws -> [Reading] {
        let image = try LuminanceImage.decode(bytes, limits: limits)
        let result = try QRScanner.scan(image)
        guard !result.codes.isEmpty else { throw NoCodeError(image: image, result: result) }
        return result.codes.map { Reading(payload: $0.payload, content: CodeContent(payload: $0.payload)) }
    }
}

/// An image without a QR code that could be read, and what it shows instead.
package enum NoCodeError: Error, Equatable, LocalizedError, CustomStringConvertible {
    /// Nothing that looks like a code, in this many pixels.
    case nothing(width: Int, height: Int)
    /// Nothing in what is left of a damaged file; the decoder's words.
    case damaged(String)
    /// Another kind of code, such as EAN-13.
    case otherSymbology(String)
    /// A message in several codes (structured append, ISO/IEC 18004 § 8) that lacks some of them.
    case incomplete
    /// A QR code that holds nothing, or bytes that are wrong in the character set that it names.
    case empty

    init(image: LuminanceImage, result: QRScanResult) {
        self =
            if result.incompleteStructuredAppends > 0 {
                .incomplete
            } else if result.emptyCodes > 0 {
                .empty
            } else if let kind = result.otherSymbologies.first {
                .otherSymbology(kind)
            } else if let damage = image.damage {
                .damaged(damage)
            } else {
                .nothing(width: image.width, height: image.height)
            }
    }

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .nothing(let width, let height): "no QR code found in \(width)×\(height) pixels"
        case .damaged(let words): "no QR code found, and the image is damaged: \(words)"
        case .otherSymbology(let kind): "no QR code, but a barcode (\(kind))"
        case .incomplete: "the QR code is only a part of a message in several codes"
        case .empty: "the QR code holds nothing that can be read"
        }
    }

    /// The same as the description.
    package var errorDescription: String? { description }

    /// How to mend it.
    package var recoverySuggestion: String? {
        switch self {
        case .nothing:
            "take the picture again: sharp, straight, with the code's white border, the code filling most of it"
        case .damaged: "copy the image again from where it came"
        case .otherSymbology, .empty: "pairing codes are QR codes; 'hubpair print' on the hub makes one"
        case .incomplete: "take all its codes into one picture; a pairing code is always a single one"
        }
    }
}
