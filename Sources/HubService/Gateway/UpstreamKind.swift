import GatewayRules
import Home
import JSON

/// What the server behind the hub is, as far as it matters how to treat it.
enum UpstreamKind: Equatable, Sendable {
    /// A stock Hestia server. It works on each request in a thread of its own, and its database, a file of
    /// JSON, breaks when two of them read or write it at once.
    case stock
    case other

    /// How many requests it takes at a time. Of another server that is not known: so many that one device,
    /// which has 16 connections (``ServeLimits/connectionsPerSource``), cannot hold all places.
    var concurrency: Int {
        switch self {
        case .stock: 1
        case .other: 64
        }
    }

    var words: String {
        switch self {
        case .stock: "a stock Hestia server: it gets one request at a time"
        case .other: "no stock Hestia server: it gets up to \(concurrency) requests at a time"
        }
    }

    /// Recognizes a stock server by its answer to `GET /devices/`: a list of appliances, or its own form of
    /// an error, as when an appliance does not answer it or its database is broken.
    init(_ reply: UpstreamReply) {
        if reply.isSuccess {
            self = ControlledDevice.list(parsing: reply.body) == nil ? .other : .stock
        } else if case .refused(_, _?, _, _) = ServerError(
            status: reply.status, contentType: nil, body: reply.body)
        {
            self = .stock
        } else {
            self = .other
        }
    }
}
