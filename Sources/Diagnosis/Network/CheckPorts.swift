import Addresses
import CGlibc
import Glibc

/// Whether another program keeps mDNS's or the hubs' UDP port for itself. Nothing is sent.
enum CheckPorts {
    static func check(_ port: UInt16) -> DiagnosisCheck {
        DiagnosisCheck("port-\(port)", tried: "bound UDP port \(port), shared with other programs") {
            verdict(port, errno: bindError(port), owners: UDPPortTable.owners(of: port))
        }
    }

    static func verdict(_ port: UInt16, errno code: Int32, owners: [String]) -> Finding.Verdict {
        let names = owners.joined(separator: ", ")
        switch code {
        case 0:
            return .ok(owners.isEmpty ? "it is free" : "it is shared with \(names)")
        case EADDRINUSE:
            let taken = "\(names.isEmpty ? "another program" : names) has it and does not share it"
            return .problem(
                port == 5353
                    ? "\(taken): no multicast DNS beside it" : "\(taken): no hub is announced by UDP here",
                mend: owners.isEmpty || names.contains("of the user")
                    ? "see which, and stop it: sudo ss -ulpn 'sport = :\(port)'"
                    : "stop that program, or let it share the port")
        default:
            return .skipped("bind: \(String(cString: strerror(code)))")
        }
    }

    /// As avahi and hubpair do it: shared. For no longer than this call.
    private static func bindError(_ port: UInt16) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC, 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        return SystemAddress.anyIPv4(port: port).withPointer { bind(descriptor, $0, $1) } == 0 ? 0 : errno
    }
}
