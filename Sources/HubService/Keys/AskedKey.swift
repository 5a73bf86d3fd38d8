import GatewayRules
import NIOCore

/// Precedes TLS while the hub has two keys, and finds out which one the client is shown: the server name
/// says so, and TLS does not tell its users of it.
final class AskedKey: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let certificate: ServedCertificate
    private var bytes: [UInt8] = []
    /// True if it is the key that the hub had before.
    private(set) var isOld = false

    init(_ certificate: ServedCertificate) { self.certificate = certificate }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let room = ClientHello.maximumByteCount - bytes.count
        bytes += unwrapInboundIn(data).readableBytesView.prefix(room)
        let verdict = ClientHello.read(bytes)
        // Known before TLS sees the end of it; what is removed from the pipeline passes nothing on.
        if case .name(let name, _) = verdict { isOld = certificate.isOld(name) }
        context.fireChannelRead(data)
        guard verdict != .more else { return }
        bytes = []
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}
