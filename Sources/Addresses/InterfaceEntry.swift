#if os(Linux) && !HUBPAIR_PORTABLE
import Glibc

/// One entry of getifaddrs(3): an interface, or one of its addresses.
package struct InterfaceEntry: Sendable {
    /// The interface's name, 1–15 bytes.
    package let name: String
    /// The address with its network; nil if the entry is neither IPv4 nor IPv6.
    package let network: LocalNetwork?
    private let flags: UInt32

    package var isUp: Bool { has(IFF_UP) }
    /// True if it has a carrier: a plugged cable, or an access point.
    package var isRunning: Bool { has(IFF_RUNNING) }
    package var isLoopback: Bool { has(IFF_LOOPBACK) }
    package var isPointToPoint: Bool { has(IFF_POINTOPOINT) }
    package var canBroadcast: Bool { has(IFF_BROADCAST) }
    package var canMulticast: Bool { has(IFF_MULTICAST) }

    private func has(_ flag: some FixedWidthInteger) -> Bool {
        flags & UInt32(truncatingIfNeeded: flag) != 0
    }

    private init?(_ entry: ifaddrs) {
        guard let pointer = entry.ifa_name else { return nil }
        name = String(cString: pointer)
        flags = entry.ifa_flags
        network = SystemAddress(entry.ifa_addr, on: name).map { [name, flags] in
            let mask = SystemAddress(entry.ifa_netmask)?.address.bytes
            let isMulticast =
                flags & UInt32(IFF_MULTICAST) != 0 && flags & UInt32(IFF_POINTOPOINT) == 0
            return LocalNetwork(
                interface: name, address: $0.address,
                prefixLength: mask?.reduce(0) { $0 + $1.nonzeroBitCount } ?? $0.address.bytes.count * 8,
                isMulticast: isMulticast)
        }
    }

    /// All entries in the system's order; empty if getifaddrs(3) fails.
    package static func all() -> [InterfaceEntry] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        return sequence(first: list, next: { $0?.pointee.ifa_next }).compactMap { entry in
            entry.flatMap { InterfaceEntry($0.pointee) }
        }
    }
}
#endif
