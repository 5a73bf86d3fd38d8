import NIOCore

/// Two connections joined after an upgrade (RFC 9110 § 7.8): bytes pass both ways as they come, each side's
/// end by itself.
final class GatewayTunnel {
    private weak var client: ServeConnection?
    private weak var upstream: UpstreamConnection?
    private var clientHasEnded = false
    private var upstreamHasEnded = false

    init(_ client: ServeConnection, _ upstream: UpstreamConnection) {
        self.client = client
        self.upstream = upstream
    }

    func open() {
        guard let client, let upstream else { return }
        try? client.context?.channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
        client.timer.stop()
        upstream.enter(self)
        client.framing.enter(self)
        upstream.flush()
    }

    // MARK: From the client

    var mayReadClient: Bool { upstream?.isWritable ?? true }
    func fromClient(_ bytes: ByteBuffer) { upstream?.write(bytes) }
    func clientReadComplete() { upstream?.flush() }
    func clientWritabilityChanged() { if client?.isWritable == true { upstream?.resumeReading() } }

    func clientInputClosed() {
        clientHasEnded = true
        if upstreamHasEnded { return closeBoth() }
        upstream?.flush()
        upstream?.closeOutput()
    }

    /// The client's connection is gone.
    func clientClosed() {
        upstream?.closeWhenWritten()
        upstream = nil
    }

    // MARK: From the upstream

    var mayReadUpstream: Bool { client?.isWritable ?? true }
    func fromUpstream(_ bytes: ByteBuffer) { client?.framing.write(bytes) }
    func upstreamReadComplete() { client?.framing.flush() }
    func upstreamWritabilityChanged() { client?.framing.resumeReading() }

    func upstreamInputClosed() {
        upstreamHasEnded = true
        if clientHasEnded { return closeBoth() }
        client?.framing.flush()
        client?.framing.closeOutput()
    }

    /// The upstream's connection is gone.
    func upstreamClosed() {
        upstream = nil
        client?.framing.whenWritten { [weak client] in client?.close() }
    }

    private func closeBoth() {
        upstream?.closeWhenWritten()
        upstream = nil
        client?.framing.whenWritten { [weak client] in client?.close() }
    }
}
