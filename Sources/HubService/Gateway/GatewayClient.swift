import NIOCore

/// The client's side of a forwarded request.
protocol GatewayClient: AnyObject {
    /// True if the client's connection accepts more bytes.
    var isWritable: Bool { get }
    /// The value of `Connection` in the answer; nil to omit it.
    var connectionOption: String? { get }
    /// Adds bytes of the answer to the output.
    func write(_ bytes: [UInt8])
    func write(_ text: String)
    func write(_ bytes: ByteBuffer)
    /// Sends the output.
    func flush()
    /// Called when the whole answer has been written.
    func finish()
    /// Sends this answer instead, and closes.
    func refuse(_ reply: ServeReply)
    /// Closes at once.
    func close()
    /// Resumes reading from the client.
    func resumeReading()
    /// Starts the deadline of the answer to the whole request.
    func startAnswerTimer()
    /// Removes the deadline: the request is complete and the answer has begun, which may take any time.
    func stopTimer()
    /// Closes the connection after this answer.
    func closeAfterAnswer()
    /// Joins the two connections after a protocol switch.
    func join(_ upstream: UpstreamConnection)
}
