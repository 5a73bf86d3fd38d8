import NIOCore

/// One of the two connections of a tunnel.
protocol TunnelEnd: AnyObject {
    /// True if it accepts more bytes.
    var isWritable: Bool { get }
    func write(_ bytes: ByteBuffer)
    func flush()
    /// Resumes reading if it was paused.
    func resumeReading()
    /// Closes the hub's direction; the other one stays open.
    func closeOutput()
    /// Closes once everything has been written.
    func closeWhenWritten()
    /// Passes all further bytes to the tunnel, starting with those that have already arrived.
    func enter(_ tunnel: GatewayTunnel)
}

/// Two connections joined after an upgrade (RFC 9110 § 7.8): bytes pass in both directions, each of which
/// ends separately.
final class GatewayTunnel {
    private weak var client: (any TunnelEnd)?
    private weak var upstream: (any TunnelEnd)?
    private var clientHasEnded = false
    private var upstreamHasEnded = false

    init(_ client: some TunnelEnd, _ upstream: some TunnelEnd) {
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
