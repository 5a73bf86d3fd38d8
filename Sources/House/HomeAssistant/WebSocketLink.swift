import Addresses
import HubService
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket

/// A conversation by WebSocket (RFC 6455) with a server, as the client.
///
/// What comes is bounded before it is held: a message has at most ``maximumByteCount`` bytes, and no more is
/// read while one is being worked on.
enum WebSocketLink {
    /// 10,000 entities take about 5 MB.
    static let maximumByteCount = 16 << 20
    private static let maximumFrameCount = 4_096
    private static let connectTime = TimeAmount.seconds(10)

    /// Why a conversation ends, in words for people. Never reaches a user alone: ``HomeAssistantServer`` says
    /// of which server it is.
    struct Fault: Error, CustomStringConvertible {
        let description: String
        /// It is no use to try again soon.
        let isLasting: Bool

        init(_ description: String, isLasting: Bool = false) {
            (self.description, self.isLasting) = (description, isLasting)
        }

        static let closed = Fault("it has closed the connection")
    }

    typealias Channel = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>

    struct Writer: Sendable {
        fileprivate let outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>

        func send(_ text: [UInt8]) async throws {
            try await outbound.write(
                WebSocketFrame(
                    fin: true, opcode: .text, maskKey: .random(), data: ByteBuffer(bytes: text)))
        }

        fileprivate func answer(ping data: ByteBuffer) async throws {
            try await outbound.write(
                WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: data))
        }
    }

    /// Opens one, and lets `talk` have it; it closes when that returns.
    ///
    /// - Parameters:
    ///   - took: called with each message; the next is read when it returns.
    static func run(
        _ url: Upstream, _ path: String, on group: any EventLoopGroup,
        began: @escaping @Sendable (Writer) async throws -> Void,
        took: @escaping @Sendable ([UInt8]) async throws -> Void
    ) async throws {
        let channel = try await connect(url, path, on: group)
        do {
            try await channel.executeThenClose { inbound, outbound in
                let writer = Writer(outbound: outbound)
                try await began(writer)
                for try await frame in inbound {
                    switch frame.opcode {
                    case .text, .binary: try await took(Array(frame.unmaskedData.readableBytesView))
                    case .ping: try await writer.answer(ping: frame.unmaskedData)
                    case .connectionClose: throw Fault("it has ended the conversation")
                    default: break
                    }
                }
                throw Fault.closed
            }
        } catch is NIOWebSocketError {
            throw Fault("what it sends is no message, or one of more than 16 MB")
        } catch is NIOWebSocketFrameAggregator.Error {
            throw Fault("what it sends is no message, or one of more than 16 MB")
        }
    }

    private static func connect(
        _ url: Upstream, _ path: String, on group: any EventLoopGroup
    ) async throws -> Channel {
        let tls = try url.isTLS ? UpstreamTLS.context() : nil
        let bootstrap = ClientBootstrap(group: group).connectTimeout(connectTime)
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .channelOption(.maxMessagesPerRead, value: 1)
        let open = { @Sendable (channel: any NIOCore.Channel) in
            channel.eventLoop.makeCompletedFuture { try configure(channel, url, path, tls) }
        }
        let port = Int(url.port)
        let addresses = url.addresses.compactMap {
            try? SocketAddress(ipAddress: $0.description, port: port)
        }
        guard let first = addresses.first else {
            return try await upgraded(
                try await bootstrap.connect(host: url.host, port: port, channelInitializer: open))
        }
        do {
            return try await upgraded(try await bootstrap.connect(to: first, channelInitializer: open))
        } catch {
            guard addresses.count > 1, !(error is Fault) else { throw error }
            return try await upgraded(try await bootstrap.connect(to: addresses[1], channelInitializer: open))
        }
    }

    private static func upgraded(_ result: EventLoopFuture<Channel?>) async throws -> Channel {
        guard let channel = try await result.get() else {
            throw Fault("what answers there speaks no WebSocket at its address")
        }
        return channel
    }

    private static func configure(
        _ channel: any NIOCore.Channel, _ url: Upstream, _ path: String, _ tls: NIOSSLContext?
    ) throws -> EventLoopFuture<Channel?> {
        let pipeline = channel.pipeline.syncOperations
        if let tls { try pipeline.addHandler(UpstreamTLS.handler(tls, url)) }
        let alarm = channel.eventLoop.scheduleTask(in: connectTime) { channel.close(promise: nil) }
        let upgrader = NIOTypedWebSocketClientUpgrader<Channel?>(
            maxFrameSize: maximumByteCount
        ) { channel, _ in
            alarm.cancel()
            return channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(
                    NIOWebSocketFrameAggregator(
                        minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: maximumFrameCount,
                        maxAccumulatedFrameSize: maximumByteCount))
                try channel.pipeline.syncOperations.addHandler(EndOfRead())
                return try Channel(
                    wrappingChannelSynchronously: channel,
                    configuration: .init(backPressureStrategy: .init(lowWatermark: 1, highWatermark: 2)))
            }
        }
        let head = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: path,
            headers: HTTPHeaders([("Host", url.authority), ("Content-Length", "0")]))
        var configuration = NIOUpgradableHTTPClientPipelineConfiguration(
            upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
                upgradeRequestHead: head, upgraders: [upgrader]
            ) { channel in
                alarm.cancel()
                channel.close(promise: nil)
                return channel.eventLoop.makeSucceededFuture(nil)
            })
        // A first message may come together with the answer to the upgrade.
        configuration.leftOverBytesStrategy = .forwardBytes
        return try pipeline.configureUpgradableHTTPClientPipeline(configuration: configuration)
    }

    /// Ends a read behind each frame. One that comes together with the answer to the upgrade is handed on
    /// after the read that brought it has ended, and ``Channel`` would keep it until the next one.
    private final class EndOfRead: ChannelInboundHandler {
        typealias InboundIn = WebSocketFrame
        typealias InboundOut = WebSocketFrame

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            context.fireChannelRead(data)
            context.fireChannelReadComplete()
        }
    }
}
