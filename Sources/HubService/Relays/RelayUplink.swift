import Addresses
import FoundationEssentials
import GatewayRules
import NIOCore
import NIOPosix
import NIOSSL
import Pairing
import PinnedTLS

/// The hub's side of one relay: a control connection, and spare ones, each of which a caller's bytes come in
/// on. Used on its event loop.
///
/// Everything goes out from here, so that no router has to let anything in. The relay's key is checked on
/// each connection, and it gets none of the hub's secrets: a caller's TLS ends behind `ServeListener.equip`,
/// as at home.
final class RelayUplink {
    let relay: HubWays.Relay
    let loop: ServeLoop
    let log: ServeLog
    private let context: NIOSSLContext
    private let large = LargeHandshakes()
    private var control: RelayLink?
    private var spares: [ObjectIdentifier: RelayLink] = [:]
    private var dialling = 0
    private var carried = 0
    private var backOff = BackOff()
    private var isEnded = false
    /// The log has said that it is connected, or that it is not.
    private var isToldConnected: Bool?
    private var certificate: [UInt8]?

    init(_ relay: HubWays.Relay, on loop: ServeLoop, _ context: NIOSSLContext, log: ServeLog) {
        (self.relay, self.loop, self.context, self.log) = (relay, loop, context, log)
    }

    func begin() { dial(RelayWire.control) }

    func end() {
        isEnded = true
        control?.close()
        for spare in Array(spares.values) { spare.close() }
    }

    private func dial(_ role: UInt8) {
        guard !isEnded, !loop.isDraining, let address = HubAddress(relay.address) else { return }
        if role == RelayWire.spare { dialling += 1 }
        let (uplink, pin) = (NIOLoopBound(self, eventLoop: loop.eventLoop), relay.pin)
        let host: String =
            switch address.host {
            case .address(let address): address.description
            case .name(let name): name
            }
        ClientBootstrap(group: loop.eventLoop)
            .connectTimeout(.seconds(5))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.socketOption(.so_keepalive), value: 1)
            // As for connections that come by themselves.
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.writeBufferWaterMark, value: ServeConnection.strangerWaterMark)
            .channelInitializer { [context] channel in
                channel.eventLoop.makeCompletedFuture {
                    let ssl = try NIOSSLClientHandler(
                        context: context, serverHostname: pin.fingerprint.serverName
                    ) { certificates, verdict in
                        let isRelay = certificates.first.flatMap { Pin($0) } == pin
                        verdict.succeed(isRelay ? .certificateVerified : .failed)
                    }
                    try channel.pipeline.syncOperations.addHandlers([
                        ssl, RelayLink(uplink.value, role: role),
                    ])
                }
            }
            .connect(host: host, port: Int(address.port))
            .whenFailure { error in
                uplink.execute { $0.failed(role, "\(error)") }
            }
    }

    /// A connection stands, and the relay takes the hub for one of its own.
    func stands(_ link: RelayLink) {
        guard link.role == RelayWire.control else {
            dialling -= 1
            spares[ObjectIdentifier(link)] = link
            return
        }
        control?.close()
        control = link
    }

    /// The relay has answered on the control connection.
    func answers() {
        guard isToldConnected != true else { return }
        backOff.succeed()
        isToldConnected = true
        log.notice("devices reach the hub by the relay \(relay.name) at \(relay.address)")
        fill(RelayWire.spareCount)
        if certificate != nil { prove() }
    }

    /// Shows the relay the certificate for public names, now and whenever it comes back.
    func show(_ certificate: [UInt8]?) {
        guard certificate != self.certificate else { return }
        self.certificate = certificate
        if isToldConnected == true { prove() }
    }

    private func prove() {
        let pem = certificate ?? []
        guard pem.count <= InstalledCertificate.maximumByteCount else { return }
        let length = [16, 8, 0].map { UInt8(truncatingIfNeeded: pem.count >> $0) }
        control?.write([RelayWire.proof] + length + pem)
    }

    /// What the relay says to the certificate.
    func proved(_ verdict: RelayWire.Verdict) {
        guard certificate != nil else { return }
        switch verdict {
        case .taken: log.notice("the relay \(relay.name) lets callers of the hub's public names through")
        case .notBelieved:
            log.warning(
                .fault,
                "the relay \(relay.name) does not believe the certificate for the hub's public names: no "
                    + "public authority has issued it, or it is not valid now")
        case .givenToOthers:
            log.warning(
                .fault, "the relay \(relay.name) has given the hub's public names to other hubs")
        }
    }

    /// So many callers wait.
    func wait(_ count: Int) { open(min(count, RelayWire.maximumSpareCount - spares.count - dialling)) }

    private func fill(_ count: Int) { open(count - spares.count - dialling) }

    private func open(_ count: Int) {
        guard isToldConnected == true, count > 0 else { return }
        for _ in 0..<count { dial(RelayWire.spare) }
    }

    /// A connection has ended that carries no caller.
    func ended(_ link: RelayLink, _ reason: String) {
        if link.role == RelayWire.control {
            guard control == nil || control === link else { return }
            control = nil
            return failed(RelayWire.control, reason)
        }
        if spares.removeValue(forKey: ObjectIdentifier(link)) == nil { dialling -= 1 }
        refill()
    }

    private func failed(_ role: UInt8, _ reason: String) {
        guard role == RelayWire.control else {
            dialling -= 1
            return refill()
        }
        guard !isEnded, !loop.isDraining else { return }
        if isToldConnected != false {
            isToldConnected = false
            log.notice(
                "the relay \(relay.name) at \(relay.address) is not reached: \(reason); trying again until "
                    + "it is")
        }
        for spare in Array(spares.values) { spare.close() }
        let pause = TimeAmount.milliseconds(Int64(backOff.next(random: .random(in: 0...1))))
        let uplink = NIOLoopBound(self, eventLoop: loop.eventLoop)
        _ = loop.eventLoop.scheduleTask(in: pause) { uplink.value.dial(RelayWire.control) }
    }

    /// Later, so that a relay that closes spare connections is not dialled in a loop.
    private func refill() {
        let uplink = NIOLoopBound(self, eventLoop: loop.eventLoop)
        _ = loop.eventLoop.scheduleTask(in: .milliseconds(500)) { uplink.value.fill(RelayWire.spareCount) }
    }

    /// Takes a caller in.
    ///
    /// - Returns: false if there are too many; then the connection is to be closed.
    func take(_ channel: any Channel, from link: RelayLink, source: NetworkAddress) -> Bool {
        spares[ObjectIdentifier(link)] = nil
        fill(RelayWire.spareCount)
        let shared = loop.shared
        // What comes by relays never has all places.
        guard carried < max(1, shared.limits.connections / 2) else {
            log.warning(
                .limit, "closed a connection by the relay \(relay.name): there are \(carried) already")
            return false
        }
        let equip = { [loop, large] in
            try ServeListener.equip(
                channel, of: source, isRelayed: true, loop: loop, largeHandshakes: large)
        }
        guard
            ConnectionLimiter.admit(channel, from: source, counted: SourcePrefix(relayed: source), shared)
        else { return false }
        do {
            if let request = shared.names.certificateRequest, Date() < request.until {
                try channel.pipeline.syncOperations.addHandler(
                    ChallengeSwitch(request, log: log, equip: equip))
            } else {
                try equip()
            }
        } catch {
            return false
        }
        carried += 1
        let uplink = NIOLoopBound(self, eventLoop: loop.eventLoop)
        channel.closeFuture.whenComplete { _ in uplink.value.carried -= 1 }
        return true
    }
}
