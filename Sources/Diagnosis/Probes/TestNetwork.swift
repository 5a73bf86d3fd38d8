import Addresses
import CGlibc
import Glibc

/// A network namespace of one neighbour, joined to this machine by a veth pair that only root can make:
/// datagrams come in from it as from any other machine, through the firewall.
///
/// The namespace lives by its socket alone: if this process ends, by whatever signal, the kernel takes it
/// away, and the pair with it. Nothing can be left behind.
struct TestNetwork: ~Copyable {
    /// How the names of such interfaces begin, by which other checks know to leave them out.
    static let prefix = "hpdoctor"
    fileprivate static let hubPort: UInt16 = 8_000

    /// The near end's interface.
    let interface: String
    /// The broadcast address of the pair's network, a /30 of 169.254.0.0/16 (RFC 3927).
    let broadcast: String
    /// The near end's address.
    private let address: NetworkAddress?
    /// A UDP socket in the namespace.
    private let sender: Int32
    /// A TCP socket in the namespace, for one connection.
    private let caller: Int32
    /// A UDP socket in the namespace at the hubs' port, as their answers come from it; and a TCP socket that
    /// listens there.
    private let replier, listener: Int32
    private let far: NetworkAddress?
    private let ip: String

    /// Nil if something is missing: then `why` says what.
    init?(why: inout String) {
        let places = ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip", "/bin/ip"]
        guard let ip = places.first(where: { (path: String) in access(path, X_OK) == 0 }) else {
            why = "the program ip is missing (apt-get install iproute2)"
            return nil
        }
        let number = UInt8.random(in: 1...254)
        let base = UInt8.random(in: 0...62) * 4
        let name = "\(TestNetwork.prefix)\(number)"
        let plan = Plan(
            ip: ip, near: name, far: "\(name)f", address: "169.254.\(number).\(base + 2)/30",
            process: getpid())
        guard let sender = plan.build(why: &why) else { return nil }
        guard
            run([ip, "address", "add", "169.254.\(number).\(base + 1)/30", "brd", "+", "dev", name])
                && run([ip, "link", "set", name, "multicast", "on", "up"])
        else {
            for descriptor in [sender, plan.caller, plan.replier, plan.listener] { close(descriptor) }
            why = "ip does not give \(name) an address"
            return nil
        }
        (interface, broadcast) = (name, "169.254.\(number).\(base + 3)")
        address = NetworkAddress("169.254.\(number).\(base + 1)")
        far = NetworkAddress("169.254.\(number).\(base + 2)")
        (self.sender, caller, self.ip) = (sender, plan.caller, ip)
        (replier, listener) = (plan.replier, plan.listener)
    }

    deinit {
        // The kernel would do it some time after the socket is closed; others are to look at the interfaces
        // now.
        _ = run([ip, "link", "delete", interface])
        for descriptor in [sender, caller, replier, listener] { close(descriptor) }
    }

    /// Whether a connection from this machine to the neighbour's TCP port of hubs gets there.
    func isReached(within milliseconds: Int32) -> Bool? {
        guard let far, listener >= 0 else { return nil }
        return TCPConnect.errno(to: far, port: TestNetwork.hubPort, milliseconds: milliseconds) == 0
    }

    /// Whether a connection from the neighbour to a TCP port of this machine comes in. A refusal has come in,
    /// too: nobody listens there, and nothing stands in between. Call it once.
    func reaches(port: UInt16, within milliseconds: Int32) -> Bool? {
        guard let address else { return nil }
        let result = SystemAddress(address, port: port, interface: 0).withPointer { connect(caller, $0, $1) }
        if result == 0 || errno == ECONNREFUSED { return true }
        guard errno == EINPROGRESS else { return false }
        var wait = pollfd(fd: caller, events: Int16(POLLOUT), revents: 0)
        guard poll(&wait, 1, milliseconds) == 1 else { return false }
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(caller, SOL_SOCKET, SO_ERROR, &code, &size)
        return code == 0 || code == ECONNREFUSED
    }

    /// Sends from the neighbour to this machine; as an answer: from the hubs' port.
    func send(_ bytes: [UInt8], to address: String, port: UInt16, asAnswer: Bool = false) {
        guard let address = NetworkAddress(address) else { return }
        let descriptor = asAnswer && replier >= 0 ? replier : sender
        _ = SystemAddress(address, port: port, interface: 0).withPointer {
            sendto(descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT), $0, $1)
        }
    }
}

/// What a thread of its own does in a namespace of its own: a thread that has left for another network must
/// not come back to Swift's pool.
private final class Plan {
    private static let newNetwork: Int32 = 0x4000_0000  // CLONE_NEWNET, a macro

    let ip, near, far, address: String
    let process: pid_t
    private var sender: Int32 = -1
    private(set) var caller: Int32 = -1
    private(set) var replier: Int32 = -1
    private(set) var listener: Int32 = -1
    private var why = ""

    init(ip: String, near: String, far: String, address: String, process: pid_t) {
        (self.ip, self.near, self.far, self.address, self.process) = (ip, near, far, address, process)
    }

    func build(why: inout String) -> Int32? {
        var thread = pthread_t()
        let plan = Unmanaged.passRetained(self)
        defer { plan.release() }
        guard
            pthread_create(
                &thread, nil,
                {
                    if let context = $0 { Unmanaged<Plan>.fromOpaque(context).takeUnretainedValue().run() }
                    return nil
                }, plan.toOpaque()) == 0
        else {
            why = "no thread can be made"
            return nil
        }
        pthread_join(thread, nil)
        why = self.why
        return sender >= 0 ? sender : nil
    }

    private func run() {
        guard unshare(Plan.newNetwork) == 0 else {
            why = "no network namespace can be made: \(String(cString: strerror(errno)))"
            return
        }
        guard
            Diagnosis.run([
                ip, "link", "add", far, "type", "veth", "peer", "name", near, "netns", "\(process)",
            ])
                && Diagnosis.run([ip, "address", "add", address, "brd", "+", "dev", far])
                && Diagnosis.run([ip, "link", "set", far, "multicast", "on", "up"])
        else {
            why = "no pair of virtual interfaces can be made (modprobe veth)"
            return
        }
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC, 0)
        guard descriptor >= 0 else {
            why = "socket: \(String(cString: strerror(errno)))"
            return
        }
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_BROADCAST, &one, socklen_t(MemoryLayout<Int32>.size))
        var request = ip_mreqn()
        request.imr_ifindex = Int32(bitPattern: NetworkInterface(named: far)?.index ?? 0)
        setsockopt(
            descriptor, Int32(IPPROTO_IP), IP_MULTICAST_IF, &request, socklen_t(MemoryLayout<ip_mreqn>.size))
        caller = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
        replier = atHubPort(SOCK_DGRAM)
        setsockopt(replier, SOL_SOCKET, SO_BROADCAST, &one, socklen_t(MemoryLayout<Int32>.size))
        listener = atHubPort(SOCK_STREAM)
        listen(listener, 1)
        sender = descriptor
    }

    /// -1 if there is none.
    private func atHubPort(_ type: __socket_type) -> Int32 {
        let descriptor = socket(AF_INET, Int32(type.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
        guard descriptor >= 0 else { return -1 }
        let address = SystemAddress.anyIPv4(port: TestNetwork.hubPort)
        if address.withPointer({ bind(descriptor, $0, $1) }) == 0 { return descriptor }
        close(descriptor)
        return -1
    }
}

/// Runs a program without input and output, in the network of the calling thread; true if it ends with 0
/// within a second.
private func run(_ words: [String]) -> Bool {
    ChildProcess(words)?.waitBlocking(within: .seconds(1)) ?? false
}
