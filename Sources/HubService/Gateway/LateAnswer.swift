import GatewayRules
import NIOCore

/// The rest of an answer for which nobody waits any more: its client is gone, or its time is over.
///
/// A server whose requests must not overlap still works on the request, and closing the connection would not
/// stop it. So the answer is read to its end, and the place is kept until then. A server that hung and goes
/// on shows it by this answer first.
final class LateAnswer: UpstreamAnswerReceiver {
    /// After this long the request is taken for lost: the server has ended, or is another one now.
    private static let time = TimeAmount(AnswerTimes.upstream * 3)
    /// An answer that goes on for longer has no end.
    private static let maximumByteCount = 64 << 20

    private let connection: UpstreamConnection
    private let turn: UpstreamTurn
    private let link: UpstreamLink
    private var byteCount = 0
    private var deadline: Scheduled<Void>?

    /// Takes the connection over; it keeps this until the end.
    ///
    /// - Parameter start: when the request was sent.
    init(
        on connection: UpstreamConnection, _ turn: UpstreamTurn, since start: NIODeadline,
        _ link: UpstreamLink, _ eventLoop: any EventLoop
    ) {
        (self.connection, self.turn, self.link) = (connection, turn, link)
        connection.pass(to: self)
        let loop = eventLoop.assumeIsolated()
        deadline = loop.scheduleTask(deadline: start + TimeAmount(AnswerTimes.poll)) { [weak self] in
            guard let self else { return }
            link.noteTimeout()
            deadline = loop.scheduleTask(deadline: start + LateAnswer.time) { [weak self] in self?.end() }
        }
    }

    private func end() {
        deadline?.cancel()
        connection.abandon()
        turn.end()
    }

    var mayReadUpstream: Bool { true }
    func upstreamReadComplete() {}
    func upstreamWritabilityChanged() {}
    func upstreamHead(_ response: ResponseHead) {}

    func upstreamBody(_ bytes: ByteBuffer) {
        byteCount += bytes.readableBytes
        if byteCount > LateAnswer.maximumByteCount { end() }
    }

    func upstreamEnd(_ trailers: FieldBlock, leavesUsable: Bool) {
        end()
        link.noteAnswer()
    }

    func upstreamHasSwitched() { end() }
    func upstreamClosed() { end() }
    func upstreamFailed(_ fault: FramingError) { end() }
}
