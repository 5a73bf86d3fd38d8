import CGlibc
import Discovery
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
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var links: [String: NetworkLink] = [:]
        for entry in sequence(first: list, next: { $0?.pointee.ifa_next }) {
            guard let entry = entry?.pointee, let pointer = entry.ifa_name else { continue }
            let flags = entry.ifa_flags
            func has(_ flag: some FixedWidthInteger) -> Bool { flags & UInt32(truncatingIfNeeded: flag) != 0 }
            let name = String(cString: pointer)
            guard !name.hasPrefix(TestNetwork.prefix) else { continue }
            var link =
                links[name]
                ?? NetworkLink(
                    name: name, kind: has(IFF_LOOPBACK) ? .loopback : kind(of: name, has(IFF_POINTOPOINT)),
                    isUp: has(IFF_UP), isRunning: has(IFF_RUNNING), hasMulticast: has(IFF_MULTICAST))
            if let address = address(entry.ifa_addr, on: name) { link.addresses.append(address) }
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

    private static func address(
        _ pointer: UnsafeMutablePointer<sockaddr>?, on interface: String
    ) -> NetworkAddress? {
        guard let pointer else { return nil }
        let raw = UnsafeRawPointer(pointer)
        switch Int32(pointer.pointee.sa_family) {
        case AF_INET:
            let address = raw.loadUnaligned(as: sockaddr_in.self).sin_addr
            return NetworkAddress(bytes: withUnsafeBytes(of: address) { Array($0) })
        case AF_INET6:
            let address = raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            return NetworkAddress(bytes: withUnsafeBytes(of: address) { Array($0) }, scope: interface)
        default: return nil
        }
    }
}
