import GatewayRules
import NIOCore
import NIOHTTP1

// The hub's own answers, and what follows an answer.
extension ServeConnection {
    /// Answers when the rest of the request has been read, or at once.
    func send(_ reply: ServeReply, _ rest: RequestRouter.RestOfRequest) {
        guard rest == .discarded else { return refuse(reply) }
        phase = .refusing(reply, left: RequestRouter.discardedByteCount)
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
            let what = request.map { "\($0.method) \($0.path.prefix(200))" } ?? "a request"
            shared.log.warning(
                .refusal(Int(reply.status.code)),
                "\(source): \(what) was answered with \(reply.status.code): \(word)")
        }
        write(reply.serialized(connection: connectionOption, withBody: request?.method != "HEAD"))
        finish()
    }

    /// The value of `Connection` in the answer to the request at hand; nil for none.
    var connectionOption: String? {
        if !keepsAlive { return "close" }
        return request?.isHTTP10 == true ? "keep-alive" : nil
    }

    /// Adds bytes of an answer to what waits to be sent.
    func write(_ bytes: some Collection<UInt8>) { output.writeBytes(bytes) }

    /// Adds bytes of an answer, few of them to those that wait, so that they leave as one TLS record.
    func write(_ bytes: ByteBuffer) {
        var bytes = bytes
        if bytes.readableBytes <= ServeConnection.gatheredByteCount {
            output.writeBuffer(&bytes)
        } else {
            hand(on: bytes)
        }
        if output.readableBytes > ServeConnection.gatheredByteCount { handOnOutput() }
    }

    /// Sends what waits.
    func flush() {
        handOnOutput()
        framing.flush()
    }

    private func hand(on bytes: ByteBuffer) {
        handOnOutput()
        framing.write(bytes)
    }

    private func handOnOutput() {
        guard output.readableBytes > 0 else { return }
        framing.write(output)
        output = ByteBuffer()
    }

    /// The response is written: waits for the next request, or closes.
    func finish() {
        request = nil
        if keepsAlive, requestHasEnded {
            phase = .waiting
            timer.start(.idle, idleTime)
            startNext()
            return
        }
        phase = .lingering
        let mayCloseAtOnce = requestHasEnded
        // A connection that is closed with bytes unread is reset, and the answer lost with it: so a client
        // that still sends gets the time to read the answer first.
        timer.start(.linger, mayCloseAtOnce ? shared.limits.stall : .seconds(2))
        framing.discard()
        handOnOutput()
        framing.whenWritten { [weak self] in
            if mayCloseAtOnce { self?.close() }
        }
    }

    /// Takes the next request, if the client reads the answers.
    ///
    /// A client that sends requests and never reads would otherwise make the hub hold the answer to each:
    /// nothing more is read and answered while more than the channel's water mark waits to be sent.
    func startNext() {
        if output.readableBytes >= ServeConnection.gatheredByteCount || !framing.isFeedingRequests {
            flush()
        }
        guard isWritable else {
            isHeldByAnswers = true
            return
        }
        if loop.isDraining {
            flush()
            return close()
        }
        framing.startNext()
    }
}
