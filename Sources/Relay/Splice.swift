import Addresses
import GatewayRules
import NIOCore

/// A caller and its hub, connected: what comes from one goes to the other as it came. At most a high-water
/// mark of bytes waits for each, and a budget of bytes a second keeps callers and hubs from starving others.
final class Splice {
    let hub: RelayBoard.Hub
    let source: SourcePrefix
    private(set) var byteCount: UInt64 = 0
    private let board: RelayBoard
    private let start = ContinuousClock.now
    private var budget: ByteBudget
    private var ends: [SpliceEnd] = []
    private var isEnded = false

    init(hub: RelayBoard.Hub, source: SourcePrefix, board: RelayBoard) {
        (self.hub, self.source, self.board) = (hub, source, board)
        budget = ByteBudget(rate: board.limits.callerRate, now: NIODeadline.now().uptimeNanoseconds)
    }

    var age: Duration { start.duration(to: .now) }

    /// Connects both; false if one of them is gone.
    func join(_ caller: any Channel, _ hubChannel: any Channel, first: ByteBuffer) -> Bool {
        let (one, other) = (SpliceEnd(self), SpliceEnd(self))
        (one.other, other.other) = (other, one)
        ends = [one, other]
        do {
            for channel in [caller, hubChannel] {
                try channel.syncOptions?.setOption(.autoRead, value: false)
                try channel.syncOptions?.setOption(.writeBufferWaterMark, value: board.limits.waterMark)
            }
            // The hub's handler of idle connections hands over.
            let tunnel = try hubChannel.pipeline.syncOperations.handler(type: TunnelHandler.self)
            tunnel.isGivenAway = true
            try hubChannel.pipeline.syncOperations.addHandler(other)
            hubChannel.pipeline.syncOperations.removeHandler(tunnel, promise: nil)
            try caller.pipeline.syncOperations.addHandler(one)
        } catch {
            return false
        }
        board.begin(self)
        hubChannel.writeAndFlush(first, promise: nil)
        count(first.readableBytes)
        one.readMore()
        other.readMore()
        return true
    }

    func close() { for end in ends { end.close() } }

    /// Counts bytes.
    ///
    /// - Returns: nanoseconds until more may be read; 0: now.
    @discardableResult
    func count(_ bytes: Int) -> UInt64 {
        byteCount += UInt64(bytes)
        hub.byteCount += UInt64(bytes)
        let now = NIODeadline.now().uptimeNanoseconds
        return max(budget.take(bytes, now: now), hub.budget.take(bytes, now: now))
    }

    var stall: TimeAmount { board.limits.stall }

    func ended() {
        guard !isEnded else { return }
        isEnded = true
        board.end(self)
        ends = []
    }
}

/// One end of a ``Splice``.
final class SpliceEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let splice: Splice
    var other: SpliceEnd?
    private var context: ChannelHandlerContext?
    private var pause: UInt64 = 0
    private var waitsForOther = false
    private var timer: Scheduled<Void>?

    init(_ splice: Splice) { self.splice = splice }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        pause = max(pause, splice.count(bytes.readableBytes))
        other?.context?.channel.write(bytes, promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        other?.context?.channel.flush()
        readMore()
    }

    /// Reads on, once the other side and the budget allow it.
    func readMore() {
        guard let context, let other = other?.context?.channel else { return }
        guard other.isWritable else {
            guard !waitsForOther else { return }
            waitsForOther = true
            after(splice.stall) { $0.splice.close() }
            return
        }
        waitsForOther = false
        timer?.cancel()
        guard pause == 0 else {
            let time = TimeAmount.nanoseconds(Int64(pause))
            pause = 0
            return after(time) { $0.readMore() }
        }
        context.read()
    }

    private func after(_ time: TimeAmount, _ body: @escaping @Sendable (SpliceEnd) -> Void) {
        guard let eventLoop = context?.eventLoop else { return }
        timer?.cancel()
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        timer = eventLoop.scheduleTask(in: time) { body(bound.value) }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, other?.waitsForOther == true {
            other?.waitsForOther = false
            other?.readMore()
        }
        context.fireChannelWritabilityChanged()
    }

    func close() { context?.close(promise: nil) }

    /// Closes once everything has been sent.
    private func finish() {
        guard let context else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        other = nil
        after(splice.stall) { $0.close() }
        context.channel.writeAndFlush(ByteBuffer()).whenComplete { _ in bound.value.close() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        let other = other
        self.other = nil
        other?.finish()
        splice.ended()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { close() }
}
