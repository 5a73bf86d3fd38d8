import Addresses
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOTLS

/// Sends one request to a push service, over TLS that this system's authorities vouch for. Of the answer it
/// reads the head.
final class PushClient: Sendable {
    struct Answer: Sendable {
        let status: Int
        let retryAfter: String?
    }

    /// Why there is no answer. Never reaches a user: it is for the log.
    struct Fault: Error, CustomStringConvertible {
        let description: String
        /// True if trying again changes nothing.
        var isFinal = false
    }

    private static let time = TimeAmount.seconds(30)
    private static let connecting = TimeAmount.seconds(10)
    private static let mostAddresses = 3

    private let group: MultiThreadedEventLoopGroup
    private let context: NIOSSLContext

    /// Reads this system's authorities, which takes a while and some memory.
    init() throws {
        context = try NIOSSLContext(configuration: .makeClientConfiguration())
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    }

    func stop() async { try? await group.shutdownGracefully() }

    func post(
        _ endpoint: PushEndpoint, home: [PushEndpoint.HomeHost], _ fields: [(String, String)], body: [UInt8]
    ) async throws(Fault) -> Answer {
        let addresses = await HostAddresses.all(of: endpoint.host)
        guard !addresses.isEmpty else { throw Fault(description: "its name leads nowhere") }
        // All of them: of a name that leads home too, nobody knows what comes next time.
        guard addresses.allSatisfy({ endpoint.allows($0, home: home) }) else {
            throw Fault(description: "its name leads to an address that is not public", isFinal: true)
        }
        var head = HTTPRequestHead(version: .http1_1, method: .POST, uri: endpoint.target)
        head.headers = HTTPHeaders(
            [
                ("Host", endpoint.authority), ("Content-Length", "\(body.count)"), ("Connection", "close"),
            ] + fields)
        var fault = Fault(description: "it does not answer")
        for address in addresses.prefix(PushClient.mostAddresses) {
            do {
                let exchange = PushExchange.Request(head: head, body: ByteBuffer(bytes: body))
                return try await send(exchange, to: address, endpoint)
            } catch {
                fault = Fault(description: "\(error)")
            }
        }
        throw fault
    }

    private func send(
        _ request: PushExchange.Request, to address: NetworkAddress, _ endpoint: PushEndpoint
    ) async throws -> Answer {
        let loop = group.next()
        let promise = loop.makePromise(of: Answer.self)
        let context = context
        let target = try SocketAddress(ipAddress: "\(address)", port: Int(endpoint.port))
        let channel: any Channel
        do {
            channel = try await ClientBootstrap(group: loop).connectTimeout(PushClient.connecting)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        try pipeline.addHandler(
                            NIOSSLClientHandler(context: context, serverHostname: endpoint.host))
                        try pipeline.addHTTPClientHandlers()
                        try pipeline.addHandler(PushExchange(request, promise))
                    }
                }.connect(to: target).get()
        } catch {
            promise.fail(error)
            throw error
        }
        // Its end fails the promise.
        let deadline = loop.scheduleTask(in: PushClient.time) { channel.close(promise: nil) }
        defer { deadline.cancel() }
        return try await promise.futureResult.get()
    }
}

/// The one request of a connection; used on its event loop.
private final class PushExchange: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    struct Request: Sendable {
        let head: HTTPRequestHead
        let body: ByteBuffer
    }

    private let request: Request
    private let promise: EventLoopPromise<PushClient.Answer>

    init(_ request: Request, _ promise: EventLoopPromise<PushClient.Answer>) {
        (self.request, self.promise) = (request, promise)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted = event as? TLSUserEvent {
            context.write(wrapOutboundOut(.head(request.head)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(request.body))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data) else { return }
        promise.succeed(
            PushClient.Answer(
                status: Int(head.status.code), retryAfter: head.headers.first(name: "Retry-After")))
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        promise.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        promise.fail(PushClient.Fault(description: "it does not answer"))
        context.fireChannelInactive()
    }
}
