#if os(Linux) && !HUBPAIR_PORTABLE
extension LocalNetwork {
    /// The networks of all interfaces that are up; empty if getifaddrs(3) fails.
    public static func current() -> [LocalNetwork] {
        InterfaceEntry.all().filter(\.isUp).compactMap(\.network)
    }

    /// True if this machine has the address, on whichever interface: two interfaces on one network hear each
    /// other, and a link-local address then arrives with the other one's scope.
    package static func isOwn(_ address: NetworkAddress) -> Bool {
        current().contains { $0.address.bytes == address.bytes }
    }
}
#endif
