public import Crypto
import Glibc
import Synchronization

/// The hub's side of UDP discovery: it answers probes with signed replies, and broadcasts a ``Notice`` when
/// probing is worthwhile.
///
///     let responder = try ProbeResponder(name: name, port: 8000, key: key)
///     try await responder.run { event in log(event) }     // until its task is cancelled
///
/// Only hosts on the link are answered. Each source gets at most 2 replies per second, all sources together
/// 20, and each reply is smaller than its probe.
public actor ProbeResponder {
    /// An event for a log.
    public enum Event: Hashable, Sendable {
        /// It listens on this UDP port over these address families, and answers from now on.
        case listening(port: UInt16, Set<NetworkAddress.Family>)
        /// It has broadcast a notice.
        case noticed(Reason)
    }

    /// Why a notice was broadcast.
    public enum Reason: String, Hashable, Sendable {
        /// The hub has started.
        case started
        /// Its interfaces or addresses have changed.
        case networkChanged
        /// The hub has opened for pairing.
        case pairingOpened
    }

    /// The range of the random delay of a reply, in milliseconds, so that many hubs do not answer at the same
    /// moment.
    private static let jitter = 0...50
    /// How long to wait after a network change, so that related changes are handled once.
    private static let settling = Duration.milliseconds(500)

    private enum State { case new, open, closed }

    private let loop: EventLoopThread
    private let name: PeerName
    private let port: UInt16
    private let key: P256.Signing.PrivateKey
    private let probePort: UInt16
    private let counter = Mutex(ProbeCounts())
    private let start = ContinuousClock.now

    private var state = State.new
    private var isPairingOpen: Bool
    private var report: @Sendable (Event) -> Void = { _ in }
    private var links = UDPLinks([])
    private var limits = ProbeLimits()
    private var sockets: [UDPSocket] = []
    private var changes: DescriptorWatch?
    private var settled: Task<Void, Never>?

    /// The executor: a thread of its own.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Creates a responder. Throws ``DiscoveryError/system(call:errno:)`` if no thread or descriptor is
    /// available.
    ///
    /// - Parameters:
    ///   - name: the hub's name.
    ///   - port: the TCP port of its HTTPS server, 1–65535.
    ///   - key: the private key of its TLS certificate; it signs each reply.
    ///   - isPairingOpen: true if a once code is valid now.
    ///   - probePort: the UDP port to listen on.
    public init(
        name: PeerName, port: UInt16, key: P256.Signing.PrivateKey, isPairingOpen: Bool = false,
        probePort: UInt16 = HubProber.defaultPort
    ) throws(DiscoveryError) {
        loop = try EventLoopThread()
        self.name = name
        self.port = port
        self.key = key
        self.isPairingOpen = isPairingOpen
        self.probePort = probePort
    }

    /// How many datagrams were sent, answered and dropped so far; `accepted` counts the probes that were
    /// answered.
    public nonisolated var counts: ProbeCounts { counter.withLock { $0 } }

    /// Answers until its task is cancelled, and frees everything then. A responder runs once; a second call
    /// returns at once.
    ///
    /// Throws ``DiscoveryError/portInUse(_:)`` if another program is bound to the UDP port, and
    /// ``DiscoveryError/system(call:errno:)`` if no socket can be opened. The hub works without a responder.
    public func run(_ report: @escaping @Sendable (Event) -> Void = { _ in }) async throws(DiscoveryError) {
        guard case .new = state, !Task.isCancelled else { return }
        state = .open
        self.report = report
        defer { close() }
        try open()
        await Task.untilCancelled()
    }

    /// Sets whether replies say that the hub is open for pairing, and broadcasts a notice when that becomes
    /// true.
    public func setPairingOpen(_ isOpen: Bool) {
        let isNews = isOpen && !isPairingOpen
        isPairingOpen = isOpen
        if isNews { notify(.pairingOpened) }
    }

    private func open() throws(DiscoveryError) {
        for family in [NetworkAddress.Family.ipv4, .ipv6]
        where UDPSocket.isTaken(probePort, family, on: loop) {
            throw .portInUse(probePort)
        }
        links = UDPLinks.current()
        sockets = try UDPSocket.each(on: loop, port: probePort, sharesPort: true) { number in
            callback { $0.receive(number) }
        }
        changes = DescriptorWatch.networkChanges(on: loop, changed: callback { $0.networkChanged() })
        report(.listening(port: probePort, Set(sockets.map(\.family))))
        notify(.started)
    }

    private func close() {
        state = .closed
        settled?.cancel()
        for socket in sockets { socket.close() }
        changes?.close()
        (sockets, changes) = ([], nil)
    }

    private func receive(_ number: Int) {
        guard sockets.indices.contains(number) else { return }
        for datagram in sockets[number].receive() {
            if let reason = answer(datagram, through: number) {
                count { $0.dropped[reason, default: 0] += 1 }
            }
        }
    }

    /// Returns why the datagram is dropped; nil also for a notice, from another hub or from this one.
    private func answer(_ datagram: UDPDatagram, through number: Int) -> ProbeDrop? {
        let path = datagram.path
        if datagram.length == Notice.byteCount, (try? Notice(parsing: datagram.bytes)) != nil { return nil }
        let probe: Probe
        do throws(ProbeError) {
            probe = try Probe(parsing: datagram.bytes)
        } catch {
            return switch error {
            case .wrongMagic: .wrongMagic
            case .wrongLength(let count): count < Probe.byteCount ? .tooShort : .tooLong
            case .nonzeroPadding: .malformed
            }
        }
        guard let source = links.onLinkSource(path.peer, on: path.interface), path.port != 0 else {
            return .offLink
        }
        if let reason = limits.judge(probe, from: source, at: start.duration(to: .now)) { return reason }
        count { $0.accepted += 1 }
        // The number of waiting replies is bounded by the limit per second.
        Task {
            try? await Task.sleep(for: .milliseconds(Int.random(in: ProbeResponder.jitter)))
            reply(to: probe, along: path, through: number)
        }
        return nil
    }

    private func reply(to probe: Probe, along path: UDPPath, through number: Int) {
        guard case .open = state, sockets.indices.contains(number),
            let bytes = try? ProbeReply.bytes(
                to: probe, name: name, port: port, isPairingOpen: isPairingOpen, key: key)
        else { return }
        let code = sockets[number].send(bytes, along: path)
        count { $0.note(code) }
    }

    private func notify(_ reason: Reason) {
        guard case .open = state else { return }
        links.send(Notice().bytes, to: probePort, through: sockets) { code in count { $0.note(code) } }
        report(.noticed(reason))
    }

    private func networkChanged() {
        guard settled == nil else { return }
        settled = Task {
            do { try await Task.sleep(for: ProbeResponder.settling) } catch { return }
            settled = nil
            let now = UDPLinks.current()
            guard case .open = state, now != links else { return }
            links = now
            notify(.networkChanged)
        }
    }

    private nonisolated func count(_ body: (inout ProbeCounts) -> Void) { counter.withLock { body(&$0) } }
}
