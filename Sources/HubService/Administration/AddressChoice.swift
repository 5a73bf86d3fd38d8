import Addresses
import Identity
package import Pairing

/// Which address a code names.
///
///     choice = "auto" / "none" / ipv4 [ ":" port ]
///
/// Accepted: `auto`, `192.168.1.5`, `192.168.1.5:8000`. Rejected: `0.0.0.0`, `fd77::1`, `192.168.1.5:0`.
package enum AddressChoice: Equatable, Sendable, CustomStringConvertible {
    /// The one of this host that devices may reach, if it is clear which.
    case automatic
    case none
    case given([UInt8], port: UInt16?)

    package init?(argument: String) {
        switch argument {
        case "auto": self = .automatic
        case "none": self = .none
        default:
            let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
            let port = parts.count == 2 ? UInt16(digits: parts[1]) : nil
            guard let address = NetworkAddress(String(parts[0])), address.family == .ipv4,
                !address.isUnspecified, !address.isMulticast, address.bytes != [255, 255, 255, 255],
                parts.count == 1 || (parts.count == 2 && port ?? 0 > 0)
            else { return nil }
            self = .given(address.bytes, port: port)
        }
    }

    package var description: String {
        switch self {
        case .automatic: "auto"
        case .none: "none"
        case .given(let ipv4, let port):
            ipv4.map(String.init).joined(separator: ".") + (port.map { ":\($0)" } ?? "")
        }
    }

    /// The hint for a hub on `port`. A label outlives every address, so it gets one only if it was given.
    ///
    /// - Parameter networks: this host's.
    package func hint(
        port: UInt16, kind: PairingCode.Kind,
        among networks: @autoclosure () -> [LocalNetwork] = LocalNetwork.current()
    ) -> PairingCode.AddressHint? {
        switch self {
        case .none: return nil
        case .given(let ipv4, let given): return .init(ipv4: ipv4, port: given ?? port)
        case .automatic:
            guard kind == .once else { return nil }
            let routes = ProcFile.text("/proc/net/route")
            return LocalAddress.preferred(among: networks(), routes: routes)
                .flatMap { .init(ipv4: $0.bytes, port: port) }
        }
    }
}
