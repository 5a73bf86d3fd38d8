import Discovery
import FoundationEssentials
import NIOCore
package import Pairing

/// Where an upstream is, and how it is recognised.
package struct UpstreamAddress: Sendable {
    /// Its name or address, IPv6 without brackets.
    package let host: String
    /// Its TCP port.
    package let port: Int
    package let isTLS: Bool
    /// The pin that its key must have; nil on loopback, where any key is taken: a stock hub makes a new one
    /// at every start, and who may listen on this host's loopback is the owner's own business.
    package let pin: Pin?
    /// What stands in `Host` for it.
    let authority: String

    /// Nil if `upstream` is no URL after all, which its initialiser rules out.
    package init?(_ upstream: Upstream) {
        guard let parts = URLComponents(string: upstream.text), let host = parts.host else { return nil }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        self.host = isBracketed ? String(host.dropFirst().dropLast()) : host
        isTLS = parts.scheme == "https"
        port = parts.port ?? (isTLS ? 443 : 80)
        pin = upstream.pin
        let name = self.host.utf8.contains(UInt8(ascii: ":")) ? "[\(self.host)]" : self.host
        authority = parts.port.map { "\(name):\($0)" } ?? name
    }

    /// True if it is on this host.
    package var isLoopback: Bool { host == "localhost" || NetworkAddress(host)?.isLoopback ?? false }

    /// The name for SNI (RFC 6066 § 3), which addresses do not have.
    var serverName: String? { host == "localhost" || NetworkAddress(host) != nil ? nil : host }

    /// The addresses to try in turn; empty for a name that has to be looked up. `localhost` is never looked
    /// up: what a resolver makes of it may be elsewhere (RFC 6761 § 6.3).
    var addresses: [SocketAddress] {
        let hosts = host == "localhost" ? ["127.0.0.1", "::1"] : [host]
        return hosts.compactMap { try? SocketAddress(ipAddress: $0, port: port) }
    }
}
