import GatewayRules
import NIOCore

/// Server-sent events as the answer to a request (WHATWG HTML § 9.2).
///
/// The next events are asked for only when the client has taken the last ones, so that a client that never
/// reads makes the hub hold no more than a few of them. A comment every 15 s lets both sides notice a
/// connection that is gone.
final class ServeStream {
    private static let commentTime = TimeAmount.seconds(15)

    private let events: any HubEvents
    /// The client cancels the stream before it is freed.
    private unowned let client: ServeConnection
    private let eventLoop: any EventLoop
    private let isChunked: Bool
    private let hold: (Int) -> AnswerHold?
    private var task: Task<Void, Never>?
    private var comments: RepeatedTask?
    private var isOver = false

    /// - Parameters:
    ///   - isChunked: false for HTTP/1.0: the end of the connection is the end of the answer.
    ///   - hold: counts many bytes for the client; nil if they do not fit.
    init(
        _ events: any HubEvents, to client: ServeConnection, on eventLoop: any EventLoop, isChunked: Bool,
        hold: @escaping (Int) -> AnswerHold?
    ) {
        self.hold = hold
        (self.events, self.client) = (events, client)
        (self.eventLoop, self.isChunked) = (eventLoop, isChunked)
    }

    /// Writes the head, and then the events as they come.
    func start() {
        var head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
        head += "X-Content-Type-Options: nosniff\r\n"
        if isChunked { head += "Transfer-Encoding: chunked\r\n" }
        if let option = client.machine.connectionOption { head += "Connection: \(option)\r\n" }
        client.noteAnswer(200, by: .hub)
        client.output.write(head + "\r\n")
        client.output.flush()
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        comments = eventLoop.scheduleRepeatedTask(
            initialDelay: ServeStream.commentTime, delay: ServeStream.commentTime
        ) { _ in bound.value.comment() }
        ask()
    }

    func clientWritabilityChanged() { ask() }

    /// Called when the client is gone.
    func cancel() {
        isOver = true
        comments?.cancel()
        task?.cancel()
    }

    private func ask() {
        guard !isOver, task == nil, client.isWritable else { return }
        let (events, eventLoop) = (events, eventLoop)
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        task = Task {
            let bytes = await events.next()
            eventLoop.execute { bound.value.take(bytes) }
        }
    }

    private func take(_ bytes: [UInt8]?) {
        task = nil
        guard !isOver else { return }
        guard let bytes else { return end() }
        if bytes.count > AnswerBudget.smallByteCount {
            // The client comes back, and goes on where it was.
            guard let hold = hold(bytes.count) else { return end() }
            write(bytes)
            client.keep(hold)
        } else {
            write(bytes)
        }
        ask()
    }

    private func end() {
        cancel()
        if isChunked { client.output.write("0\r\n\r\n") }
        client.finish()
    }

    private func comment() {
        // A client that does not read gets no more of them; the connection's own deadline ends it.
        if !isOver, client.isWritable { write(Array(":\n\n".utf8)) }
    }

    private func write(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        if isChunked { client.output.write(String(bytes.count, radix: 16) + "\r\n") }
        client.output.write(bytes)
        if isChunked { client.output.write("\r\n") }
        client.output.flush()
    }
}
