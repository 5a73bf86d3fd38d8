import FoundationEssentials
package import Pairing

/// The arguments with which curl does what `call` does: the same key, the same check of the hub's pin.
///
/// `--insecure` takes away the check of names and authorities, which a self-signed certificate cannot pass;
/// `--pinnedpubkey` is checked all the same, and is what keeps others out (curl ends with 90 then).
package struct CurlArguments: Equatable, Sendable {
    /// The options, each a word, then the base URL without a slash at its end.
    package let words: [String]

    /// - Parameter hub: a hub whose address is known; nil comes back for another.
    package init?(hub: KnownHub, configuration: DeviceConfiguration) {
        guard let address = hub.address.flatMap(HubAddress.init) else { return nil }
        // curl takes a name without a slash for the name of a certificate in a database.
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

    /// Quotes what is not plain. Options keep their hyphens.
    private func quoted(_ word: String) -> String { word.hasPrefix("--") ? word : shellQuoted(word) }
}

extension HubAddress {
    /// The authority of a URL (RFC 3986 § 3.2.2); the `%` before a scope is written as `%25` (RFC 6874).
    var urlHost: String { description.replacing("%", with: "%25") }
}
