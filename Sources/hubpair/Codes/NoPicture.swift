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
        hint =
            NoPicture.sources.contains(text.lowercased())
            ? "'pair' reads a picture: take one of the code; or 'hubpair pair' alone, and type the code"
            : NoPicture.isPartOfCode(text)
                ? "a typed code has 20 characters: 'hubpair pair' alone asks for it"
                : NoPicture.isPlace(text) ? NoPicture.hint(text) : InputFileError.missing.hint
    }

    /// Where a picture may come from.
    private static let sources: Set<String> = ["camera", "webcam", "screen", "clipboard", "kamera"]

    static func hint(_ text: String) -> String {
        "'pair' takes the picture of the code; the hub goes behind --hub: "
            + "\(SuggestedLine(["pair"], ["--hub", place(text)]))"
    }

    /// `ABCD-EFGH-JKMN`: groups of a typed code, and no fingerprint, which has four.
    private static func isPartOfCode(_ text: String) -> Bool {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        return groups.count > 1 && groups.count != 4
            && groups.allSatisfy { group in
                group.count == 4 && group.allSatisfy { $0.isASCII && ($0.isUppercase || $0.isNumber) }
            }
    }

    /// An address, a URL, or words as in a name; a file's name has an ending.
    private static func isPlace(_ text: String) -> Bool {
        if text.contains("://") { return true }
        if let address = HubAddress(text), case .address = address.host { return true }
        return !text.contains(".") && !text.contains("/")
    }

    /// The host and the port of a URL, whatever page of them it names; other text as it is.
    static func place(_ text: String) -> String {
        guard let scheme = text.firstRange(of: "://") else { return text }
        return String(text[scheme.upperBound...].prefix { $0 != "/" })
    }

    /// The host and the port of a hub's URL; nil for other text, and for a URL that says more than that.
    static func host(ofURL text: String) -> String? {
        let scheme = ["http://", "https://"].first(where: text.lowercased().hasPrefix)
        guard let scheme else { return nil }
        let rest = text.dropFirst(scheme.count)
        let host = rest.hasSuffix("/") ? rest.dropLast() : rest
        return host.isEmpty || host.contains(where: { "/?#@".contains($0) }) ? nil : String(host)
    }
}
