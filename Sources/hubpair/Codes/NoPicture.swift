import Addresses
import HubClient
import Identity
import QRCodes

/// A file that does not exist was given to `pair`: perhaps the place of a hub, and not a picture of its code.
struct NoPicture: Equatable, UserError {
    let text: String
    let hint: String?
    var description: String { "\(text): no such file" }
    var kind: UserErrorKind { .noInput }

    init(_ text: String) {
        self.text = text
        hint = NoPicture.isPlace(text) ? NoPicture.hint(text) : InputFileError.missing.hint
    }

    static func hint(_ text: String) -> String {
        "'pair' takes the picture of the code; the hub goes behind --hub: "
            + "\(SuggestedLine(["pair"], ["--hub", place(text)]))"
    }

    /// An address, a URL, or words as in a name; a file's name has an ending.
    private static func isPlace(_ text: String) -> Bool {
        if text.contains("://") { return true }
        if let address = HubAddress(text), case .address = address.host { return true }
        return !text.contains(".") && !text.contains("/")
    }

    /// The host and the port of a URL.
    private static func place(_ text: String) -> String {
        guard let scheme = text.firstRange(of: "://") else { return text }
        return String(text[scheme.upperBound...].prefix { $0 != "/" })
    }
}
