package import Addresses
import GatewayRules
import Glibc
package import Identity
import NIOCore
import NIOHTTP1
import NIOPosix
import Pairing
package import PinnedTLS
import Synchronization

/// Shows a hub's page in a browser of this computer that has no certificate: listens on 127.0.0.1 for that
/// browser alone, and passes what it asks on to the hub, over connections whose key is checked. On a paired
/// computer, or one that is to become one, the page also has this computer's hubs (``LocalPaths``).
package struct OpenPage: Sendable {
    /// How long nobody may ask for anything before it ends.
    package static let idleTime = Duration.seconds(600)
    /// The most connections at once. Browsers have six to one server, and a few of them are enough.
    private static let maximumConnectionCount = 64
    /// The most bytes of a request's body: what a hub takes for its own resources.
    private static let maximumBodyByteCount = 65_536

    private typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    /// The hub that is shown first; nil if this computer knows none yet, or several and no default.
    package let name: PeerName?
    /// True if all hubs that this computer is paired with are shown, and there are several.
    package let isOfAll: Bool
    private let shown: ShownHub
    private let local: LocalPaths?
    private let port: Int

    /// On a paired computer, or one that knows no hub yet.
    ///
    /// - Parameters:
    ///   - selector: selects the hub; nil for the default hub.
    ///   - port: the port to listen on; 0 for one that is free.
    package init(
        configuration: DeviceConfiguration, selector: PeerSelector?, port: Int = 0
    ) throws {
        let useHub = try UseHub(configuration: configuration)
        let hub = try selector.map { try useHub.find($0) } ?? useHub.first()
        if let hub, hub.isUnprotected { throw OpenPageError.noPage(hub: hub.name) }
        name = hub?.name
        isOfAll = try selector == nil && configuration.knownHubs().hubs.count { !$0.isPending } > 1
        shown = ShownHub(hub) { hub in
            // Made for each connection: a computer that knows no hub yet gets its key when it pairs.
            try await UseHub(configuration: configuration).connect(to: hub)
        }
        local = LocalPaths(
            configuration: configuration, shown: shown,
            relays: selector == nil ? KnownRelays(configuration: configuration) : nil)
        self.port = port
    }

    /// On a hub.
    ///
    /// - Parameter identity: what the hub lets in as an owner.
    package init(
        name: PeerName, at addresses: [HubAddress], pin: Pin, as identity: TLSIdentity, port: Int = 0
    ) throws {
        let connector = try HubConnector(identity: identity)
        self.name = name
        isOfAll = false
        shown = ShownHub(relay: HubRelay { try await connector.connect(to: addresses, expecting: .pin(pin)) })
        local = nil
        self.port = port
    }

    /// Serves until the task is cancelled, or nobody has asked for anything for ``idleTime``.
    ///
    /// - Parameters:
    ///   - environment: of this process.
    ///   - ready: gets the address for the browser; it works once.
    package func run(
        environment: [String: String], ready: @escaping @Sendable (String) throws -> Void
    ) async throws {
        try await checkPage()
        let server = try await listen()
        let bound = server.channel.localAddress?.port ?? port
        let (token, secret) = (OpenPage.secret(), OpenPage.secret())
        let visit = PageVisit(BrowserGate(port: bound, token: token, secret: secret), shown, local)
        try await first(
            of: { try await OpenPage.serve(server, port: UInt16(bound), visit, environment: environment) },
            or: {
                try ready("http://127.0.0.1:\(bound)\(BrowserGate.entrance)\(token)")
                try await OpenPage.waitForIdleness(visit)
            })
    }

    /// 128 bits for an address or a cookie.
    private static func secret() -> String {
        (0..<16).map { _ in UInt8.random(in: 0...255).hexDigits() }.joined()
    }

    /// Asks the hub for the page before a browser is opened: a hub that is away, or does not let this
    /// computer in, is better told of in the terminal. Of several, the page says it.
    private func checkPage() async throws {
        guard !isOfAll, let name, let relay = shown.relay else { return }
        var status = 0
        try await relay.send(HubRequest(method: "GET", target: PagePath.page.rawValue)) {
            status = $0.status
        } body: { _ in
        }
        if status == 404 { throw OpenPageError.noPage(hub: name) }
        if status == 401 || status == 403 { throw HubChoiceError.notPaired(name) }
    }

    /// The connections come as they are, and none is read from before it is taken: one that was wrapped and
    /// is dropped, because the server has ended in this moment, is a fault to NIO, and ends the program.
    private func listen() async throws -> NIOAsyncChannel<any Channel, Never> {
        do {
            return try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.autoRead, value: false)
                .bind(host: "127.0.0.1", port: port) { channel in
                    channel.eventLoop.makeSucceededFuture(channel)
                }
        } catch let error as IOError {
            throw OpenPageError.port(port, String(cString: strerror(error.errnoCode)))
        }
    }

    private static func waitForIdleness(_ visit: PageVisit) async throws {
        while true {
            let left = idleTime - visit.activity.withLock { $0.idleTime }
            guard left > .zero else { return }
            try await Task.sleep(for: left)
        }
    }

    private static func serve(
        _ server: NIOAsyncChannel<any Channel, Never>, port: UInt16, _ visit: PageVisit,
        environment: [String: String]
    ) async throws {
        try await server.executeThenClose { connections in
            try await withThrowingDiscardingTaskGroup { group in
                for try await connection in connections {
                    guard visit.activity.withLock({ $0.open }) < maximumConnectionCount,
                        isOurs(connection, port: port, environment)
                    else {
                        connection.close(promise: nil)
                        continue
                    }
                    visit.activity.withLock { $0.open += 1 }
                    group.addTask {
                        // The browser has gone, or the hub has broken off inside an answer.
                        try? await answer(take(connection), visit)
                        visit.activity.withLock { $0.open -= 1 }
                    }
                }
            }
        }
    }

    private static func isOurs(
        _ channel: any Channel, port: UInt16, _ environment: [String: String]
    ) -> Bool {
        guard let peer = channel.remoteAddress?.port,
            let user = LoopbackPeer.user(of: UInt16(peer), connectedTo: port)
        else { return false }
        return LoopbackPeer.isOurs(user, environment: environment)
    }

    /// To be used with `executeThenClose` at once.
    private static func take(_ channel: any Channel) async throws -> Connection {
        let connection = try await channel.eventLoop.submit {
            // The pipeline of a closed channel takes no handlers, halfway through.
            guard channel.isActive else { throw ChannelError.ioOnClosedChannel }
            try channel.pipeline.syncOperations.configureHTTPServerPipeline()
            return try Connection(wrappingChannelSynchronously: channel)
        }.get()
        channel.setOption(.autoRead, value: true).whenFailure { _ in channel.close(promise: nil) }
        return connection
    }

    private static func answer(_ connection: Connection, _ visit: PageVisit) async throws {
        try await connection.executeThenClose { parts, output in
            var parts = parts.makeAsyncIterator()
            while let part = try await parts.next() {
                guard case .head(let head) = part else { continue }
                let fields = head.headers.map { (name: $0.name, value: $0.value) }
                let verdict = visit.gate.withLock {
                    $0.verdict(method: head.method.rawValue, target: head.uri, fields: fields)
                }
                let limit = maximumByteCount(of: head, verdict)
                var body: [UInt8] = []
                var isWhole = false
                while !isWhole, let part = try await parts.next() {
                    switch part {
                    case .head: break
                    case .body(let bytes):
                        let room = limit + 1 - body.count
                        body.append(contentsOf: bytes.readableBytesView.prefix(room))
                    case .end: isWhole = true
                    }
                }
                guard isWhole else { return }
                visit.activity.withLock { $0.begin() }
                defer { visit.activity.withLock { $0.end() } }
                try await BrowserAnswer(output: output).send(
                    head, body: body.count > limit ? nil : body, verdict, visit)
                if !head.isKeepAlive { return }
            }
        }
    }

    /// How long a body may be: only pictures are long.
    private static func maximumByteCount(of head: HTTPRequestHead, _ verdict: BrowserGate.Verdict) -> Int {
        verdict == .pass && head.uri.hasPrefix(LocalPaths.pictures)
            ? LocalPaths.maximumPictureByteCount : maximumBodyByteCount
    }
}
