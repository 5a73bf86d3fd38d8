import FoundationEssentials
import GatewayRules
import NIOCore
import NIOPosix

/// Reads a relayed connection as far as its server name while the owner has a certificate made. An
/// authority's question goes on to the ACME client as it came; everybody else meets the hub's own TLS.
final class ChallengeSwitch: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The time for all of it.
    private static let time = TimeAmount.seconds(20)

    private let request: CertificateRequest
    private let equip: () throws -> Void
    private let log: ServeLog
    private var bytes: [UInt8] = []
    private var isDecided = false
    private var timer: Scheduled<Void>?

    /// - Parameter equip: adds what serves the hub's callers behind this handler.
    init(_ request: CertificateRequest, log: ServeLog, equip: @escaping () throws -> Void) {
        (self.request, self.log, self.equip) = (request, log, equip)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        timer = context.eventLoop.scheduleTask(in: ChallengeSwitch.time) { channel.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        bytes += unwrapInboundIn(data).readableBytesView
        guard bytes.count <= ChallengePipe.maximumByteCount else { return context.close(promise: nil) }
        guard !isDecided else { return }
        switch ClientHello.read(bytes) {
        case .more: break
        case .malformed: context.close(promise: nil)
        case .name(let name, isChallenge: true):
            guard let port = request.port(of: name, at: Date()) else { return serve(context) }
            isDecided = true
            answer(context, name, port)
        case .name, .noName: serve(context)
        }
    }

    private func serve(_ context: ChannelHandlerContext) {
        isDecided = true
        do {
            try equip()
        } catch {
            return context.close(promise: nil)
        }
        handOver(context)
    }

    private func handOver(_ context: ChannelHandlerContext) {
        let first = ByteBuffer(bytes: bytes)
        bytes = []
        context.fireChannelRead(wrapInboundOut(first))
        context.fireChannelReadComplete()
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    private func answer(_ context: ChannelHandlerContext, _ name: String, _ port: UInt16) {
        log.notice("an authority asks for \(name); port \(port) of this machine answers")
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let log = log
        ClientBootstrap(group: context.eventLoop).connectTimeout(.seconds(5))
            .connect(host: "127.0.0.1", port: Int(port)).hop(to: context.eventLoop).whenComplete { result in
                let (own, context) = bound.value
                switch result {
                case .success(let client):
                    guard context.channel.isActive,
                        (try? ChallengePipe.join(context.channel, client)) != nil
                    else {
                        client.close(promise: nil)
                        return context.close(promise: nil)
                    }
                    own.handOver(context)
                case .failure:
                    log.notice("nothing answers for \(name) on port \(port) of this machine")
                    context.close(promise: nil)
                }
            }
    }
}

/// One end of a connection between an authority and an ACME client: a handshake, and no more than that.
final class ChallengePipe: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    static let maximumByteCount = 65_536
    private static let time = TimeAmount.seconds(20)

    private let other: any Channel
    private var byteCount = 0

    private init(to other: any Channel) { self.other = other }

    static func join(_ one: any Channel, _ other: any Channel) throws {
        try one.pipeline.syncOperations.addHandler(ChallengePipe(to: other))
        try other.pipeline.syncOperations.addHandler(ChallengePipe(to: one))
        let timer = one.eventLoop.scheduleTask(in: time) { one.close(promise: nil) }
        one.closeFuture.whenComplete { _ in timer.cancel() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        byteCount += bytes.readableBytes
        guard byteCount <= ChallengePipe.maximumByteCount else { return context.close(promise: nil) }
        other.writeAndFlush(bytes, promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        // What was written goes out first.
        let other = other
        other.writeAndFlush(ByteBuffer()).whenComplete { _ in other.close(promise: nil) }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
