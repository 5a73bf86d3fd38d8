import NIOCore

/// Collects parts of responses to a client, so that small parts are sent in one TLS record.
final class ClientOutput {
    /// The maximum number of bytes that are collected: those of one TLS record (RFC 8446 § 5.1).
    private static let maximumByteCount = 16_384

    private let framing: RequestFramingHandler
    private var gathered = ByteBuffer()

    init(_ framing: RequestFramingHandler) { self.framing = framing }

    /// True if no bytes wait to be flushed.
    var isEmpty: Bool { gathered.readableBytes == 0 }

    /// True if the collected bytes fill a record.
    var isFull: Bool { gathered.readableBytes >= ClientOutput.maximumByteCount }

    func write(_ bytes: some Collection<UInt8>) { gathered.writeBytes(bytes) }
    func write(_ text: String) { gathered.writeString(text) }

    /// Adds bytes: few are collected, many are passed on without copying.
    func write(_ bytes: ByteBuffer) {
        var bytes = bytes
        if bytes.readableBytes <= ClientOutput.maximumByteCount {
            gathered.writeBuffer(&bytes)
        } else {
            handOn()
            framing.write(bytes)
        }
        if gathered.readableBytes > ClientOutput.maximumByteCount { handOn() }
    }

    /// Passes the collected bytes on, without a flush.
    func handOn() {
        guard !isEmpty else { return }
        let bytes = gathered
        gathered = ByteBuffer()
        framing.write(bytes)
    }

    /// Passes the collected bytes on and flushes.
    func flush() {
        handOn()
        framing.flush()
    }
}
