import Addresses

/// The names by which browsers reach this machine.
enum HubHosts {
    /// The most names in the settings.
    static let maximumCount = 16

    /// The machine's name in multicast DNS (RFC 6762 § 3): the first label of its host name and `.local`.
    static var localName: String { HostName.own().lowercased() + ".local" }

    /// True for a host name or an IP address, without a port.
    static func isHost(_ text: some StringProtocol) -> Bool {
        NetworkAddress(String(text)) != nil || HostName.isValid(text)
    }
}
