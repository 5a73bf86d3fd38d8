import GatewayRules
package import Home
package import JSON

/// What the server behind the hub is, as far as it matters how to treat it.
package enum UpstreamKind: String, Equatable, Sendable {
    /// A stock Hestia server. It works on each request in a thread of its own, and its database, a file of
    /// JSON, breaks when two of them read or write it at once.
    case stock
    case other

    /// How many requests it takes at a time. Of another server that is not known: so many that one device,
    /// which has 16 connections (``ServeLimits/connectionsPerSource``), cannot hold all places.
    package var concurrency: Int {
        switch self {
        case .stock: 1
        case .other: 64
        }
    }

    var words: String { UpstreamTreatment(kind: self, concurrency: concurrency).words }

    /// Recognizes a stock server by its answer to `GET /devices/`: a list of appliances, or its own form of
    /// an error, as when an appliance does not answer it or its database is broken.
    init(_ reply: UpstreamReply) {
        if reply.isSuccess {
            self = ControlledDevice.list(parsing: reply.body) == nil ? .other : .stock
        } else {
            self.init(ServerError(status: reply.status, contentType: nil, body: reply.body))
        }
    }

    package init(_ failure: ServerError) {
        if case .refused(_, _?, _, _) = failure { self = .stock } else { self = .other }
    }
}

/// How the hub treats the server behind it.
package struct UpstreamTreatment: Equatable, Sendable {
    /// Nil: that is not known, or does not matter, since somebody has said how many requests it gets.
    package let kind: UpstreamKind?
    package let concurrency: Int

    package init(kind: UpstreamKind?, concurrency: Int) {
        (self.kind, self.concurrency) = (kind, concurrency)
    }

    /// `a stock Hestia server: it gets one request at a time`.
    package var words: String {
        let count =
            "it gets " + (concurrency == 1 ? "one request" : "up to \(concurrency) requests") + " at a time"
        return switch kind {
        case .stock: "a stock Hestia server: " + count
        case .other: "no stock Hestia server: " + count
        case nil: count
        }
    }

    /// As it stands in the answer to `GET states`.
    package var json: JSONValue {
        .object(["kind": .text(kind?.rawValue), "concurrency": .integer(Int64(concurrency))])
    }
}
