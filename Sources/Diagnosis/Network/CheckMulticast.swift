import Addresses
import CGlibc
import Discovery
import Glibc

/// Whether the kernel knows a way to mDNS's groups (RFC 6762 § 3), on each interface, and lets a question
/// out there.
enum CheckMulticast {
    /// What the kernel said of one interface and group.
    struct Way: Equatable, Sendable {
        let interface: String
        let group: String
        /// 0: there is a way.
        let errno: Int32
    }

    static let groups: [(NetworkAddress.Family, String)] = [(.ipv4, "224.0.0.251"), (.ipv6, "ff02::fb")]

    static var check: DiagnosisCheck {
        DiagnosisCheck("multicast", tried: "asked the kernel for a way to 224.0.0.251 and ff02::fb") {
            let links = NetworkLink.current().filter { $0.isUsable && $0.kind == .ordinary }
            guard !links.isEmpty else { return .skipped("no ordinary interface is up") }
            return verdict(
                links,
                ways: links.flatMap { link in
                    groups.compactMap { family, group in
                        guard link.addresses.contains(where: { $0.family == family }) else { return nil }
                        return Way(
                            interface: link.name, group: group, errno: connectError(group, family, link.name))
                    }
                })
        }
    }

    static func verdict(_ links: [NetworkLink], ways: [Way]) -> Finding.Verdict {
        if let deaf = links.first(where: { !$0.hasMulticast }) {
            return .problem(
                "\(deaf.name) takes no part in multicast", mend: "sudo ip link set \(deaf.name) multicast on")
        }
        let closed = ways.filter { $0.errno != 0 }
        guard let first = closed.first else {
            return .ok("there is one on \(links.map(\.name).joined(separator: ", "))")
        }
        if let forbidden = closed.first(where: { $0.errno == EPERM || $0.errno == EACCES }) {
            return Finding.Verdict(
                status: closed.count == ways.count ? .problem : .warning,
                seen: "this machine's own firewall lets no question out to \(forbidden.group) on "
                    + forbidden.interface,
                mend:
                    "allow what goes out to 5353/udp; a VPN's kill switch must leave out the local network; "
                    + "'sudo nft list ruleset' shows the rules")
        }
        let words = closed.map { "\($0.group) on \($0.interface): \(String(cString: strerror($0.errno)))" }
        let range = first.group.contains(":") ? "-6 route add multicast ff00::/8" : "route add 224.0.0.0/4"
        let isIPv6 = first.group.contains(":")
        return Finding.Verdict(
            status: closed.count == ways.count ? .problem : .warning,
            seen: "no way to \(words.joined(separator: "; "))",
            mend: "sudo ip \(range) dev \(first.interface)\(isIPv6 ? " table local" : "")")
    }

    /// 0, or the errno of connect(2).
    private static func connectError(_ group: String, _ family: NetworkAddress.Family, _ interface: String)
        -> Int32
    {
        guard let index = NetworkInterface(named: interface)?.index, let address = NetworkAddress(group)
        else { return ENODEV }
        let domain: Int32 = family == .ipv4 ? AF_INET : AF_INET6
        let descriptor = socket(domain, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC, 0)
        guard descriptor >= 0 else { return Glibc.errno }
        defer { close(descriptor) }
        if family == .ipv4 {
            var request = ip_mreqn()
            request.imr_ifindex = Int32(bitPattern: index)
            let size = socklen_t(MemoryLayout<ip_mreqn>.size)
            setsockopt(descriptor, Int32(IPPROTO_IP), IP_MULTICAST_IF, &request, size)
        }
        let isReachable = SystemAddress(address, port: 5353, interface: index).withPointer {
            Glibc.connect(descriptor, $0, $1) == 0
        }
        // Only what is sent meets a firewall. Nobody waits for the answer.
        guard isReachable else { return Glibc.errno }
        let question = DNSMessage.question(forServicesOf: ServiceType.hestia.name(in: .local), id: 0)
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        let count = Glibc.send(descriptor, question, question.count, flags)
        return count < 0 ? Glibc.errno : 0
    }
}
