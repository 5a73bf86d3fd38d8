package import Identity

/// Why the hub's page cannot be shown.
package enum OpenPageError: Equatable, UserError {
    /// The hub has no page: it runs an older version, or is a stock hub.
    case noPage(hub: PeerName)
    /// The port is taken, or may not be used.
    case port(Int, String)

    package var description: String {
        switch self {
        case .noPage(let hub): "\(hub) has no page"
        case .port(let port, let reason): "127.0.0.1:\(port) cannot be listened on: \(reason)"
        }
    }

    package var hint: String? {
        switch self {
        case .noPage: "hubs have one from hubpair 0.2 on; update it there, or use 'hubpair home'"
        case .port: "choose another one with --port, or leave it out"
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .noPage: .notFound
        case .port: .unavailable
        }
    }
}
