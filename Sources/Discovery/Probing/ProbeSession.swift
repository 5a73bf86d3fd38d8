import Glibc
import Synchronization

/// One search of a ``HubProber``. Owns its sockets and watches.
///
/// The actor retains itself from `open` to `close`. `close` runs on the loop's thread, so no callback follows
/// it. The caller of `open` must make sure that `close` is called.
actor ProbeSession: SearchSession {
    private enum State { case new, open(ProbeSession), closed }

    /// The range of the random delay between a notice and the probes, in milliseconds, so that devices do not
    /// ask all at once.
    private static let noticeJitter = 0...500
    /// How long to wait after a network change, so that related changes are handled once.
    private static let settling = Duration.milliseconds(200)

    private let loop: EventLoopThread
    private let prober: HubProber
    private let output: SearchResults<VerifiedReply>.Output
    private let ended: SearchResults<VerifiedReply>.Ended

    private var state = State.new
    private let start = ContinuousClock.now
    private var links = UDPLinks([])
    private var screen = ReplyScreen()
    private var sockets: [UDPSocket] = []
    private var noticeSockets: [UDPSocket] = []
    private var changes: DescriptorWatch?
    private var asking: Task<Void, Never>?
    private var again: Task<Void, Never>?
    private var settled: Task<Void, Never>?
    private var lastBurst = Duration.zero

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(
        _ prober: HubProber, output: @escaping SearchResults<VerifiedReply>.Output,
        ended: @escaping SearchResults<VerifiedReply>.Ended
    ) throws(DiscoveryError) {
        loop = try EventLoopThread()
        self.prober = prober
        self.output = output
        self.ended = ended
    }

    func open() {
        guard case .new = state else { return }
        state = .open(self)
        do throws(DiscoveryError) {
            links = UDPLinks.current()
            sockets = try UDPSocket.each(on: loop) { number in callback { $0.receiveReplies(number) } }
        } catch {
            close(error)
            return
        }
        changes = DescriptorWatch.networkChanges(on: loop, changed: callback { $0.networkChanged() })
        if prober.hearsNotices { openNoticeSockets() }
        ask()
    }

    /// Frees everything and ends the output.
    func close(_ error: DiscoveryError?) {
        if case .closed = state { return }
        state = .closed
        for task in [asking, again, settled] { task?.cancel() }
        for socket in sockets + noticeSockets { socket.close() }
        changes?.close()
        (sockets, noticeSockets, changes) = ([], [], nil)
        ended(error)
    }

    /// Listens for notices on 255.255.255.255, and on ff02::1 of each link. It does not bind the wildcard
    /// address: a hub on this machine must receive the unicast probes.
    private func openNoticeSockets() {
        for socket in noticeSockets { socket.close() }
        noticeSockets = []
        func listen(_ family: NetworkAddress.Family, _ address: [UInt8], _ interface: UInt32) {
            let number = noticeSockets.count
            // Without this socket the search continues, but hears no notices.
            if let socket = try? UDPSocket(
                family, on: loop, address: address, interface: interface, port: prober.port, sharesPort: true,
                isReadable: callback { $0.receiveNotices(number) })
            {
                noticeSockets.append(socket)
            }
        }
        listen(.ipv4, UDPLinks.limitedBroadcast, 0)
        for target in links.targets(port: prober.port) where target.peer == UDPLinks.allNodes {
            listen(.ipv6, target.peer, target.interface)
        }
    }

    private func ask() {
        screen.begin()
        let begin = ContinuousClock.now
        lastBurst = start.duration(to: begin)
        asking?.cancel()
        asking = Task {
            for delay in HubProber.burst {
                if delay > .zero {
                    do { try await Task.sleep(until: begin + delay, clock: .continuous) } catch { return }
                }
                sendProbe()
            }
        }
    }

    private func sendProbe() {
        guard case .open = state else { return }
        var generator = SystemRandomNumberGenerator()
        let probe = Probe(using: &generator)
        screen.expect(probe)
        links.send(probe.bytes, to: prober.port, through: sockets) { code in
            prober.counter.counts.withLock { $0.note(code) }
        }
    }

    private func receiveReplies(_ number: Int) {
        guard sockets.indices.contains(number) else { return }
        for datagram in sockets[number].receive() {
            guard case .open = state else { return }
            let elapsed = start.duration(to: .now)
            let path = datagram.path
            let source = links.onLinkSource(path.peer, on: path.interface)
            switch screen.judge(datagram.bytes, length: datagram.length, from: source, at: elapsed) {
            case .dropped(let reason): prober.counter.counts.withLock { $0.dropped[reason, default: 0] += 1 }
            case .verified(let reply):
                prober.counter.counts.withLock { $0.accepted += 1 }
                guard let source, let link = links.links[path.interface] else { continue }
                let answer = VerifiedReply(
                    reply: reply, address: source, interface: link.interface, elapsed: elapsed)
                if !output(answer) { close(.overrun) }
            }
        }
    }

    private func receiveNotices(_ number: Int) {
        guard noticeSockets.indices.contains(number) else { return }
        for datagram in noticeSockets[number].receive() {
            guard datagram.length == Notice.byteCount, (try? Notice(parsing: datagram.bytes)) != nil,
                links.onLinkSource(datagram.path.peer, on: datagram.path.interface) != nil
            else { continue }
            askAgain(after: .milliseconds(Int.random(in: ProbeSession.noticeJitter)))
        }
    }

    /// Schedules another burst of probes, at most one per ``HubProber/noticeInterval``; earlier requests are
    /// delayed until then.
    private func askAgain(after jitter: Duration) {
        guard case .open = state, again == nil else { return }
        let now = start.duration(to: .now)
        let time = max(now, lastBurst + prober.noticeInterval) + jitter
        again = Task {
            do { try await Task.sleep(until: start + time, clock: .continuous) } catch { return }
            again = nil
            ask()
        }
    }

    /// Reads the links and their addresses again; if they changed, later probes use them, and a new burst is
    /// sent.
    private func networkChanged() {
        guard settled == nil else { return }
        settled = Task {
            do { try await Task.sleep(for: ProbeSession.settling) } catch { return }
            settled = nil
            let now = UDPLinks.current()
            guard case .open = state, now != links else { return }
            links = now
            guard prober.hearsNotices else { return }
            openNoticeSockets()
            askAgain(after: .zero)
        }
    }
}
