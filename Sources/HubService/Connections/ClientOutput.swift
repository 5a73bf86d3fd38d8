import NIOCore

/// Parts of answers on their way to a client, gathered so that small ones leave as one TLS record.
final class ClientOutput {
    /// The most bytes that are gathered: as many as a TLS record holds (RFC 8446 § 5.1).
    private static let maximumByteCount = 16_384

    private let framing: RequestFramingHandler
    private var gathered = ByteBuffer()

    init(_ framing: RequestFramingHandler) { self.framing = framing }

    /// True if nothing waits for the next flush.
    var isEmpty: Bool { gathered.readableBytes == 0 }

    /// True if a record is full.
    var isFull: Bool { gathered.readableBytes >= ClientOutput.maximumByteCount }

    func write(_ bytes: some Collection<UInt8>) { gathered.writeBytes(bytes) }
    func write(_ text: String) { gathered.writeString(text) }

    /// Adds bytes, few of them to those that wait; many are handed on as they are.
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

    /// Hands on what waits, without a flush.
    func handOn() {
        guard !isEmpty else { return }
        let bytes = gathered
        gathered = ByteBuffer()
        framing.write(bytes)
    }

    /// Sends what waits.
    func flush() {
        handOn()
        framing.flush()
    }
}
