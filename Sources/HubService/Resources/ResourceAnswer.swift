package import NIOHTTP1

/// What the hub answers to a request for one of its own resources.
package enum ResourceAnswer: Sendable {
    case reply(ServeReply)
    /// A stream of server-sent events, until it or the connection ends.
    case events(any HubEvents)

    /// Too much of this device, or of all together, waits already.
    package static let busy = ResourceAnswer.reply(.busy)

    package static func refused(_ status: HTTPResponseStatus, _ word: String, _ message: String)
        -> ResourceAnswer
    {
        .reply(ServeReply(status, error: word, message))
    }
}

/// The hub's own resources.
package protocol HubResources: Sendable {
    /// Answers one request. What it changes is on disk before it returns.
    func answer(_ request: ResourceRequest) async -> ResourceAnswer
}

/// A source of server-sent events (WHATWG HTML § 9.2), asked for the next ones when the client can take them.
package protocol HubEvents: Sendable {
    /// The next events, each whole, with its empty line.
    ///
    /// - Returns: nil at the end of the stream; soon after the task is cancelled.
    func next() async -> [UInt8]?
}
