import FoundationEssentials
import HubClient
import JSON
import Pairing
import QRCodes

/// The lines of `scan --json`: a code, never with its secret, or an image without one that can be used.
enum ScanLine {
    /// `answer`: all that the image gave.
    static func json(
        file: String, code: PairingCode, at corners: [PixelPoint], of answer: ReadCodes.Answer
    ) -> JSONValue {
        json(
            file: file, kind: code.kind.rawValue, at: corners, of: answer,
            [
                "hub": .string(code.hub.fingerprint.description), "expires": .text(code.expires?.timestamp),
                "address": .text(code.addressHint?.description),
            ])
    }

    /// Any other code: its text. If its bytes are not UTF-8, these in base64, and the text in the character
    /// set that the code names, or else as other readers guess it, if they are text at all.
    static func json(file: String, code: ReadCodes.Reading, of answer: ReadCodes.Answer) -> JSONValue {
        var content: [String: JSONValue] = [:]
        if let text = Charset.text(of: code.payload) { content["text"] = .string(text) }
        if code.stated != nil || String(validating: code.payload, as: UTF8.self) == nil {
            content["base64"] = .string(Data(code.stated ?? code.payload).base64EncodedString())
        }
        if let known = ForeignCode(payload: code.payload) { content["for"] = .string(known.rawValue) }
        return json(file: file, kind: "other", at: code.corners, of: answer, content)
    }

    /// An image without a usable code, and why.
    static func json(file: String, failure: any Error) -> JSONValue {
        json(file: file, kind: "none", ["reason": .string(reason(failure))])
    }

    /// Every line has the keys of a pairing code; they are `null` for anything else.
    private static func json(
        file: String, kind: String, at corners: [PixelPoint] = [], of answer: ReadCodes.Answer? = nil,
        _ more: [String: JSONValue]
    ) -> JSONValue {
        var all: [String: JSONValue] = [
            "file": .string(file), "kind": .string(kind), "hub": .null, "expires": .null, "address": .null,
        ]
        if corners.count == 4 {
            // Clockwise from the upper left one, as the code is upright; the search goes the other way round.
            all["corners"] = .array(
                [0, 3, 2, 1].map { .array([.integer(Int64(corners[$0].x)), .integer(Int64(corners[$0].y))]) })
        }
        if let answer {
            if answer.unread > 0 { all["unread"] = .integer(Int64(answer.unread)) }
            if answer.isCut { all["partial"] = .boolean(true) }
        }
        return .object(all.merging(more) { _, new in new })
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as NoCodeError: error.reason
        case PairingCodeError.version(let version) where version > PairingCode.version: "newer_pairing_code"
        case is PairingCodeError: "bad_pairing_code"
        case is InputFileError: "no_input"
        case ImageError.missing: "decoder_missing"
        case is ImageError: "bad_image"
        default: "search_failed"
        }
    }
}
