import NIOCore
import NIOHTTP1
import Pairing

/// One request on its way to the upstream, and its response back: both stream, and neither side is read faster
/// than the other takes it.
final class GatewayExchange {
    /// Ends this exchange when it goes itself; so it is there until `isOver`, and must not be touched after it.
    private unowned let client: ServeConnection
    private let shared: ServeShared
    private let head: HTTPRequestHead
    private let upgrade: String?
    /// True if the request may be sent again on another connection: it changes nothing (RFC 9110 § 9.2.2), or
    /// changes the same twice, and has no body.
    private let isRepeatable: Bool
    private var upstream: UpstreamConnection?
    private var isReused = false
    private var isOver = false
    /// What the client has sent before there was a connection to pass it on: as much as one read brings.
    private var early: [HTTPClientRequestPart] = []
    private let hasBody: Bool
    private var bodyByteCount = 0
    /// What had come of the body when the client's pace was last looked at.
    private var seenByteCount = 0
    private var requestHasEnded = false
    private(set) var responseHasStarted = false
    /// True if the response has begun to switch protocols.
    private var switchesProtocol = false

    init(
        _ client: ServeConnection, request: HTTPRequestHead, from device: ServeDevice, body: BodyFraming,
        authority: String
    ) {
        self.client = client
        shared = client.shared
        upgrade = GatewayHeaders.upgrade(request, body: body)
        head = HTTPRequestHead(
            version: .http1_1, method: request.method, uri: request.uri,
            headers: GatewayHeaders.request(
                request, from: device, body: body, authority: authority, upgrade: upgrade))
        let repeatable: [HTTPMethod] = [.GET, .HEAD, .OPTIONS, .PUT, .DELETE]
        hasBody = body != .none
        isRepeatable = !hasBody && repeatable.contains(request.method)
    }

    /// Takes a connection that is open, or opens one. One that is open may be about to be closed by a server that
    /// does not say so, and then only a request that may be sent again is not lost: every other one gets its own
    /// (RFC 9110 § 9.2.2).
    func start() {
        if isRepeatable, let pooled = client.loop.pool.take() {
            isReused = true
            attach(pooled)
        } else {
            connect()
        }
    }

    private func connect() {
        isReused = false
        client.loop.pool.connect { [self] result in
            switch result {
            case .success(let connection):
                shared.noteUpstream(fault: nil)
                guard !isOver else { return connection.close() }
                attach(connection)
            case .failure(let error):
                guard !isOver else { return }
                shared.noteUpstream(fault: "\(error)")
                fail(.upstreamDown)
            }
        }
    }

    private func attach(_ connection: UpstreamConnection) {
        upstream = connection
        connection.exchange = self
        connection.write(.head(head))
        for part in early { connection.write(part) }
        early = []
        connection.flush()
        client.framing.resumeReading()
    }

    // MARK: The client's side

    /// True if what the client sends next can be passed on.
    var mayReadClient: Bool { upstream?.isWritable ?? false }

    func clientBody(_ bytes: ByteBuffer) {
        guard !isOver else { return }
        bodyByteCount += bytes.readableBytes
        guard bodyByteCount <= shared.limits.bodyByteCount else {
            return client.refuse(.tooLarge(shared.limits.bodyByteCount))
        }
        pass(.body(.byteBuffer(bytes)))
    }

    /// True if the client has sent enough of the body since it was asked last.
    func clientKeepsPace() -> Bool {
        defer { seenByteCount = bodyByteCount }
        return bodyByteCount - seenByteCount >= shared.limits.bodyPaceByteCount
    }

    func clientEnd(_ trailers: HTTPHeaders?) {
        requestHasEnded = true
        guard !isOver else { return }
        pass(.end(GatewayHeaders.trailers(trailers)))
    }

    func clientReadComplete() { upstream?.flush() }

    func clientWritabilityChanged() {
        if client.isWritable { upstream?.resumeReading() }
    }

    private func pass(_ part: HTTPClientRequestPart) {
        if let upstream {
            upstream.write(part)
            // Interest of our own in the end, since it may come without another read.
            if case .end = part { upstream.flush() }
        } else {
            early.append(part)
        }
    }

    /// The client is gone, or is answered otherwise.
    func cancel() {
        guard !isOver else { return }
        isOver = true
        upstream?.exchange = nil
        upstream?.close()
        upstream = nil
    }

    // MARK: The upstream's side

    /// True if what the upstream sends next can be passed on.
    var mayReadUpstream: Bool { client.isWritable }

    func upstreamHead(_ response: HTTPResponseHead) {
        let code = response.status.code
        guard !GatewayHeaders.areAltered(response.headers) else { return fail(.upstreamNotUTF8) }
        if code == 101 {
            // RFC 6455 § 4.1: both fields, or it is no switch.
            guard upgrade != nil, GatewayHeaders.upgrades(response) else {
                return fail(.upstreamMalformed)
            }
            switchesProtocol = true
        } else if code < 100 {
            return fail(.upstreamMalformed)
        } else if code < 200 {
            // 100 (Continue) and its like; HTTP/1.0 knows none.
            if client.request.version == .http1_1 {
                client.write(
                    .head(
                        HTTPResponseHead(
                            version: .http1_1, status: response.status,
                            headers: GatewayHeaders.response(response))))
            }
            return
        }
        responseHasStarted = true
        // The rest of the request must go on coming.
        if requestHasEnded { client.timer.stop() }
        var headers = GatewayHeaders.response(response)
        let framing = framing(of: response)
        if framing == .untilClose {
            client.closeAfterResponse()
        } else {
            framing.write(to: &headers)
        }
        if switchesProtocol {
            headers.add(name: "Connection", value: "Upgrade")
            headers.add(name: "Upgrade", value: upgrade ?? "websocket")
            client.write(
                .head(HTTPResponseHead(version: .http1_1, status: response.status, headers: headers)))
        } else {
            // Answered before the request was read: whether its rest will be, nobody knows.
            if !requestHasEnded { client.closeAfterResponse() }
            client.writeHead(HTTPResponseHead(version: .http1_1, status: response.status, headers: headers))
        }
    }

    func upstreamBody(_ bytes: ByteBuffer) { client.write(.body(.byteBuffer(bytes))) }

    func upstreamReadComplete() { if !isOver { client.flush() } }

    func upstreamWritabilityChanged() { client.framing.resumeReading() }

    func upstreamEnd(_ trailers: HTTPHeaders?, keepsAlive: Bool) {
        guard !isOver, let upstream else { return }
        guard !GatewayHeaders.areAltered(trailers) else { return fail(.upstreamNotUTF8) }
        isOver = true
        upstream.exchange = nil
        if switchesProtocol { return enterTunnel(upstream) }
        client.write(.end(GatewayHeaders.trailers(trailers)))
        if keepsAlive, requestHasEnded, !hasBody {
            client.loop.pool.put(upstream)
        } else {
            upstream.close()
        }
        self.upstream = nil
        client.finish()
    }

    /// The upstream's connection has ended, or failed, before the end of the response.
    func upstreamClosed() {
        guard !isOver else { return }
        upstream = nil
        if isReused, isRepeatable, !responseHasStarted {
            // It was closed while it lay in the pool.
            early = requestHasEnded ? [.end(nil)] : []
            return connect()
        }
        fail(.upstreamMalformed)
    }

    private func fail(_ reply: ServeReply) {
        // With a response begun there is no honest end but a connection that breaks off.
        client.refuse(reply)
    }

    private func enterTunnel(_ upstream: UpstreamConnection) {
        let tunnel = GatewayTunnel(client, upstream)
        client.phase = .tunnel(tunnel)
        client.flush()
        tunnel.open()
    }

    private func framing(of response: HTTPResponseHead) -> BodyFraming {
        let code = response.status.code
        guard code >= 200, code != 204 else { return .none }
        if let text = response.headers.first(name: "content-length"), let length = Int(text) {
            return .length(length)
        }
        guard client.request.method != .HEAD, code != 304 else { return .none }
        return client.request.version == .http1_0 ? .untilClose : .chunked
    }
}
