import Addresses
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
    /// True if it is on this host.
    package let isLoopback: Bool
    /// What stands in `Host` for it.
    let authority: String

    package init(_ upstream: Upstream) {
        host = upstream.host
        isTLS = upstream.isTLS
        port = upstream.givenPort ?? (isTLS ? 443 : 80)
        pin = upstream.pin
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        authority = upstream.givenPort.map { "\(name):\($0)" } ?? name
        isLoopback = upstream.isLoopback
    }

    /// The name for SNI (RFC 6066 § 3), which addresses do not have.
    var serverName: String? { host == "localhost" || NetworkAddress(host) != nil ? nil : host }

    /// The addresses to try in turn; empty for a name that has to be looked up. `localhost` is never looked
    /// up: what a resolver makes of it may be elsewhere (RFC 6761 § 6.3).
    var addresses: [SocketAddress] {
        let hosts = host == "localhost" ? ["127.0.0.1", "::1"] : [host]
        return hosts.compactMap { try? SocketAddress(ipAddress: $0, port: port) }
    }
}
