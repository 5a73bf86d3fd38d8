import NIOCore

/// The client's side of an exchange.
protocol GatewayClient: AnyObject {
    /// True if the client takes more bytes.
    var isWritable: Bool { get }
    /// The value of `Connection` in the answer; nil for none.
    var connectionOption: String? { get }
    /// Adds bytes of the answer to what waits to be sent.
    func write(_ bytes: [UInt8])
    func write(_ text: String)
    func write(_ bytes: ByteBuffer)
    /// Sends what waits.
    func flush()
    /// The answer is written.
    func finish()
    /// Answers otherwise, and closes.
    func refuse(_ reply: ServeReply)
    /// Closes at once.
    func close()
    /// What the client sends can be passed on again.
    func resumeReading()
    /// The answer has begun, after the end of the request: how long it takes is the upstream's own business.
    func stopTimer()
    /// No other request follows on the connection.
    func closeAfterAnswer()
    /// The connection is another protocol's from here on.
    func join(_ upstream: UpstreamConnection)
}
