import CAvahi
import Glibc

/// Asks for the services of one type from an ephemeral port on every multicast interface, IPv4 and IPv6, and
/// hears the answers, which come by unicast and at once (RFC 6762 § 5.1, § 6.7): an accelerator.
///
/// Not every responder answers such a question, and one answer holds only so much. So it is never the only
/// way; but a host that answers one question and not the next shows that packets get lost here.
///
/// Used on the thread of an avahi poll loop only, and freed there.
final class OneShotQuery {
    /// The question is asked at 0 and once more. Later than an answer to the first takes, so that the second
    /// tells something about losses; early enough to be over before the network has gone quiet.
    static let repetition = Duration.milliseconds(120)
    /// The time that a host has for an answer before it counts as lost: the longest response delay (RFC 6762
    /// § 6).
    static let patience = Duration.milliseconds(150)
    private static let maximumInterfaces = 16
    /// The most hosts whose answers are counted.
    private static let maximumSources = 1_024
    /// The most packets read at a time, so that a flood does not starve the loop's other jobs.
    private static let packetsAtATime = 64

    /// A hint, where it came in, and from whom.
    typealias Output =
        @Sendable (ServiceHint, NetworkInterface, NetworkAddress.Family, _ source: NetworkAddress) -> Void

    private final class Port {
        let socket: MulticastSocket
        var watch: OpaquePointer?
        // Bit K: it has answered question K.
        var answered: [NetworkAddress: UInt8] = [:]
        unowned let query: OneShotQuery

        init(_ socket: consuming MulticastSocket, query: OneShotQuery) {
            self.socket = socket
            self.query = query
        }
    }

    private let poll: UnsafePointer<AvahiPoll>
    private let type: DNSName
    private let question: [UInt8]
    private let networks: [LocalNetwork]
    private let firstID = UInt16.random(in: 0...0xFFFE)
    private var ports: [Port] = []
    private var rounds: UInt8 = 0
    private let output: Output

    /// Nil if the service type is not valid. - Parameter networks: those of this machine, from which the
    /// interfaces are taken.
    init?(
        serviceType: String, networks: [LocalNetwork], poll: UnsafePointer<AvahiPoll>,
        output: @escaping Output
    ) {
        guard let type = DNSName(serviceType: serviceType),
            let question = DNSMessage.question(forServicesOf: serviceType, id: 0)
        else { return nil }
        (self.type, self.question, self.networks) = (type, question, networks)
        (self.poll, self.output) = (poll, output)
        var seen: Set<String> = []
        for network in networks where network.isMulticast && !network.address.isLoopback {
            // Of IPv6 only link-local: it is there on every interface, and the scope of mDNS.
            guard network.address.family == .ipv4 || network.address.isLinkLocal else { continue }
            guard seen.count < OneShotQuery.maximumInterfaces,
                seen.insert("\(network.interface) \(network.address.family)").inserted,
                let socket = MulticastSocket(network)
            else { continue }
            ports.append(Port(socket, query: self))
        }
        for port in ports {
            port.watch = poll.pointee.watch_new?(
                poll, port.socket.descriptor, AVAHI_WATCH_IN,
                { _, _, _, pointer in
                    guard let pointer else { return }
                    let port = Unmanaged<Port>.fromOpaque(pointer).takeUnretainedValue()
                    port.query.receive(at: port)
                }, Unmanaged.passUnretained(port).toOpaque())
        }
    }

    /// Ends it: no output comes after that.
    func close() {
        for port in ports {
            if let watch = port.watch { poll.pointee.watch_free?(watch) }
        }
        ports = []
    }

    /// Asks, at most twice in all.
    func ask() {
        guard rounds < 2 else { return }
        let id = firstID + UInt16(rounds)
        let message = [UInt8(id >> 8), UInt8(id & 0xFF)] + question.dropFirst(2)
        rounds += 1
        for port in ports { port.socket.send(message) }
    }

    /// True if a host has answered one of the two questions and not the other.
    var hasLosses: Bool {
        rounds == 2 && ports.contains { $0.answered.values.contains { $0 != 3 } }
    }

    private func receive(at port: Port) {
        for _ in 0..<OneShotQuery.packetsAtATime {
            guard let (bytes, source) = port.socket.receive(onLink: networks) else { return }
            guard let message = try? DNSMessage(parsing: bytes) else { continue }
            let round = message.id &- firstID
            guard round < UInt16(rounds) else { continue }
            let hints = ServiceHint.hints(in: message, of: type)
            guard !hints.isEmpty else { continue }
            if port.answered[source] != nil || port.answered.count < OneShotQuery.maximumSources {
                port.answered[source, default: 0] |= 1 << UInt8(round)
            }
            for hint in hints { output(hint, port.socket.interface, port.socket.family, source) }
        }
    }
}
