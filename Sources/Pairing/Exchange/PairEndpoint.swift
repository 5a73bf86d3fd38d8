/// The paths of a hub's own endpoints. The hub answers them itself and forwards none of them.
public enum PairEndpoint: String, CaseIterable, Sendable {
    /// The pairing exchange.
    case pair = "/hubpair/v1/pair"
    /// The hub's description, for everyone.
    case hub = "/hubpair/v1/hub"
    /// The hubs of its site, for approved devices.
    case site = "/hubpair/v1/site"
    /// The status of the requesting device.
    case device = "/hubpair/v1/device"
    /// A browser's session: a challenge, and then a cookie.
    case session = "/hubpair/v1/session"
    /// Whether a request has access; for a reverse proxy in front of the hub.
    case verify = "/hubpair/v1/verify"

    /// The path as it appears in a request target.
    public var path: String { rawValue }

    /// The allowed methods, in the order of the `Allow` header field (RFC 9110 § 10.2.1).
    public var methods: [String] {
        switch self {
        case .pair, .session: ["POST"]
        // A device that leaves takes its own approval back.
        case .device: ["GET", "HEAD", "DELETE"]
        case .hub, .site, .verify: ["GET", "HEAD"]
        }
    }
}
