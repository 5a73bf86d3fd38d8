#if os(Linux) && !HUBPAIR_PORTABLE
import Identity

/// The address of a hub, in the form of the option `--hub` and of the keyfile.
///
///     address = host [ ":" port ]              ; port: 1–65535, default 8000
///     host    = IPv4 / "[" IPv6 [ "%" scope ] "]" / name
///     name    = <name as in HostName> [ "." ]
///
/// An IPv6 address without a port needs no brackets.
///
/// Accepted: `192.0.2.7`, `hub.local:8443`, `[fe80::1%eth0]:8000`, `fd77::1`. Rejected: `hub:`, `hub:0`,
/// `https://hub`, `hub:+80`, `1.2.3`, `Kitchen hub`.
package struct HubAddress: Hashable, Sendable, CustomStringConvertible {
    /// The default port of hubs.
    package static let defaultPort: UInt16 = 8000

    /// An IP address, or a host name that the system resolves.
    package enum Host: Hashable, Sendable {
        case address(NetworkAddress)
        case name(String)
    }

    package let host: Host
    package let port: UInt16

    package init(_ address: NetworkAddress, port: UInt16) { self.init(.address(address), port: port) }

    private init(_ host: Host, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Parses an address from a person or a file; nil if it is invalid. A system call is made only if a scope
    /// is an index: `fe80::1%2` becomes `fe80::1%eth0`, as in addresses from all other sources.
    package init?(_ text: String) {
        guard text.utf8.count <= 300 else { return nil }
        if let address = NetworkAddress(text)?.withScopeName {
            self.init(address, port: HubAddress.defaultPort)
            return
        }
        let hostText: Substring
        let rest: Substring
        if text.hasPrefix("["), let end = text.lastIndex(of: "]") {
            hostText = text[..<end].dropFirst()
            rest = text[text.index(after: end)...]
        } else {
            let colon = text.firstIndex(of: ":") ?? text.endIndex
            hostText = text[..<colon]
            rest = text[colon...]
        }
        var port = HubAddress.defaultPort
        if !rest.isEmpty {
            guard rest.hasPrefix(":"), let number = UInt16(digits: rest.dropFirst()), number != 0 else {
                return nil
            }
            port = number
        }
        if let address = NetworkAddress(String(hostText))?.withScopeName {
            guard address.family == (text.hasPrefix("[") ? .ipv6 : .ipv4) else { return nil }
            self.init(address, port: port)
        } else {
            // A name may end with the root's dot.
            let name = hostText.hasSuffix(".") ? hostText.dropLast() : hostText
            guard !text.hasPrefix("["), HostName.isValid(name) else { return nil }
            self.init(.name(String(hostText)), port: port)
        }
    }

    /// `192.0.2.7:8000`, `[fe80::1%eth0]:8000`, `hub.local:8000`.
    package var description: String {
        switch host {
        case .address(let address): address.description(withPort: port)
        case .name(let name): "\(name):\(port)"
        }
    }
}
#endif
