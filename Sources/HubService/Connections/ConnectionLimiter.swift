import Addresses
import GatewayRules
import NIOCore
import Synchronization

/// Enforces the connection limits before a connection costs a TLS handshake: it closes the oldest connection
/// of an unapproved client, or the new one.
final class ConnectionLimiter: ChannelInboundHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel

    private let shared: ServerContext

    init(_ shared: ServerContext) { self.shared = shared }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let child = unwrapInboundIn(data)
        guard let address = child.remoteAddress.flatMap(NetworkAddress.init) else {
            return child.close(promise: nil)
        }
        // Counted once it has said whose connection it is.
        guard !shared.isBalancer(address) else { return context.fireChannelRead(data) }
        let source = shared.isTrustedProxy(address) ? nil : SourcePrefix(address)
        guard ConnectionLimiter.admit(child, from: address, counted: source, shared) else { return }
        context.fireChannelRead(data)
    }

    /// Counts a connection, and closes another one for it if need be.
    ///
    /// - Parameter source: what it is counted for; nil for a trusted proxy, which is not.
    /// - Returns: false if it is over the limits; then it has been closed.
    static func admit(
        _ child: any Channel, from address: NetworkAddress, counted source: SourcePrefix?,
        _ shared: ServerContext
    ) -> Bool {
        let key = ConnectionKey(channel: child)
        let limits = shared.limits
        switch shared.connections.withLock({ $0.admit(key, from: source, limits: limits) }) {
        case .admitted: break
        case .admittedFor(let oldest, let reason):
            let why =
                reason == .source
                ? "from the source of \(address): it has \(limits.connectionsPerSource) already"
                : "of all: there are \(limits.connections) already"
            shared.log.warning(.limit, "closed the oldest connection without an approved device \(why)")
            ConnectionLimiter.end(oldest.channel)
        case .refused(let reason):
            shared.log.warning(
                .limit,
                "closed a connection from \(address): "
                    + (reason == .total
                        ? "there are \(limits.connections) of approved devices already"
                        : "they come faster than old ones can be closed"))
            child.close(promise: nil)
            return false
        }
        child.closeFuture.whenComplete { _ in shared.connections.withLock { $0.remove(key) } }
        return true
    }

    /// Closes after the answers that are not yet sent.
    static func retire(_ channel: any Channel) {
        channel.eventLoop.execute {
            try? channel.pipeline.syncOperations.handler(type: ServeConnection.self).retire()
        }
    }

    /// Closes without waiting for TLS's close_notify, which the client could delay.
    static func end(_ channel: any Channel) {
        channel.eventLoop.execute {
            if let connection = try? channel.pipeline.syncOperations.handler(type: ServeConnection.self) {
                connection.giveWay()
            } else {
                channel.close(promise: nil)
            }
        }
    }
}

/// The beginning of a connection that a balancer passes on, as far as the caller's address. Then it counts
/// for that address, and TLS begins. Nobody but the balancers that the owner has named gets this far.
final class BalancedCaller: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let shared: ServerContext
    private let equip: (NetworkAddress) throws -> Void
    private var bytes: [UInt8] = []
    private var timer: Scheduled<Void>?

    /// - Parameter equip: adds what serves a caller behind this handler.
    init(_ shared: ServerContext, equip: @escaping (NetworkAddress) throws -> Void) {
        (self.shared, self.equip) = (shared, equip)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        timer = context.eventLoop.scheduleTask(in: shared.limits.handshake) { channel.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        bytes += unwrapInboundIn(data).readableBytesView
        switch ProxyHeader.readEither(bytes) {
        case .more: break
        case .malformed:
            // A balancer that only looks whether the gate lives sends no address (LOCAL), or nothing.
            shared.log.debug("closed a connection of a balancer that names no caller")
            context.close(promise: nil)
        case .source(let source, _, let byteCount): serve(source, after: byteCount, context)
        }
    }

    private func serve(_ source: NetworkAddress, after byteCount: Int, _ context: ChannelHandlerContext) {
        guard
            ConnectionLimiter.admit(context.channel, from: source, counted: SourcePrefix(source), shared)
        else { return }
        do {
            try equip(source)
        } catch {
            return context.close(promise: nil)
        }
        let first = ByteBuffer(bytes: bytes.dropFirst(byteCount))
        bytes = []
        if first.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(first)) }
        context.fireChannelReadComplete()
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}
