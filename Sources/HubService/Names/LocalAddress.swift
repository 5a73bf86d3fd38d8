package import Addresses

/// Which of this host's addresses devices on the local network may reach.
package enum LocalAddress {
    /// The IPv4 address to put into a code as a hint: that of the interface with the default route (the one
    /// of the lowest metric), else the only one there is. Nil if it is not clear: a wrong hint costs every
    /// device a time-out.
    ///
    /// - Parameters:
    ///   - networks: those of the interfaces that are up.
    ///   - routes: the text of `/proc/net/route`.
    package static func preferred(among networks: [LocalNetwork], routes: String) -> NetworkAddress? {
        let candidates = networks.filter {
            $0.address.family == .ipv4 && !$0.address.isLoopback && !$0.address.isLinkLocal
        }
        // Interface, destination, gateway, flags, reference count, use, metric, mask.
        let defaults = routes.split(separator: "\n").dropFirst().compactMap {
            line -> (name: String, metric: Int)? in
            let fields = line.split { $0 == "\t" || $0 == " " }
            guard fields.count >= 8, fields[1] == "00000000", fields[7] == "00000000",
                let metric = Int(fields[6])
            else { return nil }
            return (String(fields[0]), metric)
        }
        for route in defaults.sorted(by: { $0.metric < $1.metric }) {
            if let network = candidates.first(where: { $0.interface == route.name }) {
                return network.address
            }
        }
        return candidates.count == 1 ? candidates.first?.address : nil
    }
}
