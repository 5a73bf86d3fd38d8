import Addresses
import CGlibc
import FoundationEssentials
import Glibc

/// An interface of this machine, with what decides whether hubs can be on it.
struct NetworkLink: Hashable, Sendable {
    enum Kind: String, Sendable {
        case loopback, ordinary, vpn, container
    }

    let name: String
    let kind: Kind
    let isUp: Bool
    /// It has a carrier: a cable, an access point.
    let isRunning: Bool
    let hasMulticast: Bool
    var addresses: [NetworkAddress] = []

    /// Up, no loopback, and with an address.
    var isUsable: Bool { isUp && kind != .loopback && !addresses.isEmpty }

    /// All interfaces, by name; empty if the system does not tell.
    static func current() -> [NetworkLink] {
        var links: [String: NetworkLink] = [:]
        for entry in InterfaceEntry.all() where !entry.name.hasPrefix(TestNetwork.prefix) {
            let name = entry.name
            var link =
                links[name]
                ?? NetworkLink(
                    name: name, kind: entry.isLoopback ? .loopback : kind(of: name, entry.isPointToPoint),
                    isUp: entry.isUp, isRunning: entry.isRunning, hasMulticast: entry.canMulticast)
            if let network = entry.network { link.addresses.append(network.address) }
            links[name] = link
        }
        return links.values.sorted { $0.name < $1.name }
    }

    /// By what the kernel tells in /sys, which may be another network namespace's, and by the names that
    /// programs give to their interfaces.
    static func kind(of name: String, _ isPointToPoint: Bool) -> Kind {
        let folder = "/sys/class/net/\(name)"
        func text(_ file: String) -> String {
            String(
                decoding: FileManager.default.contents(atPath: "\(folder)/\(file)") ?? Data(), as: UTF8.self)
        }
        if access("\(folder)/tun_flags", F_OK) == 0 || text("uevent").contains("DEVTYPE=wireguard") {
            return .vpn
        }
        return kind(named: name, isPointToPoint: isPointToPoint)
    }

    static func kind(named name: String, isPointToPoint: Bool) -> Kind {
        let vpns = ["tun", "tap", "wg", "ppp", "tailscale", "zt", "ipsec", "nordlynx", "proton", "utun"]
        let containers = [
            "docker", "br-", "veth", "virbr", "lxcbr", "lxdbr", "podman", "cni", "flannel", "cali", "vnet",
            "vmnet",
            "vboxnet", "waydroid",
        ]
        if isPointToPoint || vpns.contains(where: name.hasPrefix) { return .vpn }
        return containers.contains(where: name.hasPrefix) ? .container : .ordinary
    }
}
