import Addresses
import FoundationEssentials
import GatewayRules
import Glibc
import HubService
import Identity
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOTLS

/// Asks a camera in the home's own network for a picture: one GET over a connection of its own.
///
/// With `https` nobody vouches for a camera's certificate, and none is checked: it is as safe as `http`, for
/// cameras that speak nothing else.
struct CameraClient: Sendable {
    /// For the name, the connection and the whole answer.
    static let time = Duration.seconds(10)
    private static let mostAddresses = 3

    private let context: NIOSSLContext?

    init() {
        var settings = TLSConfiguration.makeClientConfiguration()
        settings.certificateVerification = .none
        // Cameras are old, and stay.
        settings.minimumTLSVersion = .tlsv12
        context = try? NIOSSLContext(configuration: settings)
    }

    /// - Parameter allows: says whether an address may be connected to; replaced in tests.
    func picture(
        at camera: PictureAddress.Camera, within time: Duration = CameraClient.time,
        allows: @Sendable (NetworkAddress) -> Bool = PictureAddress.Camera.allows
    ) async throws(PictureFault) -> Picture {
        let deadline = ContinuousClock.now + time
        let addresses =
            switch camera.host {
            case .address(let address): [address]
            case .name(let name): await HostAddresses.all(of: name)
            }
        guard !addresses.isEmpty, addresses.allSatisfy(allows) else { throw .notHome }
        var fault = PictureFault.tooSlow
        for address in addresses.prefix(CameraClient.mostAddresses) {
            let left = deadline - .now
            guard left > .zero else { throw .tooSlow }
            do throws(PictureFault) {
                return try Picture(await ask(camera, at: address, within: left))
            } catch {
                guard case .silent = error else { throw error }
                fault = error
            }
        }
        throw fault
    }

    private func ask(
        _ camera: PictureAddress.Camera, at address: NetworkAddress, within time: Duration
    ) async throws(PictureFault) -> [UInt8] {
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: camera.target)
        head.headers = ["Host": camera.authority, "Accept": HouseFields.pictures, "Connection": "close"]
        if let user = camera.user {
            head.headers.add(name: "Authorization", value: "Basic \(Data(user).base64EncodedString())")
        }
        let request = head
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = loop.makePromise(of: [UInt8].self)
        let context = context
        do {
            let target = try SocketAddress(ipAddress: "\(address)", port: Int(camera.port))
            let channel = try await ClientBootstrap(group: loop).connectTimeout(TimeAmount(time))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        if camera.isSecure {
                            guard let context else { throw ChannelError.operationUnsupported }
                            let name: String? = if case .name(let name) = camera.host { name } else { nil }
                            try pipeline.addHandler(
                                NIOSSLClientHandler(context: context, serverHostname: name))
                        }
                        try pipeline.addHTTPClientHandlers()
                        try pipeline.addHandler(CameraExchange(request, promise))
                    }
                }.connect(to: target).get()
            // A camera that sends a byte a second is not waited for.
            let alarm = loop.scheduleTask(in: TimeAmount(time)) {
                promise.fail(PictureFault.tooSlow)
                channel.close(promise: nil)
            }
            defer { alarm.cancel() }
            return try await promise.futureResult.get()
        } catch let fault as PictureFault {
            throw fault
        } catch {
            promise.fail(error)
            throw PictureFault(error)
        }
    }
}

extension PictureFault {
    fileprivate init(_ error: any Error) {
        switch error {
        case ChannelError.connectTimeout: self = .tooSlow
        case let error as IOError: self = .silent(String(cString: strerror(error.errnoCode)))
        case is NIOSSLError: self = .silent("it speaks no TLS that is understood here")
        default: self = .silent("it broke off, or sends no HTTP")
        }
    }
}

/// The one request of a connection; used on its event loop.
private final class CameraExchange: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let head: HTTPRequestHead
    private let promise: EventLoopPromise<[UInt8]>
    private var body: [UInt8] = []

    init(_ head: HTTPRequestHead, _ promise: EventLoopPromise<[UInt8]>) {
        (self.head, self.promise) = (head, promise)
    }

    func channelActive(context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard head.status == .ok else { return end(context, .status(Int(head.status.code))) }
            let length = head.headers.first(name: "Content-Length").flatMap { Int(digits: $0) } ?? 0
            if length > Picture.maximumByteCount { end(context, .tooLarge) }
        case .body(let bytes):
            guard bytes.readableBytes <= Picture.maximumByteCount - body.count else {
                return end(context, .tooLarge)
            }
            body.append(contentsOf: bytes.readableBytesView)
        case .end:
            promise.succeed(body)
            context.close(promise: nil)
        }
    }

    private func end(_ context: ChannelHandlerContext, _ fault: PictureFault) {
        promise.fail(fault)
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        promise.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        promise.fail(ChannelError.eof)
        context.fireChannelInactive()
    }
}
