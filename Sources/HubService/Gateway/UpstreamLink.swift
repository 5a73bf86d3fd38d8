import Addresses
import GatewayRules
import Glibc
import Identity
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// Is told what happens on the way to the upstream; on any thread.
protocol UpstreamObserver: Sendable {
    /// It does not answer any more, why, and since when; nil: it answers, for the first time or again.
    func upstreamChanged(_ outage: UpstreamBreaker.Outage?)
    /// A request had no answer in time, where others may have one: whether it answers is to be found out.
    func upstreamIsInDoubt()
    /// It has carried out a request other than one that only reads.
    func orderPassed()
}

/// The way to the upstream, for what devices send and for what the hub itself asks: opens connections, with
/// TLS and the pin, and knows whether the upstream answers, what it is, and whose turn it is.
final class UpstreamLink: Sendable {
    /// The upstream of the settings; nil: none is set, and no connection can be opened.
    let upstream: Upstream?
    let habits: UpstreamHabits
    let turns = UpstreamTurns()
    /// How many requests it takes at a time, if somebody has said so; nil: that is found out.
    let concurrency: Int?
    private let tls: NIOSSLContext?
    private let connectTime: TimeAmount
    private let log: ServeLog
    private let kind = Mutex(UpstreamKind?.none)
    private let observer = Mutex<(any UpstreamObserver)?>(nil)
    private let hasAnswered = Atomic<Bool>(false)

    /// - Parameter readsBodies: the owner's word that it does.
    init(
        _ upstream: Upstream?, concurrency: Int? = nil, readsBodies: Bool = false, limits: ServeLimits,
        log: ServeLog
    ) throws {
        self.upstream = upstream
        self.concurrency = concurrency
        turns.setPlaces(concurrency ?? UpstreamKind.stock.concurrency)
        self.log = log
        habits = UpstreamHabits(freshness: limits.upstreamFreshness, isVouched: readsBodies, log: log)
        connectTime = limits.connect
        tls = try upstream.flatMap { $0.isTLS ? try UpstreamTLS.context() : nil }
    }

    /// False while the upstream does not answer, as far as is known.
    var isReachable: Bool { turns.outage == nil }

    /// Sets who is told what happens on the way to the upstream; nil for nobody any more.
    func observe(_ observer: (any UpstreamObserver)?) { self.observer.withLock { $0 = observer } }

    /// Records that the upstream has carried out a request that may have changed a state.
    func noteOrder() { observer.withLock { $0 }?.orderPassed() }

    /// Records that the upstream has answered.
    func noteAnswer() {
        let isBack = turns.noteAnswer()
        let isFirst =
            !hasAnswered.load(ordering: .relaxed) && !hasAnswered.exchange(true, ordering: .relaxed)
        guard isBack || isFirst else { return }
        if isBack, let upstream { log.warning(.upstream, "the upstream \(upstream.authority) answers again") }
        observer.withLock { $0 }?.upstreamChanged(nil)
    }

    /// Records that the upstream has not answered, and why.
    ///
    /// - Parameter isToldAtOnce: false if that took a time-out.
    func note(fault words: String, isToldAtOnce: Bool = false) {
        habits.noteAway()
        guard turns.noteFault(words, isToldAtOnce: isToldAtOnce), let outage = turns.outage else { return }
        if concurrency == nil {
            // It may be another server when it comes back.
            kind.withLock { $0 = nil }
            turns.setPlaces(UpstreamKind.stock.concurrency)
        }
        if let upstream {
            log.warning(.upstream, "the upstream \(upstream.authority) does not answer: \(words)")
        }
        observer.withLock { $0 }?.upstreamChanged(outage)
    }

    /// Records that a request had no answer in time. Where requests do not overlap, none has one then;
    /// elsewhere others may.
    func noteTimeout() {
        if turns.isExclusive {
            note(fault: "no response in time")
        } else {
            observer.withLock { $0 }?.upstreamIsInDoubt()
        }
    }

    /// What the upstream is, and how many requests it gets at a time; nil without one.
    var treatment: UpstreamTreatment? {
        guard upstream != nil else { return nil }
        let kind = kind.withLock { $0 }
        return UpstreamTreatment(
            kind: kind, concurrency: concurrency ?? (kind ?? UpstreamKind.stock).concurrency)
    }

    /// True if it is known how many requests the upstream takes at a time.
    var isKnown: Bool { concurrency != nil || kind.withLock { $0 != nil } }

    /// Why no connection could be opened, in words for people.
    static func words(for error: any Error) -> String {
        switch error {
        case let error as IOError: String(cString: strerror(error.errnoCode)).lowercased()
        case ChannelError.connectTimeout: "no connection in time"
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { words(for: $0.error) } ?? "its name leads to no address"
        default: "\(error)"
        }
    }

    /// False if it took a time-out to know that no connection can be opened.
    static func isToldAtOnce(_ error: any Error) -> Bool {
        switch error {
        case ChannelError.connectTimeout: false
        case let error as NIOConnectionError:
            error.connectionErrors.allSatisfy { isToldAtOnce($0.error) }
        default: true
        }
    }

    /// Records what the upstream is, as its answers show.
    func note(_ found: UpstreamKind) {
        let isNew = kind.withLock { kind in
            defer { kind = found }
            return kind != found
        }
        guard isNew, let upstream, concurrency == nil else { return }
        turns.setPlaces(found.concurrency)
        log.notice("the upstream \(upstream.authority) is \(found.words)")
    }

    /// Opens a connection, and calls `body` on the event loop. With TLS the handshake follows; if it fails,
    /// the connection closes.
    ///
    /// - Parameter eventLoop: the one that this is called on.
    func connect(
        on eventLoop: any EventLoop, _ body: @escaping (Result<UpstreamConnection, any Error>) -> Void
    ) {
        guard let upstream else { return body(.failure(ChannelError.connectPending)) }
        let (tls, habits) = (tls, habits)
        let bootstrap = ClientBootstrap(group: eventLoop).connectTimeout(connectTime)
            .channelOption(.socketOption(.so_keepalive), value: 1)
            // One read at a time: more, before the client's output is checked, would take memory for each
            // slow client.
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls { try pipeline.addHandler(UpstreamTLS.handler(tls, upstream)) }
                    try pipeline.addHandler(UpstreamConnection(habits))
                }
            }
        let port = Int(upstream.port)
        let addresses = upstream.addresses.compactMap {
            try? SocketAddress(ipAddress: $0.description, port: port)
        }
        let loop = eventLoop.assumeIsolated()
        guard let first = addresses.first else {
            return UpstreamLink.report(bootstrap.connect(host: upstream.host, port: port), body)
        }
        UpstreamLink.report(bootstrap.connect(to: first)) { result in
            guard case .failure = result, addresses.count > 1 else { return body(result) }
            loop.execute { UpstreamLink.report(bootstrap.connect(to: addresses[1]), body) }
        }
    }

    private static func report(
        _ connected: EventLoopFuture<any Channel>,
        _ body: @escaping (Result<UpstreamConnection, any Error>) -> Void
    ) {
        connected.assumeIsolated().whenComplete { result in
            body(
                Result {
                    try result.get().pipeline.syncOperations.handler(type: UpstreamConnection.self)
                })
        }
    }
}
