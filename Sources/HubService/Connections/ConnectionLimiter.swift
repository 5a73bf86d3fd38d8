import Addresses
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
