/// How requests to one web service behind the hub are passed on. It has a port of the hub's to itself, and so
/// an origin of its own in browsers.
package struct ServiceRule: Equatable, Sendable {
    /// What the server is told of its own address.
    package enum HostField: String, CaseIterable, Sendable {
        /// What the client calls it: `Host` is passed on as it came.
        case kept
        /// Its own address behind the hub; `Origin` and `Referer` are written to fit.
        case server
    }

    /// What the server is told of the client, in the gate's words; never in the client's.
    package enum Told: String, CaseIterable, Sendable {
        /// `X-Forwarded-For`, `X-Forwarded-Host` and `X-Forwarded-Proto`.
        case xForwarded = "x-forwarded"
        /// `Forwarded` (RFC 7239).
        case forwarded
    }

    /// The hub's port for it.
    package let port: UInt16
    package let rights: ServiceRights
    package let host: HostField
    package let told: [Told]
    /// True if the server takes TLS.
    package let isTLS: Bool
    /// `Host` of the server behind the hub.
    package let authority: String
    package let cookies: ServiceCookies

    package init(
        port: UInt16, rights: ServiceRights, host: HostField = .kept, told: [Told] = [], isTLS: Bool,
        authority: String
    ) {
        (self.port, self.rights, self.host, self.told) = (port, rights, host, told)
        (self.isTLS, self.authority) = (isTLS, authority)
        cookies = ServiceCookies(port: port)
    }

    /// The server's origin, as its own clients write it.
    var origin: String { (isTLS ? "https://" : "http://") + authority }

    /// Lines, each with its CR LF, that tell the server of the client.
    ///
    /// - Parameters:
    ///   - client: the client's address.
    ///   - host: the request's `Host`.
    func lines(of client: String, host: ArraySlice<UInt8>) -> [UInt8] {
        var lines: [UInt8] = []
        // A quoted string: no byte of a `Host` that came through needs an escape in it (`RequestFraming`).
        let host = String(decoding: host, as: UTF8.self)
        for each in told {
            switch each {
            case .xForwarded:
                lines += "X-Forwarded-For: \(client)\r\nX-Forwarded-Proto: https\r\n".utf8
                if !host.isEmpty { lines += "X-Forwarded-Host: \(host)\r\n".utf8 }
            case .forwarded:
                let isIPv6 = client.utf8.contains(UInt8(ascii: ":"))
                let node = isIPv6 ? "\"[\(client)]\"" : client
                let named = host.isEmpty ? "" : ";host=\"\(host)\""
                lines += "Forwarded: for=\(node)\(named);proto=https\r\n".utf8
            }
        }
        return lines
    }
}
