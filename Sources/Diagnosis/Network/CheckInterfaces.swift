import Addresses

/// Whether there is an interface that a hub can be reached by.
enum CheckInterfaces {
    static var check: DiagnosisCheck {
        DiagnosisCheck("interfaces", tried: "looked for a network interface that is up") {
            verdict(NetworkLink.current())
        }
    }

    static func verdict(_ links: [NetworkLink]) -> Finding.Verdict {
        let others = links.filter { $0.kind != .loopback }
        let usable = others.filter(\.isUsable)
        guard !usable.isEmpty else {
            guard let link = others.first(where: \.isUp) else {
                let down = others.map(\.name).joined(separator: ", ")
                return .problem(
                    others.isEmpty ? "there is only loopback" : "no interface is up: \(down)",
                    mend:
                        "plug in the cable or join the Wi-Fi (nmtui, ip link set "
                        + "\(others.first?.name ?? "eth0") up)"
                )
            }
            return .problem(
                link.isRunning
                    ? "\(link.name) is up, but has no address"
                    : "\(link.name) is up, but has no carrier and no address",
                mend:
                    "see whether the router gives addresses (DHCP): journalctl -b -u NetworkManager -u dhcpcd"
            )
        }
        let words = usable.map { "\($0.name) (\($0.addresses.map(\.description).joined(separator: ", ")))" }
            .joined(separator: ", ")
        guard usable.contains(where: { $0.kind == .ordinary }) else {
            let kinds = Set(usable.map { $0.kind == .vpn ? "VPN" : "container" }).sorted()
            return .warning(
                "only \(kinds.joined(separator: " and ")) interfaces are up: \(words)",
                mend:
                    "hubs are on the local network: join its Wi-Fi or plug in the cable; a container "
                    + "needs the "
                    + "host's network (docker run --network host)")
        }
        guard usable.contains(where: { $0.kind == .ordinary && $0.isRunning }) else {
            return .problem(
                "no interface has a carrier: \(words)", mend: "plug in the cable or join the Wi-Fi")
        }
        return .ok(words)
    }
}
