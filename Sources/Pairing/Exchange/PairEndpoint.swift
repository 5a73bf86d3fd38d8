/// The endpoints of a hub, by their paths. The hub answers them itself and passes none of them on.
public enum PairEndpoint: String, CaseIterable, Sendable {
    /// The pairing exchange.
    case pair = "/hubpair/v1/pair"
    /// What the hub is, for anybody.
    case hub = "/hubpair/v1/hub"
    /// What the hub knows of the device that asks.
    case device = "/hubpair/v1/device"
    /// Whether a request may pass, for a proxy in front of the hub.
    case verify = "/hubpair/v1/verify"

    /// The path, as a request's target has it.
    public var path: String { rawValue }

    /// The methods that it takes, as `Allow` lists them (RFC 9110 § 10.2.1).
    public var methods: [String] { self == .pair ? ["POST"] : ["GET", "HEAD"] }
}
