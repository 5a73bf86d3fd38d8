import Identity

/// Where a person says that a hub is.
package enum HubPlace: Equatable, Sendable {
    /// At this address.
    case address(HubAddress)
    /// The one that announces itself by this name or fingerprint.
    case name(String)

    /// Reads `--hub`: a fingerprint, an address (with a dot, a colon or a port in it), else a name.
    package init(_ text: String) {
        if Fingerprint(forgiving: text) == nil, text.contains(where: { ".:".contains($0) }),
            let address = HubAddress(text)
        {
            self = .address(address)
        } else {
            self = .name(text)
        }
    }
}
