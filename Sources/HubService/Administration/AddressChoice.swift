import Addresses
package import GatewayRules
import Identity
package import Pairing

/// Which address a code names.
///
///     choice = "auto" / "none" / host [ ":" port ]
///     host   = ipv4 / a host name with a dot in it
///
/// Accepted: `auto`, `192.168.1.5`, `192.168.1.5:8000`, `kitchen.fritz.box`. Rejected: `0.0.0.0`, `fd77::1`,
/// `kitchen`, `192.168.1.5:0`.
package enum AddressChoice: Equatable, Sendable, CustomStringConvertible {
    /// The name or the address of this host by which devices reach it.
    case automatic
    case none
    case given(String, port: UInt16?)

    package init?(argument: String) {
        switch argument {
        case "auto": self = .automatic
        case "none": self = .none
        default:
            let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
            let port = parts.count == 2 ? UInt16(digits: parts[1]) : nil
            guard parts.count == 1 || (parts.count == 2 && port ?? 0 > 0), parts[0].contains("."),
                let hint = PairingCode.AddressHint(host: parts[0], port: port ?? 1)
            else { return nil }
            if let ipv4 = hint.ipv4, let address = NetworkAddress(bytes: ipv4) {
                guard !address.isUnspecified, !address.isMulticast, ipv4 != [255, 255, 255, 255] else {
                    return nil
                }
            }
            self = .given(hint.host, port: port)
        }
    }

    package var description: String {
        switch self {
        case .automatic: "auto"
        case .none: "none"
        case .given(let host, let port): host + (port.map { ":\($0)" } ?? "")
        }
    }

    /// The place in the code of a hub on `port`.
    ///
    /// - Parameter names: the hub's; nil if they cannot be read.
    package func hint(port: UInt16, names: @autoclosure () -> HubNames?) -> PairingCode.AddressHint? {
        switch self {
        case .none: nil
        case .given(let host, let given): .init(host: host, port: given ?? port)
        // A name stays when the address changes, and a browser knows its key again by it.
        case .automatic: (names()?.preferredHost()?.description).flatMap { .init(host: $0, port: port) }
        }
    }
}
