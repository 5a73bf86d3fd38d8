import Addresses
import FoundationEssentials
import HubService
import Identity
import JSON
import NIOCore
import NIOHTTP1
import Pairing

/// Answers the pairing exchange of the relay itself: one request a connection.
final class RelayDesk: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let shared: RelayShared
    private let board: RelayBoard
    private let pin: Pin?
    private let address: NetworkAddress
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []

    init(_ shared: RelayShared, _ board: RelayBoard, pin: Pin?, address: NetworkAddress) {
        (self.shared, self.board, self.pin, self.address) = (shared, board, pin, address)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = self.head ?? head
        case .body(let bytes):
            // One byte more tells a message that is too large.
            body += bytes.readableBytesView.prefix(PairRequest.maximumByteCount + 1 - body.count)
        case .end: answer(context)
        }
    }

    private func answer(_ context: ChannelHandlerContext) {
        guard let head else { return context.close(promise: nil) }
        let path = head.uri.prefix { $0 != "?" }
        switch (PairEndpoint(rawValue: String(path)), head.method) {
        case (.pair, .POST): pair(context)
        case (.hub, .GET): send(context, 200, shared.description)
        case (.device, .GET): sendDevice(context)
        default:
            send(context, 404, Array(#"{"error":"not_found","message":"this is a relay"}"#.utf8))
        }
    }

    private func pair(_ context: ChannelHandlerContext) {
        let (shared, body, pin, address) = (shared, body, pin, address)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        Task {
            let answer = await shared.pairing.answer(body, devicePin: pin, source: address)
            eventLoop.execute {
                if let event = answer.event {
                    if answer.status < 300 {
                        shared.log.info(event)
                    } else {
                        shared.log.warning(.pairing, event)
                    }
                }
                let (desk, context) = bound.value
                desk.send(context, answer.status, answer.body)
            }
        }
    }

    /// To an admitted hub also whether it is connected, and since when.
    private func sendDevice(_ context: ChannelHandlerContext) {
        guard let pin, let device = try? shared.register.device(pin),
            let description = DeviceDescription(device, verdict: device.verdict(at: Date()))
        else {
            return send(context, 403, Array(#"{"error":"unknown_device","message":"not admitted"}"#.utf8))
        }
        let status = board.status.first { $0.hub == pin.fingerprint }
        var members = (try? JSONReader.read(JSONValue.self, from: description.serialized))?.asObject ?? [:]
        members["connected"] = .boolean(status?.isConnected ?? false)
        members["since"] = .text(status?.since.timestamp)
        var json: [UInt8] = []
        JSONValue.object(members).write(to: &json)
        send(context, 200, json)
    }

    private func send(_ context: ChannelHandlerContext, _ status: Int, _ json: [UInt8]) {
        guard context.channel.isActive else { return }
        let headers: HTTPHeaders = [
            "Content-Type": "application/json", "Content-Length": "\(json.count)",
            "Cache-Control": "no-store",
            "Connection": "close",
        ]
        let head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: status), headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: json)))), promise: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
