import Discovery
import HubClient
import Pairing

/// Whether hubs are heard, and if not, whether they are there all the same.
enum CheckSearch {
    /// How a hub was heard.
    struct Heard: Equatable, Sendable {
        let sources: Set<DiscoveredHub.Source>
        /// It is a hubpair hub, which answers UDP probes; a stock one does not.
        let hasID: Bool
        /// It is on this machine: that it is heard says nothing of the network.
        var isOwn = false
    }

    static func check(sweeps: Bool) -> DiagnosisCheck {
        DiagnosisCheck(
            "hubs", tried: "searched by multicast DNS and UDP", deadline: sweeps ? .seconds(16) : .seconds(6)
        ) {
            let networks = LocalNetwork.current()
            guard NetworkLink.current().contains(where: \.isUsable) else {
                return .skipped("no interface is up")
            }
            var options = SearchHubs.Options()
            let hubs = try await SearchHubs(known: KnownHubs(), options: options).run { _ in }
            let own = Set(networks.map(\.address))
            let heard = hubs.map {
                Heard(
                    sources: $0.hub.sources, hasID: $0.hub.id != nil,
                    isOwn: $0.hub.addresses.allSatisfy(own.contains))
            }
            guard heard.isEmpty, sweeps, let range = SweepRange(around: networks) else {
                return verdict(heard, swept: nil)
            }
            (options.usesMDNS, options.usesUDP, options.sweep) = (false, false, range)
            let found = try await SearchHubs(known: KnownHubs(), options: options).run { _ in }
            return verdict([], swept: (found.count, "\(range)"))
        }
    }

    static func verdict(_ heard: [Heard], swept: (count: Int, range: String)?) -> Finding.Verdict {
        let hubs = { (count: Int) in count == 1 ? "1 hub" : "\(count) hubs" }
        guard !heard.isEmpty else {
            guard let swept else {
                return .warning(
                    "no hub is heard",
                    mend: "is a hub switched on? without --no-sweep every address is tried too")
            }
            guard swept.count > 0 else {
                return .warning(
                    "no hub is heard, and none answers in \(swept.range)",
                    mend: "is the hub switched on, and on the same network?")
            }
            return .problem(
                "no hub is heard, but \(hubs(swept.count)) answer\(swept.count == 1 ? "s" : "") in "
                    + "\(swept.range): "
                    + "the network drops multicast and broadcast",
                mend:
                    "turn off AP isolation, client isolation or multicast filtering in the access point; "
                    + "until then: "
                    + "'hubpair list --scan \(swept.range)' and 'hubpair hubs add NAME HOST'")
        }
        let others = heard.filter { !$0.isOwn }
        guard !others.isEmpty else { return .ok("this machine's own hub is heard, and no other") }
        let withID = others.filter(\.hasID)
        if !others.contains(where: { $0.sources.contains(.mdns) }) {
            return .warning(
                "\(hubs(others.count)) by UDP, but multicast DNS is silent",
                mend:
                    "turn on multicast in the access point (IGMP snooping, multicast filtering), or "
                    + "allow 5353/udp in "
                    + "the hub's firewall")
        }
        if !withID.isEmpty, !withID.contains(where: { $0.sources.contains(.udp) }) {
            return .warning(
                "\(hubs(others.count)) by multicast DNS, but UDP probes are not answered",
                mend:
                    "allow 8000/udp in the firewall of the hub, and answers from that port in this machine's")
        }
        return .ok("\(hubs(heard.count)) heard")
    }
}
