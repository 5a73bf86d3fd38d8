import Glibc
import Testing

@testable import HubClient

/// Whose connection it is that comes to this computer's own address.
@Suite struct LoopbackPeerTests {
    /// A socket on 127.0.0.1, with its port.
    private struct Socket: ~Copyable {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        deinit { close(descriptor) }

        private func withAddress(
            _ port: UInt16, _ use: (UnsafePointer<sockaddr>, socklen_t) -> Int32
        ) -> Int32 {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return withUnsafePointer(to: address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    use($0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }

        func listen() -> Int32 { withAddress(0) { bind(descriptor, $0, $1) } + Glibc.listen(descriptor, 200) }
        func connect(_ port: UInt16) -> Int32 { withAddress(port) { Glibc.connect(descriptor, $0, $1) } }

        var port: UInt16 {
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            _ = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
            }
            return UInt16(bigEndian: address.sin_port)
        }
    }

    /// More than a page of /proc/net/tcp holds, and some of them closed again.
    @Test func everyConnectionIsFound() {
        let server = Socket()
        #expect(server.listen() == 0)
        let port = server.port
        func look(_ left: Int) {
            let client = Socket()
            #expect(client.connect(port) == 0)
            #expect(LoopbackPeer.user(of: client.port, connectedTo: port) == geteuid())
            // Not the other way round, and not one that only has the one or the other port.
            #expect(LoopbackPeer.user(of: client.port, connectedTo: client.port) == nil)
            #expect(LoopbackPeer.user(of: port, connectedTo: port) == nil)
            if left > 0 { look(left - 1) }
        }
        for _ in 0..<3 { look(60) }
    }

    @Test func whatNobodyHoldsIsNobodys() {
        let server = Socket()
        #expect(server.listen() == 0)
        var port: UInt16 = 0
        do {
            let client = Socket()
            #expect(client.connect(server.port) == 0)
            port = client.port
        }
        // It is still there, for the kernel to finish; and the kernel may call it root's.
        #expect(LoopbackPeer.user(of: port, connectedTo: server.port) == nil)
    }

    @Test func rootTakesTheBrowserOfWhoHasBecomeRoot() {
        #expect(LoopbackPeer.isOurs(geteuid(), environment: [:]))
        #expect(!LoopbackPeer.isOurs(geteuid() + 1, environment: [:]))
        #expect(
            LoopbackPeer.isOurs(geteuid() + 1, environment: ["SUDO_UID": "\(geteuid() + 1)"])
                == (geteuid() == 0))
    }
}
