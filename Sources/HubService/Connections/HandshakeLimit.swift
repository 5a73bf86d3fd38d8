import Addresses
import GatewayRules
import NIOCore
import NIOSSL
import NIOTLS

/// Closes a connection whose client sends more than 16 KiB before the end of its TLS handshake, and limits
/// the total cost of strangers' certificates. It precedes TLS in the pipeline.
///
/// BoringSSL accepts 100 KB of certificates (`SSL_MAX_CERT_LIST_DEFAULT`) from any client, and keeps them
/// parsed. Usual clients send 0.4 KB without a certificate, 0.8 KB with a device's, 2.3 KB with an RSA-4096
/// certificate, 6.4 KB with three of them, and 1.2 KB more with a post-quantum key share. A client that sends
/// more than 3 KiB, or certificates of more than 1 KiB, needs a place in `LargeHandshakes`.
///
/// Bytes that arrive together with the end of the handshake may already belong to a request. So bytes over a
/// limit are held until TLS has processed those before them.
final class HandshakeLimit: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The maximum number of bytes in a handshake.
    static let byteCount = 16_384
    /// The maximum number of bytes in a handshake without a place in `LargeHandshakes`.
    static let usualByteCount = 3_072
    /// The maximum size of the certificates in DER without a place in `LargeHandshakes`, in bytes.
    static let usualCertificateByteCount = 1_024

    private let source: NetworkAddress
    private let log: ServeLog
    private let large: LargeHandshakes
    private var limit = HandshakeLimit.usualByteCount
    private var passedByteCount = 0
    private var isLarge = false
    private var hasLargeCertificates = false
    private var isDone = false
    /// The bytes over the limit.
    private var held: ByteBuffer?
    private var readIsHeld = false
    private var context: ChannelHandlerContext?

    init(_ source: NetworkAddress, log: ServeLog, large: LargeHandshakes) {
        self.source = source
        self.log = log
        self.large = large
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        if isLarge { large.leave(context.channel) }
        held = nil
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDone || held != nil else { return context.fireChannelRead(data) }
        var bytes = unwrapInboundIn(data)
        if passedByteCount == 0, let answer = PlainRequest.answer(to: bytes.readableBytesView) {
            // Whatever comes after it is not looked at.
            (isDone, passedByteCount) = (true, bytes.readableBytes)
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: answer)), promise: nil)
            return context.close(promise: nil)
        }
        guard held?.writeBuffer(&bytes) == nil else { return }
        pass(bytes, context)
    }

    func read(context: ChannelHandlerContext) {
        if held == nil { context.read() } else { readIsHeld = true }
    }

    /// Passes on as many bytes as the limit allows, and decides about the rest once TLS has processed them.
    private func pass(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        var bytes = bytes
        let first = bytes.readSlice(length: min(limit - passedByteCount, bytes.readableBytes))
        passedByteCount += first?.readableBytes ?? 0
        held = bytes.readableBytes > 0 ? bytes : nil
        if let first { context.fireChannelRead(wrapInboundOut(first)) }
        guard held != nil else { return }
        // Verifying a client's certificate is a task of its own, which is already queued before this one.
        context.eventLoop.assumeIsolated().execute { [self] in decide(context) }
    }

    private func decide(_ context: ChannelHandlerContext) {
        guard let bytes = held else { return }
        held = nil
        if isDone {
            context.fireChannelRead(wrapInboundOut(bytes))
        } else if limit < HandshakeLimit.byteCount {
            limit = HandshakeLimit.byteCount
            enterLarge()
            pass(bytes, context)
        } else {
            log.warning(
                .tls,
                "closed a connection from \(source): its TLS handshake takes more than "
                    + "\(HandshakeLimit.byteCount) bytes")
            return context.close(promise: nil)
        }
        context.fireChannelReadComplete()
        if held == nil, readIsHeld {
            readIsHeld = false
            context.read()
        }
    }

    private func enterLarge() {
        guard !isLarge, let channel = context?.channel else { return }
        isLarge = true
        guard large.enter(channel) else { return }
        log.warning(
            .limit,
            "closed the oldest connection with large certificates: there are \(LargeHandshakes.count) already"
        )
    }

    /// Called with the certificates that the client presents.
    func note(_ certificates: [NIOSSLCertificate]) {
        let byteCount = certificates.reduce(0) { $0 + ((try? $1.toDERBytes().count) ?? 0) }
        hasLargeCertificates = byteCount > HandshakeLimit.usualCertificateByteCount
        if hasLargeCertificates { enterLarge() }
    }

    /// Lifts the limit after the handshake. An approved device does not use up the strangers' places.
    func lift(isApproved: Bool) {
        isDone = true
        guard isLarge, isApproved || !hasLargeCertificates, let channel = context?.channel else { return }
        isLarge = false
        large.leave(channel)
    }
}

/// Follows TLS in the pipeline and lifts the `HandshakeLimit` after the handshake.
final class HandshakeEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let limit: HandshakeLimit
    private unowned let connection: ServeConnection

    init(_ limit: HandshakeLimit, _ connection: ServeConnection) {
        self.limit = limit
        self.connection = connection
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // The connection handles the event first and identifies the device.
        context.fireUserInboundEventTriggered(event)
        if case TLSUserEvent.handshakeCompleted = event {
            limit.lift(isApproved: connection.machine.isApproved)
        }
    }
}
