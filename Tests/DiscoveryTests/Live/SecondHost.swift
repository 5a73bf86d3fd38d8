import Addresses
import Glibc
import Testing

// glibc declares them only with _GNU_SOURCE, which Swift does not define.
@_silgen_name("unshare") private func unshare(_ flags: Int32) -> Int32
@_silgen_name("setns") private func setns(_ descriptor: Int32, _ type: Int32) -> Int32

/// Another host on the lab's network: a network namespace with lan2-far, 192.168.79.2 and fd79::2, on a cable
/// with lan2, 192.168.79.1 and fd79::1, of the lab. It ends with this value, and lan2 with it.
///
/// A network namespace belongs to a thread, and a thread that is started inherits it. So a browser or
/// publisher that is made `within` has its sockets on the other host.
final class SecondHost: Sendable {
    private static let newNetwork: Int32 = 0x4000_0000  // CLONE_NEWNET
    private let namespace: Int32
    private let outside: Int32

    init() throws {
        _ = try Lab.directory()
        outside = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
        guard outside >= 0, unshare(SecondHost.newNetwork) == 0 else {
            throw Lab.Failure(description: "cannot make a network namespace: \(errno)")
        }
        namespace = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
        guard setns(outside, SecondHost.newNetwork) == 0 else { fatalError("lost in a namespace") }
        mkdir("/run/netns", 0o755)
        unlink("/run/netns/host2")
        guard symlink("/proc/\(getpid())/fd/\(namespace)", "/run/netns/host2") == 0 else {
            throw Lab.Failure(description: "cannot name the namespace: \(errno)")
        }
        try run("ip link add lan2 type veth peer name lan2-far", "ip link set lan2-far netns host2")
        // Without duplicate address detection, where that may be set, there are link-local addresses at once.
        try? run("sysctl -qw net.ipv6.conf.lan2.accept_dad=0")
        try? within { try run("sysctl -qw net.ipv6.conf.lan2-far.accept_dad=0") }
        try run("ip address add 192.168.79.1/24 brd + dev lan2", "ip address add fd79::1/64 dev lan2 nodad")
        try within {
            try run(
                "ip link set lo up", "ip address add 192.168.79.2/24 brd + dev lan2-far",
                "ip address add fd79::2/64 dev lan2-far nodad", "ip link set lan2-far multicast on up")
        }
        try run("ip link set lan2 multicast on up")
        for _ in 0..<500 where !isReady() { usleep(10_000) }
        guard isReady() else { throw Lab.Failure(description: "no link-local address on lan2") }
    }

    deinit {
        // The cable goes with its end in the namespace, which goes when nothing holds it any more.
        try? Lab.run(["ip", "link", "delete", "lan2"])
        unlink("/run/netns/host2")
        close(namespace)
        close(outside)
    }

    /// Runs `body` on the other host. It must not suspend.
    func within<Result>(_ body: () throws -> Result) throws -> Result {
        guard setns(namespace, SecondHost.newNetwork) == 0 else {
            throw Lab.Failure(description: "cannot enter the namespace: \(errno)")
        }
        defer { if setns(outside, SecondHost.newNetwork) != 0 { fatalError("lost in a namespace") } }
        return try body()
    }

    private func run(_ commands: String...) throws {
        for command in commands { try Lab.run(command.split(separator: " ").map(String.init)) }
    }

    private func isReady() -> Bool {
        func hasLinkLocal(_ file: String) -> Bool {
            // Flag 40 of if_inet6(5): tentative.
            guard let stream = fopen(file, "r") else { return false }
            defer { fclose(stream) }
            var text = [UInt8](repeating: 0, count: 4_096)
            let count = fread(&text, 1, text.count, stream)
            return String(decoding: text.prefix(count), as: UTF8.self).split(separator: "\n").contains {
                line in
                let fields = line.split(separator: " ")
                return fields.count == 6 && fields[0].hasPrefix("fe80") && fields[5].hasPrefix("lan2")
                    && fields[4] == "80"
            }
        }
        let far = try? within { hasLinkLocal("/proc/thread-self/net/if_inet6") }
        return hasLinkLocal("/proc/thread-self/net/if_inet6") && far == true
    }
}
