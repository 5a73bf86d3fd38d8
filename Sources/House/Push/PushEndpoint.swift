import Addresses
import GatewayRules
import Identity

/// Where a push service takes messages for one browser (RFC 8030 § 2): an address that the browser was given
/// by its maker, and gives to the hub.
///
/// The threat is a browser that names something else: the hub would send requests into the home's own
/// network, to whatever trusts it there. So it has to be HTTPS, at a host name, on port 443, and the name has
/// to lead to public addresses, which is looked at for each message. The request's body is a message that
/// nobody but that browser can read, and of the answer nothing is shown but the status.
///
/// Accepted: `https://fcm.googleapis.com/fcm/send/abc`. Rejected: `http://…`, `https://192.168.1.1/`,
/// `https://user@host/`, `https://host:8443/`, `https://host/#x`.
struct PushEndpoint: Equatable, Sendable {
    static let maximumByteCount = 1024
    private static let scheme = "https://"

    /// In lower case.
    let host: String
    let port: UInt16
    /// The path and the query.
    let target: String
    /// As the browser has said it.
    let text: String

    /// The name of a service at home that the owner has written into the hub's settings.
    struct HomeHost: Equatable, Sendable {
        let host: String
        let port: UInt16

        /// - Parameter text: `push.example.org` or `push.example.org:8443`.
        init?(_ text: some StringProtocol) {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard let first = parts.first, case .name(let host)? = WebHost(first), parts.count <= 2 else {
                return nil
            }
            guard parts.count == 2 else {
                (self.host, port) = (host, 443)
                return
            }
            guard let port = UInt16(digits: parts[1]), port > 0 else { return nil }
            (self.host, self.port) = (host, port)
        }
    }

    /// - Parameter home: hosts where other ports and addresses at home do, too.
    init?(_ text: String, home: [HomeHost] = []) {
        let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x5C && $0 != 0x23 }
        guard text.utf8.count <= PushEndpoint.maximumByteCount, isPlain,
            text.hasPrefix(PushEndpoint.scheme)
        else { return nil }
        let rest = text.dropFirst(PushEndpoint.scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let target = rest.dropFirst(authority.count)
        guard !authority.contains("@"), let place = HomeHost(authority) else { return nil }
        guard place.port == 443 || home.contains(place) else { return nil }
        (host, port) = (place.host, place.port)
        self.target = target.first == "/" ? String(target) : "/\(target)"
        self.text = text
    }

    /// `https://host`, with the port if it is not 443 (RFC 6454 § 6.2).
    var origin: String { PushEndpoint.scheme + authority }

    var authority: String { port == 443 ? host : "\(host):\(port)" }

    /// True if a message may be sent to this address of the host.
    func allows(_ address: NetworkAddress, home: [HomeHost]) -> Bool {
        home.contains { $0.host == host && $0.port == port } || PushEndpoint.isPublic(address)
    }

    /// True for addresses of the Internet alone (RFC 6890); what carries an IPv4 address inside is judged by
    /// it nowhere, and so is refused.
    static func isPublic(_ address: NetworkAddress) -> Bool {
        let bytes = address.bytes
        guard address.family == .ipv4 else {
            let hasIPv4Inside =
                bytes.starts(with: [0x20, 0x02]) || bytes.starts(with: [0x20, 0x01, 0, 0])
                || bytes.starts(with: [0x20, 0x01, 0x0D, 0xB8])
            return address.isGlobalIPv6 && !hasIPv4Inside
        }
        switch (bytes[0], bytes[1], bytes[2]) {
        case (0, _, _), (240..., _, _), (192, 0, 0), (192, 0, 2), (198, 18...19, _), (198, 51, 100),
            (203, 0, 113):
            return false
        default: break
        }
        return !address.isLoopback && !address.isMulticast && !address.isLinkLocal && !address.isPrivate
            && !address.isShared
    }
}
