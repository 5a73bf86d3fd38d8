import NIOCore

/// Pauses accepting for 100 ms if the system has no descriptor or memory for another connection (accept(2):
/// EMFILE, ENFILE, ENOBUFS, ENOMEM).
///
/// After such an error NIO keeps the socket registered while a connection still waits, so its event loop
/// would spin. NIO's own `AcceptBackoffHandler` only delays the next read, but none follows.
final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = any Channel

    static let time = TimeAmount.milliseconds(100)

    private let log: ServeLog
    private var isPausing = false

    init(_ log: ServeLog) { self.log = log }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Any other error concerns a connection that closed before it was set up.
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
            log.debug("the listening socket is closed: \(error)")  // the hub is stopping
        }
    }
}
