import Addresses
import FoundationEssentials
package import Pairing

/// The curl arguments equivalent to `hubpair call`: the same key, and the same check of the hub's pin.
///
/// `--insecure` disables the checks of name and issuer, which a self-signed certificate cannot pass.
/// `--pinnedpubkey` is still enforced and rejects impostors (curl then exits with 90).
package struct CurlArguments: Equatable, Sendable {
    /// The options, each a word, followed by the base URL without a trailing slash.
    package let words: [String]

    /// Nil if the hub's address is not known.
    package init?(hub: KnownHub, configuration: DeviceConfiguration) {
        guard let address = hub.address.flatMap(HubAddress.init) else { return nil }
        // curl interprets a name without a slash as the nickname of a certificate in a database.
        let directory = configuration.path.hasPrefix("/") ? configuration.path : "./" + configuration.path
        words = [
            "--tlsv1.3", "--http1.1", "--insecure", "--pinnedpubkey", hub.pin.text,
            "--cert", "\(directory)/\(DeviceIdentity.certificateFileName)",
            "--key", "\(directory)/\(DeviceIdentity.keyFileName)",
            "https://\(address.urlHost)",
        ]
    }

    /// One line for a shell: `eval curl "$(hubpair hubs show --curl)/devices/"`.
    package var shellLine: String { words.map(quoted).joined(separator: " ") }

    /// Quotes a word for the shell. Options are left unchanged.
    private func quoted(_ word: String) -> String { word.hasPrefix("--") ? word : shellQuoted(word) }
}

extension HubAddress {
    /// The authority of a URL (RFC 3986 § 3.2.2); the `%` before a scope is written as `%25` (RFC 6874).
    var urlHost: String { description.replacing("%", with: "%25") }
}
