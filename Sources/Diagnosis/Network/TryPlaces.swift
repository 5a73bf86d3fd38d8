import Addresses
import CGlibc
import Glibc

/// Connects to every address of hubs that were heard, at the same time and by TCP alone, and says what stands
/// in between. What does not answer is tried twice.
enum TryPlaces {
    struct Place: Hashable, Sendable {
        let address: NetworkAddress
        let port: UInt16

        var text: String { address.family == .ipv4 ? "\(address):\(port)" : "[\(address)]:\(port)" }
    }

    /// What became of a connection.
    enum Outcome: Equatable, Sendable {
        case open
        /// The machine answers, and nothing listens there, or a firewall says so.
        case refused
        /// This machine's own firewall does not let it out.
        case forbidden
        /// There is no route to that network.
        case noRoute
        /// The kernel sends it out at this interface, though another one has that network.
        case led(by: String, insteadOf: String)
        /// The machine is on this link, and does not answer for its address (ARP, neighbour discovery).
        case absent
        case silent

        init(errno code: Int32) {
            self =
                switch code {
                case 0: .open
                case ECONNREFUSED, ECONNRESET: .refused
                case EPERM, EACCES: .forbidden
                case ENETUNREACH: .noRoute
                case EHOSTUNREACH: .absent
                default: .silent
                }
        }
    }

    /// The most places that are tried; the threat is a host that announces thousands.
    static let maximum = 256
    /// The kernel asks three times, a second apart, for the hardware address of a machine that is not there.
    private static let patience = Duration.milliseconds(3_600)
    /// If it knew the machine a moment ago, it believes that for five seconds first.
    private static let secondPatience = Duration.milliseconds(5_400)

    /// The outcomes, in the order of the places. Blocks for ``patience`` at most, and for ``secondPatience``
    /// where some do not answer.
    static func outcomes(of places: [Place], networks: [LocalNetwork]) -> [Place: Outcome] {
        let tried = Array(places.prefix(maximum))
        var outcomes = connect(tried, patience)
        let doubted = tried.filter { outcomes[$0] == .silent || outcomes[$0] == .absent }
        outcomes.merge(connect(doubted, secondPatience)) { $1 }
        for (place, outcome) in outcomes where outcome != .open && outcome != .refused {
            if let way = detour(to: place, networks: networks) { outcomes[place] = way }
        }
        return outcomes
    }

    /// Nil if the kernel sends what goes there out at the interface that has its network.
    private static func detour(to place: Place, networks: [LocalNetwork]) -> Outcome? {
        guard !place.address.isLinkLocal,
            let own = networks.first(where: { !$0.address.isLoopback && $0.contains(place.address) }),
            let target = SystemAddress(place.address, port: place.port)
        else { return nil }
        let domain = place.address.family == .ipv4 ? AF_INET : AF_INET6
        let descriptor = socket(domain, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard target.withPointer({ Glibc.connect(descriptor, $0, $1) }) == 0 else { return nil }
        let (result, source) = SystemAddress.written { getsockname(descriptor, $0, $1) }
        guard result == 0, let source,
            let used = networks.first(where: { $0.address == source.address }),
            used.interface != own.interface
        else { return nil }
        return .led(by: used.interface, insteadOf: own.interface)
    }

    private static func connect(_ places: [Place], _ patience: Duration) -> [Place: Outcome] {
        var outcomes: [Place: Outcome] = [:]
        var waiting: [(place: Place, descriptor: Int32)] = []
        defer { for one in waiting { close(one.descriptor) } }
        for place in places {
            guard let target = SystemAddress(place.address, port: place.port) else {
                outcomes[place] = .noRoute
                continue
            }
            let domain = place.address.family == .ipv4 ? AF_INET : AF_INET6
            let descriptor = socket(domain, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
            guard descriptor >= 0 else { continue }
            let code = target.withPointer { Glibc.connect(descriptor, $0, $1) == 0 ? 0 : errno }
            if code == EINPROGRESS {
                waiting.append((place, descriptor))
            } else {
                outcomes[place] = Outcome(errno: code)
                close(descriptor)
            }
        }
        let end = ContinuousClock.now + patience
        while !waiting.isEmpty, .now < end {
            var polled = waiting.map { pollfd(fd: $0.descriptor, events: Int16(POLLOUT), revents: 0) }
            let left = Int32(max(1, ContinuousClock.now.duration(to: end) / .milliseconds(1)))
            guard poll(&polled, nfds_t(polled.count), left) > 0 else { break }
            let done = Set(polled.filter { $0.revents != 0 }.map(\.fd))
            for one in waiting where done.contains(one.descriptor) {
                var code: Int32 = 0
                var size = socklen_t(MemoryLayout<Int32>.size)
                getsockopt(one.descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
                outcomes[one.place] = Outcome(errno: code)
                close(one.descriptor)
            }
            waiting.removeAll { done.contains($0.descriptor) }
        }
        for one in waiting { outcomes[one.place] = .silent }
        return outcomes
    }

    /// What keeps this machine from a hub of this name; nil if one of its addresses answers, or none was
    /// tried.
    static func verdict(
        _ name: String, _ outcomes: [(place: Place, outcome: Outcome)]
    ) -> Finding.Verdict? {
        guard !outcomes.isEmpty, !outcomes.contains(where: { $0.outcome == .open }) else { return nil }
        // What is nearest to here explains the most.
        let (place, outcome) = outcomes.min { rank($0.outcome) < rank($1.outcome) } ?? outcomes[0]
        switch outcome {
        case .open: return nil
        case .led(let used, let own):
            return .problem(
                "\(name) is heard, but what goes to \(place.text) leaves by \(used), and not by \(own)",
                mend: "a VPN or another route takes it: let it leave out the local network; "
                    + "'ip route get \(place.address)' shows the way")
        case .forbidden:
            return .problem(
                "\(name) is heard, but this machine's own firewall forbids connections to \(place.text)",
                mend: "allow what goes out to \(place.port)/tcp: 'sudo nft list ruleset' shows the rules")
        case .noRoute:
            return .problem(
                "\(name) is heard, but there is no way from here to \(place.text)",
                mend: "this computer is on another subnet than the hub: see 'ip address' and 'ip route', "
                    + "and whether both have their address from the same router")
        case .absent:
            return .problem(
                "\(name) is heard, but no machine answers for the address of \(place.text)",
                mend: "is the hub still switched on? else the access point keeps devices apart: turn off "
                    + "AP or client isolation")
        case .silent:
            return .problem(
                "\(name) is heard, but connections to \(place.text) are not answered",
                mend: "allow \(place.port)/tcp in the hub's firewall, "
                    + "and what goes out to it in this machine's")
        case .refused:
            return .problem(
                "\(name) is heard, but \(place.text) refuses connections",
                mend: "start the server there, on the hub: 'sudo systemctl start hubpair'; or its firewall "
                    + "rejects \(place.port)/tcp")
        }
    }

    private static func rank(_ outcome: Outcome) -> Int {
        switch outcome {
        case .open: 0
        case .led: 1
        case .forbidden: 2
        case .refused: 3
        case .silent: 4
        case .absent: 5
        case .noRoute: 6
        }
    }
}
