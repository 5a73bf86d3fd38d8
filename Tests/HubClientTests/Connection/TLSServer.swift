import Addresses
import Glibc
import HubClient
import Identity
import NIOCore
import NIOPosix
import NIOSSL
import PinnedTLS
import Synchronization

/// A server on the loopback interface that does one thing with every connection.
///
/// Raw bytes go out, as HTTP is what some of them are not.
final class TLSServer: Sendable {
    /// What the server does with a connection.
    enum Conduct: Sendable {
        /// Answers each request (each block of bytes that ends with an empty line) with these bytes.
        case answer([UInt8])
        /// Answers the first request with these bytes, and closes.
        case answerAndClose([UInt8])
        /// Reads and is silent.
        case silent
        /// Sends these bytes over and over, as fast as they are taken, once a request has come.
        case endless(first: [UInt8], then: [UInt8])
        /// Sends these bytes once a request has come, then one more every 10 ms.
        case drip(first: [UInt8], byte: UInt8)
        /// Closes at once when a request comes.
        case close
        /// Answers each request with what the function makes of its head and body; nil closes.
        case respond(@Sendable (_ head: String, _ body: [UInt8], _ client: Pin?) -> [UInt8]?)
        /// Echoes a request's head as a response's body.
        case echo
    }

    let identity: TLSIdentity
    let address: HubAddress
    /// How many bytes of applications have come in, over all connections.
    let received = Mutex(0)
    /// The pins of the client certificates.
    let clients = Mutex<[Pin]>([])
    /// How many connections have been accepted, and how many are open.
    let connections = Mutex((accepted: 0, open: 0))
    private let channel = Mutex<(any Channel)?>(nil)

    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// - Parameter usesTLS: without, the conduct begins with the client's first bytes.
    init(
        _ conduct: Conduct, identity: TLSIdentity = .random(), usesTLS: Bool = true,
        host: String = "127.0.0.1",
        requiresCertificate: Bool = false
    ) async throws {
        self.identity = identity
        let configuration = try identity.serverConfiguration()
        let context = try NIOSSLContext(configuration: configuration)
        let box = ServerBox()
        let channel = try await ServerBootstrap(group: TLSServer.group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { child in
                child.eventLoop.makeCompletedFuture {
                    let pipeline = child.pipeline.syncOperations
                    if usesTLS {
                        try pipeline.addHandler(
                            NIOSSLServerHandler(
                                context: context,
                                customVerificationCallback: { certificates, verdict in
                                    if let pin = certificates.first.flatMap({ Pin($0) }) {
                                        box.server?.clients.withLock { $0.append(pin) }
                                    }
                                    verdict.succeed(requiresCertificate ? .failed : .certificateVerified)
                                }))
                    }
                    try pipeline.addHandler(Conductor(conduct, box))
                }
            }
            .bind(host: host, port: 0).get()
        guard let port = channel.localAddress?.port.flatMap({ UInt16(exactly: $0) }),
            let address = NetworkAddress(host)
        else { throw HubConnectionError(address: host, reason: .noAddress) }
        self.address = HubAddress(address, port: port)
        self.channel.withLock { $0 = .some(channel) }
        box.set(self)
    }

    deinit { stop() }

    /// Nothing listens any more.
    func stop() { channel.withLock { $0 }?.close(promise: nil) }
}

/// The server, for its connections, which begin before it is whole.
private final class ServerBox: Sendable {
    private struct Weak: Sendable { weak var server: TLSServer? }
    private let weak = Mutex(Weak())
    var server: TLSServer? { weak.withLock { $0.server } }
    func set(_ server: TLSServer) { weak.withLock { $0.server = server } }
}

private final class Conductor: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let conduct: TLSServer.Conduct
    private let box: ServerBox
    private var pending: [UInt8] = []
    private var hasBegun = false
    private var isClosed = false

    init(_ conduct: TLSServer.Conduct, _ box: ServerBox) {
        self.conduct = conduct
        self.box = box
    }

    func channelActive(context: ChannelHandlerContext) {
        box.server?.connections.withLock {
            $0.accepted += 1
            $0.open += 1
        }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        isClosed = true
        box.server?.connections.withLock { $0.open -= 1 }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        box.server?.received.withLock { $0 += buffer.readableBytes }
        pending += buffer.readableBytesView
        if case .endless(let first, let next) = conduct, !hasBegun {
            hasBegun = true
            send(first, context)
            flood(next, context)
            return
        }
        if case .respond(let answer) = conduct {
            respond(answer, context)
            return
        }
        while let end = pending.firstRange(of: Array("\r\n\r\n".utf8)) ?? tlsRecord() {
            let head = Array(pending[..<end.upperBound])
            pending.removeFirst(end.upperBound)
            switch conduct {
            case .answer(let bytes): send(bytes, context)
            case .answerAndClose(let bytes):
                send(bytes, context)
                context.close(promise: nil)
            case .echo:
                let length = "HTTP/1.1 200 OK\r\nContent-Length: \(head.count)\r\nX-Conduct: echo\r\n\r\n"
                send(Array(length.utf8) + head, context)
            case .close: context.close(promise: nil)
            case .drip(let first, let byte):
                send(first, context)
                drip(byte, context)
            case .silent, .endless, .respond: break
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    /// A server without TLS takes the client's first record for a request.
    private func tlsRecord() -> Range<Int>? {
        pending.first == 0x16 ? 0..<pending.count : nil
    }

    private func send(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
    }

    private func respond(
        _ answer: (_ head: String, _ body: [UInt8], _ client: Pin?) -> [UInt8]?,
        _ context: ChannelHandlerContext
    ) {
        while let end = pending.firstRange(of: Array("\r\n\r\n".utf8)) {
            let head = String(decoding: pending[..<end.upperBound], as: UTF8.self)
            let lengths = head.split(separator: "\r\n").filter { $0.hasPrefix("Content-Length: ") }
            let length = lengths.first.flatMap { Int($0.dropFirst("Content-Length: ".count)) } ?? 0
            guard pending.count >= end.upperBound + length else { return }
            let body = Array(pending[end.upperBound..<end.upperBound + length])
            pending.removeFirst(end.upperBound + length)
            if let bytes = answer(head, body, box.server?.clients.withLock { $0.last }) {
                send(bytes, context)
            } else {
                context.close(promise: nil)
            }
        }
    }

    private func drip(_ byte: UInt8, _ context: ChannelHandlerContext) {
        guard !isClosed else { return }
        send([byte], context)
        context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(10)) { self.drip(byte, context) }
    }

    private func flood(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        guard !isClosed else { return }
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenSuccess { self.flood(bytes, context) }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: written)
    }
}
