package import Addresses
package import Identity

/// The location of a hub as the user names it.
package enum HubPlace: Equatable, Sendable {
    /// At this address.
    case address(HubAddress)
    /// The one that announces itself by this fingerprint, or by a name that this fits.
    case name(String)
    /// The one with this fingerprint, at this address: a relay's, or another's that leads to several.
    case hub(Fingerprint, at: HubAddress)
    /// The one that was found before, and chosen.
    case found(FoundHub)

    /// Parses `--hub`: a fingerprint, also with `@` and an address; else an address, if the text has a dot or
    /// colon; else a name.
    package init(_ text: String) {
        if let (fingerprint, place) = HubPlace.parts(text), let address = HubAddress(place) {
            self = .hub(fingerprint, at: address)
        } else if Fingerprint(forgiving: text) == nil, text.contains(where: { ".:".contains($0) }),
            let address = HubAddress(text)
        {
            self = .address(address)
        } else {
            self = .name(text)
        }
    }

    private static func parts(_ text: String) -> (Fingerprint, address: String)? {
        let parts = text.split(separator: "@", maxSplits: 1)
        guard parts.count == 2, let fingerprint = Fingerprint(forgiving: String(parts[0])) else { return nil }
        return (fingerprint, String(parts[1]))
    }

    /// True if `text` looks like an invalid address: digits and dots, or a wrong port. Otherwise it would be
    /// searched for as a name, without success.
    package static func isFaultyAddress(_ text: String) -> Bool {
        guard case .name = HubPlace(text), Fingerprint(forgiving: text) == nil else { return false }
        guard parts(text) == nil else { return true }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let isNumber = { (text: Substring) in
            text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
        }
        return text.contains(".") && isNumber(parts[0])
            || parts.count == 2 && !parts[1].isEmpty && isNumber(parts[1]) && !parts[0].contains(" ")
    }
}
