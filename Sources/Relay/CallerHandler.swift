import Addresses
import GatewayRules
import Identity
import NIOCore

/// Reads a connection as far as its server name, and gives it to the relay itself, to a hub, or to nobody.
final class CallerHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    let address: NetworkAddress
    let port: UInt16
    let source: SourcePrefix
    private let board: RelayBoard
    private let makeOwn: (any Channel, SourcePrefix) throws -> Void
    private var bytes: [UInt8] = []
    private var context: ChannelHandlerContext?
    private var timer: Scheduled<Void>?
    /// The hub that it waits for.
    private var wanted: Fingerprint?
    private var isDecided = false

    /// - Parameter makeOwn: adds what serves the relay's own connections behind this handler.
    init(
        _ address: NetworkAddress, port: UInt16, board: RelayBoard,
        makeOwn: @escaping (any Channel, SourcePrefix) throws -> Void
    ) {
        (self.address, self.port, source) = (address, port, SourcePrefix(address))
        (self.board, self.makeOwn) = (board, makeOwn)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        start(board.limits.hello)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        self.context = nil
    }

    private func start(_ time: TimeAmount) {
        guard let eventLoop = context?.eventLoop else { return }
        timer?.cancel()
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        timer = eventLoop.scheduleTask(in: time) { bound.value.close() }
    }

    func close() { context?.close(promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        bytes += unwrapInboundIn(data).readableBytesView
        guard !isDecided else { return }
        guard bytes.count <= ClientHello.maximumByteCount * 2 else { return close() }
        switch ClientHello.read(bytes) {
        case .more: break
        case .malformed, .noName: close()
        case .name(let name, let isChallenge):
            isDecided = true
            guard isChallenge else { return go(to: board.hub(named: name)) }
            // No more is read until it is known whose the name is.
            try? context.channel.syncOptions?.setOption(.autoRead, value: false)
            board.ask(for: name) { [weak self] in self?.go(to: $0) }
        }
    }

    /// - Parameter fingerprint: the hub that it wants; nil: nobody's.
    private func go(to fingerprint: Fingerprint?) {
        guard let context, context.channel.isActive else { return }
        guard let fingerprint else { return close() }
        if fingerprint == board.own { return becomeOwn(context) }
        wanted = fingerprint
        // No more is read until somebody takes it.
        try? context.channel.syncOptions?.setOption(.autoRead, value: false)
        start(board.limits.wait)
        board.call(fingerprint, self)
    }

    private func becomeOwn(_ context: ChannelHandlerContext) {
        timer?.cancel()
        do {
            try makeOwn(context.channel, source)
        } catch {
            return close()
        }
        let first = ByteBuffer(bytes: bytes)
        bytes = []
        context.fireChannelRead(wrapInboundOut(first))
        context.fireChannelReadComplete()
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    /// Gets one of its hub's connections.
    ///
    /// - Returns: false if the caller is gone; then the connection is free.
    func take(_ hubChannel: any Channel, of hub: RelayBoard.Hub) -> Bool {
        guard let context, context.channel.isActive, !bytes.isEmpty else { return false }
        timer?.cancel()
        wanted = nil
        let splice = Splice(hub: hub, source: source, board: board)
        var first = ByteBuffer(bytes: ProxyHeader.bytes(source: address, port: port))
        first.writeBytes(bytes)
        bytes = []
        guard splice.join(context.channel, hubChannel, first: first) else {
            hubChannel.close(promise: nil)
            close()
            return true
        }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
        return true
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let wanted { board.leave(self, wanted) }
        wanted = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { close() }
}
