import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import PinnedTLS
import Synchronization

/// Asks the members of an etcd, over TLS 1.2 or newer with the gate's certificate; the authority that was
/// given vouches for them, and no other.
///
/// Its calls wait for the answer, so they belong to threads that may wait. A member that does not answer is
/// passed over, and the one that answered last is asked first.
final class EtcdClient: Sendable {
    /// For one member.
    private static let time = TimeAmount.seconds(3)
    /// Between two rounds.
    private static let pause = TimeAmount.milliseconds(200)
    /// For all of them; less than another process waits for the directory's lock.
    private static let totalTime = TimeAmount.seconds(8)

    /// With TLS 1.3 a member refuses the gate's certificate after the handshake: its connection knows why,
    /// when the channel has forgotten it.
    private struct Open {
        let channel: any Channel
        let connection: NIOLoopBound<EtcdConnection>
    }

    private struct Idle {
        var open: Open
        var member: SiteMember
    }

    let members: [SiteMember]
    private let context: NIOSSLContext
    private let eventLoop: any EventLoop
    private let state = Mutex<(first: Int, idle: Idle?)>((0, nil))

    init(_ members: [SiteMember], _ credentials: SiteCredentials) throws(SiteError) {
        self.members = members
        context = try credentials.context()
        eventLoop = MultiThreadedEventLoopGroup.singleton.next()
    }

    deinit { state.withLock { $0.idle }?.open.channel.close(promise: nil) }

    /// The answer of the first member that gives one. A request may reach several. While a majority is there
    /// and has no leader, all are asked again.
    func call(_ path: String, _ json: [UInt8], limit: Int) throws(SiteError) -> [UInt8] {
        let end = NIODeadline.now() + EtcdClient.totalTime
        while true {
            let telling: SiteError
            do {
                return try callOnce(path, json, limit: limit, until: end)
            } catch {
                telling = error
            }
            guard case .noMajority = telling, .now() + EtcdClient.pause < end else { throw telling }
            usleep(UInt32(EtcdClient.pause.nanoseconds / 1000))
        }
    }

    private func callOnce(
        _ path: String, _ json: [UInt8], limit: Int, until end: NIODeadline
    ) throws(SiteError) -> [UInt8] {
        let first = state.withLock { $0.first }
        var faults: [SiteError] = []
        for offset in members.indices {
            let index = (first + offset) % members.count
            let left = end - .now()
            guard left > .zero else { break }
            do {
                let body = try ask(
                    members[index], path, json, limit: limit, within: min(left, EtcdClient.time))
                state.withLock { $0.first = index }
                return body
            } catch {
                switch error {
                case .silent, .noMajority, .untrusted, .refused, .stranger: faults.append(error)
                default: throw error
                }
            }
        }
        // Who may not come in is told so, whoever else is silent.
        let telling = faults.first { fault in
            switch fault {
            case .silent: false
            default: true
            }
        }
        throw telling ?? faults.first ?? .silent(members.first?.text ?? "", reason: "no answer in time")
    }

    /// The answer of one member.
    func ask(
        _ member: SiteMember, _ path: String, _ json: [UInt8], limit: Int, within time: TimeAmount = time
    ) throws(SiteError) -> [UInt8] {
        try EtcdClient.body(of: reply(of: member, path, json, limit: limit, within: time), from: member)
    }

    /// The same with what HTTP says of it.
    func reply(
        of member: SiteMember, _ path: String, _ json: [UInt8], limit: Int, within time: TimeAmount = time
    ) throws(SiteError) -> EtcdReply {
        let kept = state.withLock { state in
            guard state.idle?.member == member else { return nil as Open? }
            defer { state.idle = nil }
            return state.idle?.open
        }
        if let kept, let reply = try? exchange(on: kept, member, path, json, limit: limit, within: time) {
            return reply
        }
        // A connection that was kept may have been ended meanwhile: that is no fault of the member's.
        do {
            let open = try connect(member, within: time).wait()
            return try exchange(on: open, member, path, json, limit: limit, within: time)
        } catch let error as SiteError {
            throw error
        } catch {
            throw EtcdClient.fault(error, of: member)
        }
    }

    /// Which member has answered last.
    var first: Int { state.withLock { $0.first } }

    /// Lines from one member.
    ///
    /// - Parameter tell: called on an event loop for each line, and with nil once no more come.
    func lines(
        _ path: String, _ json: [UInt8], of index: Int, limit: Int,
        _ tell: @escaping @Sendable ([UInt8]?) -> Void
    ) throws(SiteError) -> any Channel {
        let member = members[index]
        do {
            let open = try connect(member, within: EtcdClient.time).wait()
            let end = eventLoop.makePromise(of: Void.self)
            end.futureResult.whenComplete { _ in tell(nil) }
            eventLoop.execute {
                open.connection.value.send(
                    path, json, host: member.place, to: .lines(limit: limit, { tell($0) }, end: end),
                    within: EtcdClient.time)
            }
            return open.channel
        } catch {
            throw EtcdClient.fault(error, of: member)
        }
    }

    private func exchange(
        on open: Open, _ member: SiteMember, _ path: String, _ json: [UInt8], limit: Int,
        within time: TimeAmount
    ) throws -> EtcdReply {
        let promise = eventLoop.makePromise(of: EtcdReply.self)
        eventLoop.execute {
            open.connection.value.send(
                path, json, host: member.place, to: .whole(limit: limit, promise), within: time)
        }
        let reply = try promise.futureResult.wait()
        let old = state.withLock { state in
            defer { state.idle = Idle(open: open, member: member) }
            return state.idle?.open.channel
        }
        old?.close(promise: nil)
        return reply
    }

    private func connect(_ member: SiteMember, within time: TimeAmount) -> EventLoopFuture<Open> {
        let context = context
        let handshake = eventLoop.makePromise(of: Void.self)
        let limit = eventLoop.scheduleTask(in: time) { handshake.fail(EtcdFault.timedOut) }
        let connected = ClientBootstrap(group: eventLoop).connectTimeout(time)
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let operations = channel.pipeline.syncOperations
                    // Without a name the address itself has to stand in the certificate.
                    let isName = (try? SocketAddress(ipAddress: member.host, port: member.port)) == nil
                    try operations.addHandler(
                        NIOSSLClientHandler(
                            context: context, serverHostname: isName ? member.host : nil))
                    try operations.addHTTPClientHandlers()
                    try operations.addHandler(EtcdConnection(handshake: handshake))
                }
            }.connect(host: member.host, port: member.port)
        connected.whenFailure { handshake.fail($0) }
        handshake.futureResult.whenComplete { result in
            limit.cancel()
            if case .failure = result { connected.whenSuccess { $0.close(promise: nil) } }
        }
        return handshake.futureResult.flatMap { connected }.flatMapThrowing { channel in
            let connection = try channel.pipeline.syncOperations.handler(type: EtcdConnection.self)
            return Open(
                channel: channel, connection: NIOLoopBound(connection, eventLoop: channel.eventLoop))
        }
    }

    static func body(of reply: EtcdReply, from member: SiteMember) throws(SiteError) -> [UInt8] {
        // With users, and a certificate that names somebody, the gateway refuses in plain words.
        if reply.status == 400, reply.body.starts(with: "CommonName of client".utf8) {
            throw .asksForUser("it ignores the names in certificates")
        }
        // A proxy in front has a page in HTML for it.
        let stranger = SiteError.stranger(member.text, status: reply.status)
        guard reply.body.first == UInt8(ascii: "{") else { throw stranger }
        guard reply.status != 200 else { return reply.body }
        guard let (words, code) = EtcdAnswer.error(parsing: reply.body) else { throw stranger }
        switch code {
        // Invalid argument, unauthenticated: it has users, and the gateway hands on no certificate.
        case 3 where words.contains("user name is empty"), 16: throw .asksForUser(words)
        // Deadline exceeded, unavailable: no leader, or one that has just died.
        case 4, 14: throw .noMajority(words)
        default: throw .failed(words)
        }
    }

    private static func fault(_ error: any Error, of member: SiteMember) -> SiteError {
        switch error {
        case let error as SiteError: return error
        case EtcdFault.tooLarge: return .damaged("etcd sent more than any answer has")
        case EtcdFault.timedOut: return .silent(member.text, reason: "no answer in time")
        case EtcdFault.closed: return .silent(member.text, reason: "it ended the connection")
        default: break
        }
        let words = "\(error)"
        if words.contains("CERTIFICATE_VERIFY_FAILED") || error is NIOSSLExtraError {
            return .untrusted(member.text)
        }
        if words.contains("ALERT_BAD_CERTIFICATE") || words.contains("CERTIFICATE_REQUIRED")
            || words.contains("ALERT_UNKNOWN_CA") || words.contains("ALERT_CERTIFICATE")
        {
            return .refused(member.text)
        }
        return .silent(member.text, reason: UpstreamLink.words(for: error))
    }
}

extension SiteMember {
    /// As HTTP names it.
    fileprivate var place: String { String(text.dropFirst("https://".count)) }
}

extension SiteCredentials {
    /// - Throws: `badFile` for what holds no certificate or key, `mismatch`.
    func context() throws(SiteError) -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        configuration.certificateVerification = .fullVerification
        configuration.shutdownTimeout = .seconds(1)
        guard let authorities = try? NIOSSLCertificate.fromPEMBytes(authority), !authorities.isEmpty else {
            throw .badFile("--ca", what: "certificate")
        }
        configuration.trustRoots = .certificates(authorities)
        guard let chain = try? NIOSSLCertificate.fromPEMBytes(certificate), !chain.isEmpty else {
            throw .badFile("--cert", what: "certificate")
        }
        configuration.certificateChain = chain.map { .certificate($0) }
        guard let key = try? NIOSSLPrivateKey(bytes: key, format: .pem) else {
            throw .badFile("--key", what: "key")
        }
        configuration.privateKey = .privateKey(key)
        guard let context = try? NIOSSLContext(configuration: configuration) else { throw .mismatch }
        return context
    }

    /// When the certificate ends, in seconds since 1970.
    package var end: Int64? {
        (try? NIOSSLCertificate.fromPEMBytes(certificate))?.first.map { Int64($0.notValidAfter) }
    }
}
