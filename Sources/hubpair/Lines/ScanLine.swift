import FoundationEssentials
import HubClient
import Pairing
import QRCodes

/// One line of `scan --json`: a code, never with its secret, or an image that gave none that can be used.
struct ScanLine: Encodable {
    let file: String
    let kind: String
    @Nullable var hub: String?
    @Nullable var expires: String?
    @Nullable var address: String?
    var text: String?
    var base64: String?
    var reason: String?

    init(file: String, code: PairingCode) {
        self.init(file: file, kind: code.kind.rawValue)
        hub = code.hub.fingerprint.description
        expires = code.expires?.timestamp
        address = code.addressHint?.description
    }

    /// Any other code: its text, or base64 if it is not UTF-8.
    init(file: String, payload: [UInt8]) {
        self.init(file: file, kind: "other")
        text = String(validating: payload, as: UTF8.self)
        if text == nil { base64 = Data(payload).base64EncodedString() }
    }

    /// Nothing that can be used, and why.
    init(file: String, failure: any Error) {
        self.init(file: file, kind: "none")
        reason = ScanLine.reason(failure)
    }

    private init(file: String, kind: String) {
        self.file = file
        self.kind = kind
        hub = nil
        expires = nil
        address = nil
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
