import FoundationEssentials
package import Pairing

/// The arguments with which curl does what `call` does: with the same key, and the same check of the hub's
/// pin.
///
/// `--insecure` switches off the check of names and authorities, which a self-signed certificate cannot pass.
/// `--pinnedpubkey` is checked all the same, and keeps impostors out (curl then ends with 90).
package struct CurlArguments: Equatable, Sendable {
    /// The options, each a word, then the base URL without a slash at its end.
    package let words: [String]

    /// Nil if the address of the hub is not known.
    package init?(hub: KnownHub, configuration: DeviceConfiguration) {
        guard let address = hub.address.flatMap(HubAddress.init) else { return nil }
        // curl reads a name without a slash as the name of a certificate in a database.
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

    /// Quotes a word for the shell. Options stay as they are.
    private func quoted(_ word: String) -> String { word.hasPrefix("--") ? word : shellQuoted(word) }
}

extension HubAddress {
    /// The authority of a URL (RFC 3986 § 3.2.2); the `%` before a scope is written as `%25` (RFC 6874).
    var urlHost: String { description.replacing("%", with: "%25") }
}
