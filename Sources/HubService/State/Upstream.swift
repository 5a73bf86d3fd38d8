package import Addresses
import FoundationEssentials
package import Identity
import Pairing

/// The server behind the gateway, as a URL.
///
///     upstream = ( "http" / "https" ) "://" loopback [ ":" port ] [ "/" ]
///              / "https://" host [ ":" port ] [ "/" ] "#" pin        ; pin: sha256//BASE64
///     loopback = "localhost" / 127.0.0.0/8 / "[::1]"
///
/// Accepted: `https://127.0.0.1:8443`, `https://nas.lan:8443#sha256//…`. Rejected: `http://nas.lan` (anybody
/// on the way could answer), `https://127.0.0.1/api` (a path), `https://me:pw@127.0.0.1` (a password).
package struct Upstream: Equatable, Sendable {
    /// The URL as it was given.
    package let text: String
    /// The pin that a server on another host must have; nil on loopback, where any key is taken: a stock hub
    /// makes a new one at every start, and what listens on this host's loopback is up to the owner.
    package let pin: Pin?
    /// Its name or address, IPv6 without brackets.
    package let host: String
    /// Its TCP port: the scheme's if the URL gives none.
    package let port: UInt16
    /// True for https.
    package let isTLS: Bool
    /// True if it is on this host.
    package let isLoopback: Bool
    /// What stands in `Host` for it.
    package let authority: String

    package init(_ text: String) throws(UpstreamError) {
        try self.init(text, plain: ("http", 80), isWeb: true)
    }

    /// An MQTT broker: `mqtt://loopback[:port]`.
    package init(mqtt text: String) throws(UpstreamError) {
        do {
            try self.init(text, plain: ("mqtt", 1883), isWeb: false)
        } catch .notAURL {
            throw .notABroker
        } catch .notLoopback {
            throw .brokerElsewhere
        }
    }

    private init(_ text: String, plain: (scheme: String, port: Int), isWeb: Bool) throws(UpstreamError) {
        guard text.utf8.count <= 512, let parts = URLComponents(string: text), let host = parts.host,
            !host.isEmpty,
            parts.scheme == plain.scheme || isWeb && parts.scheme == "https"
        else { throw .notAURL }
        guard parts.user == nil, parts.password == nil else { throw .password }
        guard parts.path.isEmpty || parts.path == "/", parts.query == nil else { throw .path }
        let isTLS = parts.scheme == "https"
        guard let port = UInt16(exactly: parts.port ?? (isTLS ? 443 : plain.port)), port > 0 else {
            throw .notAURL
        }
        do {
            pin = try parts.fragment.map(Pin.init(text:))
        } catch {
            throw .badPin
        }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        self.host = isBracketed ? String(host.dropFirst().dropLast()) : host
        (self.text, self.port, self.isTLS) = (text, port, isTLS)
        let name = self.host.utf8.contains(UInt8(ascii: ":")) ? "[\(self.host)]" : self.host
        authority = parts.port.map { "\(name):\($0)" } ?? name
        isLoopback = self.host == "localhost" || NetworkAddress(self.host)?.isLoopback ?? false
        guard isLoopback || (isTLS && pin != nil) else { throw .notLoopback }
    }

    /// The addresses to try in turn; empty for a name that has to be looked up. `localhost` is never looked
    /// up: what a resolver makes of it may be elsewhere (RFC 6761 § 6.3).
    package var addresses: [NetworkAddress] {
        let hosts = host == "localhost" ? ["127.0.0.1", "::1"] : [host]
        return hosts.compactMap { NetworkAddress($0) }
    }

    /// True if this is the hub itself, so that every request would come back to it.
    ///
    /// - Parameters:
    ///   - port: the hub's.
    ///   - listen: the addresses that the hub listens on; empty: all of this host's.
    ///   - own: this host's addresses.
    package func isHub(onPort port: UInt16, listen: [NetworkAddress], own: [NetworkAddress]) -> Bool {
        func isSame(_ one: NetworkAddress) -> Bool { addresses.contains { $0.bytes == one.bytes } }
        guard self.port == port, isLoopback || own.contains(where: isSame) else { return false }
        return listen.isEmpty || listen.contains { $0.isUnspecified || isSame($0) }
    }

    /// True if it is the same server, perhaps by another name of this host or over TLS.
    func isSameServer(as other: Upstream) -> Bool {
        port == other.port && (host == other.host || isLoopback && other.isLoopback)
    }

    /// The name for SNI (RFC 6066 § 3); nil for an address, which has none.
    var serverName: String? { addresses.isEmpty ? host : nil }
}

/// Why a text is not an upstream.
package enum UpstreamError: Equatable, UserError {
    /// Not `http://HOST[:PORT]` or `https://HOST[:PORT]`.
    case notAURL
    /// A user name or password, which would end up in a file and in logs.
    case password
    /// A path or a query: the gateway passes on the client's own.
    case path
    /// The fragment is not a pin.
    case badPin
    /// A host other than this one without https and a pin.
    case notLoopback
    /// Not `mqtt://HOST[:PORT]`.
    case notABroker
    /// A broker on another host.
    case brokerElsewhere

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .notAURL: "the upstream is not a URL like https://127.0.0.1:8443"
        case .password: "the upstream has a user name or password in it"
        case .path: "the upstream has a path or query; only scheme, host and port belong there"
        case .badPin: "the upstream's part after # is not a pin like sha256//…"
        case .notLoopback: "the upstream is on another host, and not https with a pin"
        case .notABroker: "the broker is not a URL like mqtt://127.0.0.1:1883"
        case .brokerElsewhere: "the broker is on another host"
        }
    }

    package var kind: UserErrorKind { .usage }

    /// How to fix it; nil if there is no advice.
    package var hint: String? {
        switch self {
        case .notLoopback: "let it listen on 127.0.0.1, or give https://HOST:PORT#sha256//PIN"
        case .notABroker: "give it like mqtt://127.0.0.1:1883"
        case .brokerElsewhere:
            "let a broker on this machine be a bridge to it (mosquitto.conf: connection, address, topic), "
                + "and give that one's address"
        default: "give it like https://127.0.0.1:8443"
        }
    }
}
