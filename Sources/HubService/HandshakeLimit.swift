import Discovery
import NIOCore
import NIOTLS

/// Ends a connection whose client sends more than 16 KiB before its TLS handshake is done. It stands before TLS in the
/// pipeline.
///
/// BoringSSL takes 100 KB of certificates (`SSL_MAX_CERT_LIST_DEFAULT`) from anybody, and keeps them parsed. Bytes that
/// usual clients send: 0.4 KB without a certificate, 0.8 KB with a device's, 2.3 KB with one over RSA-4096, 6.4 KB with
/// three of them; 1.2 KB more with a post-quantum key share.
///
/// What arrives in one read with the end of the handshake may be a request already, so bytes over the limit wait until
/// TLS has looked at those before them.
final class HandshakeLimit: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    static let byteCount = 16_384

    private let source: NetworkAddress
    private let log: ServeLog
    private var left = HandshakeLimit.byteCount
    private var isDone = false
    /// What came over the limit.
    private var held: ByteBuffer?
    private var readIsHeld = false

    init(_ source: NetworkAddress, log: ServeLog) {
        self.source = source
        self.log = log
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDone || held != nil else { return context.fireChannelRead(data) }
        var bytes = unwrapInboundIn(data)
        guard held?.writeBuffer(&bytes) == nil else { return }
        let first = bytes.readSlice(length: min(left, bytes.readableBytes))
        left -= first?.readableBytes ?? 0
        held = bytes.readableBytes > 0 ? bytes : nil
        if let first { context.fireChannelRead(wrapInboundOut(first)) }
        guard held != nil else { return }
        // A client's certificate is verified in a task of its own, which is in line by now, before this one.
        context.eventLoop.assumeIsolated().execute { [self] in decide(context) }
    }

    func read(context: ChannelHandlerContext) {
        if held == nil { context.read() } else { readIsHeld = true }
    }

    func handlerRemoved(context: ChannelHandlerContext) { held = nil }

    private func decide(_ context: ChannelHandlerContext) {
        guard let bytes = held else { return }
        held = nil
        guard isDone else {
            log.warning(
                .tls,
                "closed a connection from \(source): its TLS handshake takes more than "
                    + "\(HandshakeLimit.byteCount) bytes")
            return context.close(promise: nil)
        }
        context.fireChannelRead(wrapInboundOut(bytes))
        context.fireChannelReadComplete()
        if readIsHeld {
            readIsHeld = false
            context.read()
        }
    }

    /// Stands behind TLS and lifts the limit when the handshake is done.
    final class Lift: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias InboundOut = ByteBuffer

        private let limit: HandshakeLimit

        init(_ limit: HandshakeLimit) { self.limit = limit }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case TLSUserEvent.handshakeCompleted = event { limit.isDone = true }
            context.fireUserInboundEventTriggered(event)
        }
    }
}
