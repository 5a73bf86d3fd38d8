import FoundationEssentials
import HubClient
import JSON
import Pairing
import QRCodes

/// The lines of `scan --json`: a code, never with its secret, or an image without one that can be used.
enum ScanLine {
    /// `unread`: how many more codes were seen in the image.
    static func json(file: String, code: PairingCode, unread: Int) -> JSONValue {
        json(
            file: file, kind: code.kind.rawValue, unread: unread,
            [
                "hub": .string(code.hub.fingerprint.description), "expires": .text(code.expires?.timestamp),
                "address": .text(code.addressHint?.description),
            ])
    }

    /// Any other code: its text. If that is not UTF-8, the bytes in base64, and the text as other readers
    /// guess it, if they are text at all.
    static func json(file: String, payload: [UInt8], unread: Int) -> JSONValue {
        var content: [String: JSONValue] = [:]
        if let text = Charset.text(of: payload) { content["text"] = .string(text) }
        if String(validating: payload, as: UTF8.self) == nil {
            content["base64"] = .string(Data(payload).base64EncodedString())
        }
        return json(file: file, kind: "other", unread: unread, content)
    }

    /// An image without a usable code, and why.
    static func json(file: String, failure: any Error) -> JSONValue {
        json(file: file, kind: "none", ["reason": .string(reason(failure))])
    }

    /// Every line has the keys of a pairing code; they are `null` for anything else.
    private static func json(
        file: String, kind: String, unread: Int = 0, _ more: [String: JSONValue]
    ) -> JSONValue {
        var all: [String: JSONValue] = [
            "file": .string(file), "kind": .string(kind), "hub": .null, "expires": .null, "address": .null,
        ]
        if unread > 0 { all["unread"] = .integer(Int64(unread)) }
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
