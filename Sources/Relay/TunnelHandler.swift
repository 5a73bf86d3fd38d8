import Addresses
import GatewayRules
import HubService
import NIOCore
import NIOHTTP1
import NIOSSL
import NIOTLS
import Pairing
import PinnedTLS

/// The relay's own connections, behind their TLS: a hub's control or spare one until a caller gets it, or a
/// request of the pairing exchange.
final class TunnelHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let ssl: NIOSSLHandler
    private let board: RelayBoard
    private let source: SourcePrefix
    private let makeDesk: (Pin?) -> RelayDesk
    private var context: ChannelHandlerContext?
    private var timer: Scheduled<Void>?
    private var hub: (pin: Pin, name: String)?
    private var role: UInt8?
    /// A caller has it.
    var isGivenAway = false
    /// The source is not counted any more.
    private(set) var isReleased = false

    init(
        _ ssl: NIOSSLHandler, board: RelayBoard, source: SourcePrefix,
        makeDesk: @escaping (Pin?) -> RelayDesk
    ) {
        (self.ssl, self.board, self.source, self.makeDesk) = (ssl, board, source, makeDesk)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        start(board.limits.own)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        self.context = nil
    }

    private func start(_ time: TimeAmount) {
        guard let eventLoop = context?.eventLoop else { return }
        timer?.cancel()
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        timer = eventLoop.scheduleTask(in: time) { bound.value.context?.close(promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted(let negotiated) = event {
            let pin = ssl.peerCertificate.flatMap { Pin(device: $0) }
            guard negotiated == RelayWire.applicationProtocol else { return serveRequests(context, pin) }
            guard let pin, let name = board.admitted(pin) else {
                let der = (try? ssl.peerCertificate?.toDERBytes()) ?? []
                if let pin, let statement = KeyStatement(inCertificate: der), statement.new == pin,
                    board.admitted(statement.old) != nil
                {
                    // It comes again in a moment.
                    board.adopt(statement, on: context.eventLoop)
                    return context.close(promise: nil)
                }
                board.log.warning(.pairing, "closed a connection of a hub that is not admitted")
                return context.close(promise: nil)
            }
            hub = (pin, name)
            // Its many connections come from one address.
            isReleased = true
            board.release(source, isOpen: true)
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func serveRequests(_ context: ChannelHandlerContext, _ pin: Pin?) {
        do {
            let pipeline = context.pipeline.syncOperations
            try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: true, withErrorHandling: true)
            try pipeline.addHandler(makeDesk(pin))
            // The deadline stays with the connection.
            let channel = context.channel
            let timer = context.eventLoop.scheduleTask(in: board.limits.own) { channel.close(promise: nil) }
            channel.closeFuture.whenComplete { _ in timer.cancel() }
            pipeline.removeHandler(self, promise: nil)
        } catch {
            context.close(promise: nil)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        guard let hub else { return context.close(promise: nil) }
        if role == nil, let first = bytes.readInteger(as: UInt8.self) {
            guard first == RelayWire.control || first == RelayWire.spare else {
                return context.close(promise: nil)
            }
            role = first
            if first == RelayWire.control { board.control(context.channel, of: hub.pin, hub.name) }
        }
        guard let pings = read(&bytes, of: hub.pin, context) else { return context.close(promise: nil) }
        start(.seconds(RelayWire.silence))
        // Each ping is sent back, so the hub knows that the way stands.
        if pings > 0 {
            let answer = ByteBuffer(repeating: RelayWire.ping, count: pings)
            context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        }
        if role == RelayWire.spare, !isOffered {
            isOffered = true
            board.spare(context.channel, of: hub.pin, hub.name)
        }
    }

    /// Reads pings, and on the control connection proofs, of which one may be cut.
    ///
    /// - Returns: how many pings there were; nil if it is no hub that speaks.
    private func read(_ bytes: inout ByteBuffer, of pin: Pin, _ context: ChannelHandlerContext) -> Int? {
        var pings = 0
        while bytes.readableBytes > 0 || isWhole {
            if let length = proofLength {
                proof += bytes.readBytes(length: min(length - proof.count, bytes.readableBytes)) ?? []
                guard isWhole else { break }
                board.prove(proof, by: pin, on: context.channel)
                (proof, proofLength, proofHead) = ([], nil, [])
            } else if let byte = bytes.readInteger(as: UInt8.self) {
                if proofHead.isEmpty, byte == RelayWire.ping {
                    pings += 1
                    continue
                }
                proofHead.append(byte)
                guard role == RelayWire.control, proofHead[0] == RelayWire.proof else { return nil }
                guard proofHead.count == 4 else { continue }
                let length = proofHead.dropFirst().reduce(0) { $0 << 8 | Int($1) }
                proofCount += 1
                guard length <= InstalledCertificate.maximumByteCount,
                    proofCount <= RelayWire.maximumProofCount
                else { return nil }
                proofLength = length
            }
        }
        return pings <= 64 ? pings : nil
    }

    /// The type and the length, as far as they have come.
    private var proofHead: [UInt8] = []
    private var proofLength: Int?
    private var proof: [UInt8] = []
    private var proofCount = 0
    private var isWhole: Bool { proofLength == proof.count }
    private var isOffered = false

    func channelInactive(context: ChannelHandlerContext) {
        if let hub, !isGivenAway { board.gone(context.channel, of: hub.pin) }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
