import NIOCore

/// Takes no connection for a moment when the system has no descriptor, or no memory, for one more (accept(2):
/// EMFILE, ENFILE, ENOBUFS, ENOMEM).
///
/// NIO leaves the socket registered after such an error, with a connection that waits and is never taken, so
/// that its loop would ask again at full speed. NIO's own `AcceptBackoffHandler` holds back the next read
/// only, and none follows.
final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = any Channel

    static let time = TimeAmount.milliseconds(100)

    private let log: ServeLog
    private var isPausing = false

    init(_ log: ServeLog) { self.log = log }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Others are a connection's that was gone before it was set up.
        guard error is IOError else { return log.debug("a connection could not be taken: \(error)") }
        log.warning(.accept, "cannot take a connection: \(error); trying again every 100 ms")
        guard !isPausing, let options = context.channel.syncOptions else { return }
        isPausing = true
        setReading(false, options)
        context.eventLoop.assumeIsolated().scheduleTask(in: AcceptPause.time) { [self] in
            isPausing = false
            setReading(true, options)
        }
    }

    private func setReading(_ isOn: Bool, _ options: any NIOSynchronousChannelOptions) {
        do {
            try options.setOption(.autoRead, value: isOn)
        } catch {
            log.debug("the listening socket is closed: \(error)")  // the hub stops
        }
    }
}
