import Addresses
import CGlibc
import Glibc
import HubClient

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
        /// A route of this machine says that nothing goes there.
        case barred
        /// A firewall on the way, most likely the hub's, says that it does not let it in.
        case rejected
        /// There is no route to that network.
        case noRoute
        /// The kernel sends it out at this interface, though another one has that network.
        case led(by: String, insteadOf: String)
        /// The machine is on this link, and does not answer for its address (ARP, neighbour discovery).
        case absent
        case silent

        /// - Parameter time: when the kernel said so; nil: at once, before a packet went out.
        init(errno code: Int32, after time: Duration? = nil) {
            self =
                switch (code, time) {
                case (0, _): .open
                case (ECONNREFUSED, _), (ECONNRESET, _): .refused
                case (EPERM, _): .forbidden
                case (ENETUNREACH, _): .noRoute
                // A route of the type prohibit, unreachable or blackhole (ip-route(8)).
                case (EACCES, nil), (EHOSTUNREACH, nil), (EINVAL, nil): .barred
                // As firewalld rejects: ICMP says "administratively prohibited".
                case (EACCES, _): .rejected
                case (EHOSTUNREACH, let time?): time < TryPlaces.answerTime ? .rejected : .absent
                default: .silent
                }
        }
    }

    /// The most places that are tried; the threat is a host that announces thousands.
    static let maximum = 256
    /// The kernel asks three times, a second apart, for the hardware address of a machine that is not there.
    private static let patience = Duration.milliseconds(3_600)
    /// What comes sooner is an answer of somebody.
    private static let answerTime = Duration.seconds(1)
    /// If it knew the machine a moment ago, it believes that for five seconds first.
    private static let secondPatience = Duration.milliseconds(5_400)

    /// The outcomes, in the order of the places. Blocks for ``patience`` at most, and for ``secondPatience``
    /// where some do not answer.
    static func outcomes(of places: [Place], networks: [LocalNetwork]) -> [Place: Outcome] {
        let tried = Array(places.prefix(maximum))
        var outcomes = connect(tried, patience)
        // The kernel may have been asking for that machine for a while: then it gives up soon.
        let doubtful: [Outcome] = [.silent, .absent, .rejected]
        let doubted = tried.filter { outcomes[$0].map(doubtful.contains) == true }
        outcomes.merge(connect(doubted, secondPatience)) { $1 }
        for (place, outcome) in outcomes where outcome != .open && outcome != .refused {
            if let way = detour(to: place, networks: networks) { outcomes[place] = way }
            // Behind a router, and nobody answers: what is announced here by a reflector, or was moved.
            let isNear = networks.contains { $0.contains(place.address) }
            if outcome == .silent, !isNear, !place.address.isLinkLocal { outcomes[place] = .noRoute }
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
        let start = ContinuousClock.now
        let end = start + patience
        while !waiting.isEmpty, .now < end {
            var polled = waiting.map { pollfd(fd: $0.descriptor, events: Int16(POLLOUT), revents: 0) }
            let left = Int32(max(1, ContinuousClock.now.duration(to: end) / .milliseconds(1)))
            guard poll(&polled, nfds_t(polled.count), left) > 0 else { break }
            let done = Set(polled.filter { $0.revents != 0 }.map(\.fd))
            for one in waiting where done.contains(one.descriptor) {
                var code: Int32 = 0
                var size = socklen_t(MemoryLayout<Int32>.size)
                getsockopt(one.descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
                outcomes[one.place] = Outcome(errno: code, after: start.duration(to: .now))
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
        case .barred:
            // 'ip route get' only fails at such a route.
            let ip = place.address.family == .ipv4 ? "ip -4" : "ip -6"
            return .problem(
                "\(name) is heard, but a route of this computer bars \(place.text)",
                mend: "a VPN or somebody has set it: '\(ip) route show table all to match \(place.address)' "
                    + "shows it, and 'sudo \(ip) route del' and that line removes it")
        case .rejected:
            return .problem(
                "\(name) is heard, but a firewall rejects connections to \(place.text)",
                mend: "allow it on the hub: sudo ufw allow \(place.port)/tcp, or sudo firewall-cmd "
                    + "--permanent --add-port=\(place.port)/tcp and --reload")
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
                    + "and what goes out to it in this machine's; else compare the netmasks of both")
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
        case .barred: 2
        case .forbidden: 3
        case .rejected: 4
        case .refused: 5
        case .silent: 6
        case .absent: 7
        case .noRoute: 8
        }
    }

    /// What keeps this machine from a hub of this name that accepts connections; nil if that is not certain.
    static func verdict(
        _ name: String, at place: Place, _ reason: HubConnectionError.Reason
    ) -> Finding.Verdict? {
        switch reason {
        case .timedOut(.handshake):
            .problem(
                "\(name) is heard, and accepts connections at \(place.text), but does not answer over TLS",
                mend: "start it again, on the hub: 'sudo systemctl restart hubpair'; else large packets are "
                    + "lost on the way: compare the MTU of both with 'ip link'")
        case .notTLS, .closed:
            .problem(
                "\(name) is heard, but it is another program that answers at \(place.text): it does not "
                    + "speak TLS",
                mend: "correct the port that the hub announces, or end that program and start 'hubpair "
                    + "serve'")
        default: nil
        }
    }
}
