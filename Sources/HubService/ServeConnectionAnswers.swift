import NIOCore
import NIOHTTP1

/// The most bytes of a refused request's body that are read to keep the connection.
private let discardedByteCount = 65_536

// The hub's own answers, and what follows an answer.
extension ServeConnection {
    /// Answers when the request has been read to its end, if that is near; else at once.
    func answer(_ reply: ServeReply) {
        let body = BodyFraming(request: request.headers)
        let isNear =
            switch body {
            case .length(let count): count <= discardedByteCount
            default: true
            }
        guard isNear, !expectsContinue || body == .none else { return refuse(reply) }
        phase = .refusing(reply, left: discardedByteCount)
        if requestHasEnded { return respond(reply) }
        timer.start(.body, shared.limits.smallBody)
    }

    /// Answers at once, reads no more requests, and closes.
    func refuse(_ reply: ServeReply) {
        switch phase {
        case .lingering, .closed, .tunnel: return
        case .proxying(let exchange):
            phase = .waiting
            exchange.cancel()
            guard !exchange.responseHasStarted else { return close() }
        default: break
        }
        keepsAlive = false
        respond(reply)
    }

    func respond(_ reply: ServeReply) {
        if let word = reply.word {
            // Not the query: clients put secrets there.
            let path = request.uri.prefix { $0 != "?" }.prefix(200)
            let what = hasRequest ? "\(request.method.rawValue) \(path)" : "a request"
            shared.log.warning(
                .refusal(Int(reply.status.code)),
                "\(source): \(what) was answered with \(reply.status.code): \(word)")
        }
        var headers = HTTPHeaders(reply.headers)
        if reply.status != .noContent {
            headers.add(name: "Content-Type", value: "application/json")
            headers.add(name: "Content-Length", value: String(reply.body.readableBytes))
        }
        headers.add(name: "Cache-Control", value: "no-store")
        writeHead(HTTPResponseHead(version: .http1_1, status: reply.status, headers: headers))
        if reply.body.readableBytes > 0, !hasRequest || request.method != .HEAD {
            write(.body(.byteBuffer(reply.body)))
        }
        write(.end(nil))
        finish()
    }

    /// Writes the head of a final response, and says in it whether the connection stays.
    func writeHead(_ head: HTTPResponseHead) {
        var head = head
        if !keepsAlive {
            head.headers.add(name: "Connection", value: "close")
        } else if request.version == .http1_0 {
            head.headers.add(name: "Connection", value: "keep-alive")
        }
        write(.head(head))
    }

    func write(_ part: HTTPServerResponsePart) { context?.write(wrapOutboundOut(part), promise: nil) }
    func flush() { context?.flush() }

    /// The response will end with the connection.
    func closeAfterResponse() { keepsAlive = false }

    /// The response is written: waits for the next request, or closes.
    func finish() {
        hasRequest = false
        if keepsAlive, requestHasEnded {
            phase = .waiting
            flush()
            timer.start(.idle, idleTime)
            framing.startNext()
            if loop.isDraining, case .waiting = phase { close() }
            return
        }
        phase = .lingering
        let mayCloseAtOnce = requestHasEnded
        // A connection that is closed with bytes unread is reset, and the answer lost with it: so a client that
        // still sends gets the time to read the answer first.
        timer.start(.linger, mayCloseAtOnce ? shared.limits.stall : .seconds(2))
        framing.discard()
        framing.whenWritten { [weak self] in
            if mayCloseAtOnce { self?.close() }
        }
    }
}
