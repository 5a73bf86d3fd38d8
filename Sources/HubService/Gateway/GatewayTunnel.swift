import NIOCore

/// Two connections joined after an upgrade (RFC 9110 § 7.8): bytes pass in both directions, each of which
/// ends separately.
final class GatewayTunnel {
    private weak var client: RequestFramingHandler?
    private weak var upstream: UpstreamConnection?
    private var clientHasEnded = false
    private var upstreamHasEnded = false

    init(_ client: RequestFramingHandler, _ upstream: UpstreamConnection) {
        self.client = client
        self.upstream = upstream
    }

    func open() {
        guard let client, let upstream else { return }
        upstream.enter(self)
        client.enter(self)
        upstream.flush()
    }

    // MARK: From the client

    /// False while further bytes cannot be passed on.
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

    /// The client's connection is closed.
    func clientClosed() {
        upstream?.closeWhenWritten()
        upstream = nil
    }

    // MARK: From the upstream

    var mayReadUpstream: Bool { client?.isWritable ?? true }
    func fromUpstream(_ bytes: ByteBuffer) { client?.write(bytes) }
    func upstreamReadComplete() { client?.flush() }
    func upstreamWritabilityChanged() { client?.resumeReading() }

    func upstreamInputClosed() {
        upstreamHasEnded = true
        if clientHasEnded { return closeBoth() }
        client?.flush()
        client?.closeOutput()
    }

    /// The upstream's connection is closed.
    func upstreamClosed() {
        upstream = nil
        client?.closeWhenWritten()
    }

    private func closeBoth() {
        upstream?.closeWhenWritten()
        upstream = nil
        client?.closeWhenWritten()
    }
}
