import Addresses
import GatewayRules
import NIOCore
import NIOSSL
import NIOTLS

/// One connection of a ``RelayUplink``, behind the TLS with the relay, until it carries a caller.
final class RelayLink: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let handshakeTime = TimeAmount.seconds(10)

    let role: UInt8
    private let uplink: RelayUplink
    private var context: ChannelHandlerContext?
    private var timer: Scheduled<Void>?
    private var received: [UInt8] = []
    private var isAnswered = true
    private var isDone = false
    private var fault = "the connection ended"

    init(_ uplink: RelayUplink, role: UInt8) { (self.uplink, self.role) = (uplink, role) }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        start(RelayLink.handshakeTime) { $0.giveUp("no handshake in time") }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        self.context = nil
    }

    func close() { context?.close(promise: nil) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted(let negotiated) = event {
            guard negotiated == RelayWire.applicationProtocol else { return giveUp("it is no relay") }
            write([role, RelayWire.ping])
            isAnswered = false
            uplink.stands(self)
            startPings()
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func startPings() {
        start(.seconds(role == RelayWire.control ? RelayWire.controlPing : RelayWire.sparePing)) { link in
            guard link.isAnswered else { return link.giveUp("it does not answer") }
            link.isAnswered = false
            link.write([RelayWire.ping])
            link.startPings()
        }
    }

    private func start(_ time: TimeAmount, _ body: @escaping @Sendable (RelayLink) -> Void) {
        guard let eventLoop = context?.eventLoop else { return }
        timer?.cancel()
        let link = NIOLoopBound(self, eventLoop: eventLoop)
        timer = eventLoop.scheduleTask(in: time) { body(link.value) }
    }

    private func giveUp(_ reason: String) {
        fault = reason
        close()
    }

    func write(_ bytes: [UInt8]) {
        context?.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += unwrapInboundIn(data).readableBytesView
        if role == RelayWire.control { readControl() } else { readSpare(context) }
    }

    private func readControl() {
        var rest = received[...]
        while let first = rest.first {
            switch first {
            case RelayWire.ping:
                isAnswered = true
                rest = rest.dropFirst()
                uplink.answers()
            case RelayWire.waiting:
                guard rest.count >= 2 else {
                    received = Array(rest)
                    return
                }
                uplink.wait(Int(rest[rest.startIndex + 1]))
                rest = rest.dropFirst(2)
            case RelayWire.proof:
                guard rest.count >= 2 else {
                    received = Array(rest)
                    return
                }
                guard let verdict = RelayWire.Verdict(rawValue: rest[rest.startIndex + 1]) else {
                    return giveUp("it does not speak as a relay does")
                }
                uplink.proved(verdict)
                rest = rest.dropFirst(2)
            default: return giveUp("it does not speak as a relay does")
            }
        }
        received = []
    }

    private func readSpare(_ context: ChannelHandlerContext) {
        let pongs = received.prefix { $0 == RelayWire.ping }.count
        if pongs > 0 {
            isAnswered = true
            received.removeFirst(pongs)
        }
        guard !received.isEmpty else { return }
        switch ProxyHeader.read(received) {
        case .more: break
        case .malformed: giveUp("it does not speak as a relay does")
        case .source(let source, _, let byteCount):
            timer?.cancel()
            isDone = true
            guard uplink.take(context.channel, from: self, source: source) else { return close() }
            let rest = ByteBuffer(bytes: received.dropFirst(byteCount))
            received = []
            if rest.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(rest)) }
            context.fireChannelReadComplete()
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fault =
            error is NIOSSLError || error is BoringSSLError ? "its key is another, or TLS failed" : "\(error)"
        close()
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        if !isDone {
            isDone = true
            uplink.ended(self, fault)
        }
        context.fireChannelInactive()
    }
}
