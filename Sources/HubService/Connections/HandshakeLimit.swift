import Addresses
import NIOCore
import NIOSSL
import NIOTLS

/// Ends a connection whose client sends more than 16 KiB before its TLS handshake is done, and bounds what
/// the certificates of all strangers cost. It stands before TLS in the pipeline.
///
/// BoringSSL takes 100 KB of certificates (`SSL_MAX_CERT_LIST_DEFAULT`) from anybody, and keeps them parsed.
/// Bytes that usual clients send: 0.4 KB without a certificate, 0.8 KB with a device's, 2.3 KB with one over
/// RSA-4096, 6.4 KB with three of them; 1.2 KB more with a post-quantum key share. A client that sends more
/// than 3 KiB, or certificates of more than 1 KiB, needs a place among `LargeHandshakes`.
///
/// What arrives in one read with the end of the handshake may be a request already, so bytes over a limit
/// wait until TLS has looked at those before them.
final class HandshakeLimit: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The most bytes of a handshake.
    static let byteCount = 16_384
    /// The most bytes of a handshake that needs no place.
    static let usualByteCount = 3_072
    /// The most bytes of certificates, in DER, that need no place.
    static let usualCertificateByteCount = 1_024

    private let source: NetworkAddress
    private let log: ServeLog
    private let large: LargeHandshakes
    private var limit = HandshakeLimit.usualByteCount
    private var passedByteCount = 0
    private var isLarge = false
    private var hasLargeCertificates = false
    private var isDone = false
    /// What came over the limit.
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
        guard held?.writeBuffer(&bytes) == nil else { return }
        pass(bytes, context)
    }

    func read(context: ChannelHandlerContext) {
        if held == nil { context.read() } else { readIsHeld = true }
    }

    /// Hands on as many bytes as may come, and looks again when TLS has seen them.
    private func pass(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        var bytes = bytes
        let first = bytes.readSlice(length: min(limit - passedByteCount, bytes.readableBytes))
        passedByteCount += first?.readableBytes ?? 0
        held = bytes.readableBytes > 0 ? bytes : nil
        if let first { context.fireChannelRead(wrapInboundOut(first)) }
        guard held != nil else { return }
        // A client's certificate is verified in a task of its own, which is in line by now, before this one.
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

    /// The client shows these certificates.
    func note(_ certificates: [NIOSSLCertificate]) {
        let byteCount = certificates.reduce(0) { $0 + ((try? $1.toDERBytes().count) ?? 0) }
        hasLargeCertificates = byteCount > HandshakeLimit.usualCertificateByteCount
        if hasLargeCertificates { enterLarge() }
    }

    /// The handshake is done. What it cost an approved device is no stranger's.
    func lift(isApproved: Bool) {
        isDone = true
        guard isLarge, isApproved || !hasLargeCertificates, let channel = context?.channel else { return }
        isLarge = false
        large.leave(channel)
    }
}

/// Stands behind TLS and lifts a connection's `HandshakeLimit` when the handshake is done.
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
        // The connection comes behind this handler, and recognises the device first.
        context.fireUserInboundEventTriggered(event)
        if case TLSUserEvent.handshakeCompleted = event {
            limit.lift(isApproved: connection.hasBeenApproved)
        }
    }
}
