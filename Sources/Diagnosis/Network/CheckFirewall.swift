import Addresses
import CGlibc
import Glibc

/// Whether datagrams of mDNS and of UDP discovery come in from another machine, and connections to the hub
/// that is here: a neighbour made for the purpose (``TestNetwork``) sends some. IPv4 only. Rules for single
/// interfaces are not seen by it.
enum CheckFirewall {
    /// What became of the neighbour's datagrams.
    enum Arrival: Equatable, Sendable {
        case arrived, lost
        /// No socket for the port here: somebody has it.
        case untried
    }

    /// To mDNS's port, to the hubs' port, and to one of ours as answers to probes come in.
    struct Arrivals: Equatable, Sendable {
        var mdns: Arrival
        var discovery: Arrival
        var answers: Arrival
        /// A connection to the hub's TCP port.
        var connection = Arrival.untried
        /// One to the neighbour's, from here.
        var outgoing = Arrival.untried
    }

    private static let group = "224.0.0.251"
    /// What findings say that blame it.
    static let own = "this machine's own firewall"

    /// - Parameter hubPort: of the hub on this machine, if there is one that can be read.
    static func check(hasHub: Bool, hubPort: UInt16? = nil) -> DiagnosisCheck {
        let also = hubPort.map { ", and connected to TCP \($0)," } ?? ""
        return DiagnosisCheck(
            "firewall", tried: "sent to UDP 5353 and 8000\(also) from a namespace of our own",
            deadline: .seconds(6)
        ) {
            guard geteuid() == 0 else {
                return .skipped(
                    "only root can make a neighbour to send from", mend: "run 'sudo hubpair doctor'")
            }
            var why = ""
            guard let network = TestNetwork(why: &why) else { return .skipped(why) }
            var arrivals = arrivals(through: network)
            if let hubPort, let isIn = network.reaches(port: hubPort, within: 1_500) {
                arrivals.connection = isIn ? .arrived : .lost
            }
            if let isOut = network.isReached(within: 1_500) { arrivals.outgoing = isOut ? .arrived : .lost }
            return verdict(arrivals, hasHub: hasHub, hubPort: hubPort ?? 8000)
        }
    }

    static func verdict(_ arrivals: Arrivals, hasHub: Bool, hubPort: UInt16 = 8000) -> Finding.Verdict {
        func mend(_ port: String) -> String {
            "allow it: sudo ufw allow \(port), or sudo firewall-cmd --permanent --add-port=\(port) and "
                + "--reload; "
                + "'sudo nft list ruleset' shows all rules"
        }
        if arrivals.connection == .lost {
            let isFound = arrivals.mdns != .lost || arrivals.discovery != .lost
            return .problem(
                "what comes to TCP port \(hubPort) is dropped: a firewall; this hub is "
                    + (isFound ? "found, and cannot be reached" : "neither found nor reached"),
                mend: mend("\(hubPort)/tcp"))
        }
        if arrivals.mdns == .lost {
            guard arrivals.discovery == .lost else {
                return .problem(
                    "what comes to UDP port 5353 is dropped: a firewall", mend: mend("5353/udp"))
            }
            return .problem(
                "what comes to UDP port 5353, and to 8000, is dropped: a firewall",
                mend: "allow both: sudo ufw allow 5353,8000/udp, or sudo firewall-cmd --permanent "
                    + "--add-port=5353/udp --add-port=8000/udp and --reload; "
                    + "'sudo nft list ruleset' shows all rules")
        }
        if arrivals.discovery == .lost {
            let words = "what comes to UDP port 8000 is dropped: a firewall"
            return hasHub
                ? .problem("\(words); this hub is found by multicast DNS at most", mend: mend("8000/udp"))
                : .warning("\(words); a hub that starts is noticed late", mend: mend("8000/udp"))
        }
        if arrivals.outgoing == .lost {
            return .problem(
                "what goes out to TCP port 8000 is dropped: this machine's own firewall; "
                    + "hubs are found, and cannot be reached",
                mend: "allow what goes out to 8000/tcp: 'sudo nft list ruleset' shows the rules")
        }
        if arrivals.answers == .lost {
            return .warning(
                "answers to UDP probes are dropped: a firewall; hubs are found by multicast DNS alone",
                mend:
                    "allow answers from UDP port 8000: sudo nft add rule inet filter input udp sport "
                    + "8000 accept"
            )
        }
        if arrivals.mdns == .untried || arrivals.discovery == .untried {
            return .skipped("a port is not shared (see the ports above); what could be tried came in")
        }
        return .ok("all came in")
    }

    private static func arrivals(through network: borrowing TestNetwork) -> Arrivals {
        var nonce = [UInt8](repeating: 0, count: 16)
        for index in nonce.indices { nonce[index] = .random(in: 0x61...0x7A) }
        // A question for a name that nobody has: well-formed, so that no responder complains (RFC 1035 §
        // 4.1).
        let query: [UInt8] =
            [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 16] + nonce + [5] + Array("local".utf8) + [0, 0, 16, 0, 1]
        let mdns = Receiver(port: 5353, group: group, interface: network.interface)
        let discovery = Receiver(port: 8000)
        let answers = Receiver(port: 0)
        // The interface may take a moment, and a burst is what hubpair sends too.
        for wait in [useconds_t(20_000), 100_000, 200_000, 400_000] {
            network.send(query, to: group, port: 5353)
            network.send(nonce, to: network.broadcast, port: 8000)
            if let port = answers?.port {
                network.send(nonce, to: network.broadcast, port: port, asAnswer: true)
            }
            usleep(wait)
            let all = [mdns?.receives(nonce), discovery?.receives(nonce), answers?.receives(nonce)]
            if all.allSatisfy({ $0 != false }) { break }
        }
        func arrival(_ receiver: Receiver?) -> Arrival {
            receiver.map { $0.hasReceived ? .arrived : .lost } ?? .untried
        }
        return Arrivals(mdns: arrival(mdns), discovery: arrival(discovery), answers: arrival(answers))
    }
}

/// A socket that waits for the neighbour's datagrams; other programs may share its port.
private final class Receiver {
    private let descriptor: Int32
    private(set) var hasReceived = false

    init?(port: UInt16, group: String? = nil, interface: String? = nil) {
        descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
        guard descriptor >= 0 else { return nil }
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        guard SystemAddress.anyIPv4(port: port).withPointer({ bind(descriptor, $0, $1) }) == 0 else {
            return nil
        }
        guard let group, let interface else { return }
        var request = ip_mreqn()
        inet_pton(AF_INET, group, &request.imr_multiaddr)
        request.imr_ifindex = Int32(bitPattern: NetworkInterface(named: interface)?.index ?? 0)
        setsockopt(
            descriptor, Int32(IPPROTO_IP), IP_ADD_MEMBERSHIP, &request, socklen_t(MemoryLayout<ip_mreqn>.size)
        )
    }

    deinit { close(descriptor) }

    /// The port that the system gave.
    var port: UInt16? {
        let (result, address) = SystemAddress.written { getsockname(descriptor, $0, $1) }
        return result == 0 ? address?.port : nil
    }

    /// True once a datagram with the nonce in it has come; reads what waits, at most 256 datagrams.
    func receives(_ nonce: [UInt8]) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 512)
        for _ in 0..<256 where !hasReceived {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count >= 0 else { break }
            hasReceived = buffer.prefix(count).firstRange(of: nonce) != nil
        }
        return hasReceived
    }
}
