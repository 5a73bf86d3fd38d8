import Glibc

/// Which user of this computer is at the other end of a connection over 127.0.0.1. The kernel is asked for
/// that one socket by sock_diag(7), as ss(8) does it.
///
/// The address that a browser is given can be read by others while the browser starts: it is an argument of a
/// program. So the token alone does not say who comes.
///
/// /proc/net/tcp says the same, and is no way: each read(2) of it returns one page at most, of about 27
/// sockets, and others come and go between two reads.
enum LoopbackPeer {
    private static let netlinkFamily: Int32 = 16  // AF_NETLINK
    private static let sockDiag: Int32 = 4  // NETLINK_SOCK_DIAG
    private static let byFamily: UInt16 = 20  // SOCK_DIAG_BY_FAMILY
    private static let headByteCount = 16  // struct nlmsghdr
    private static let requestByteCount = headByteCount + 56  // struct inet_diag_req_v2
    private static let answerByteCount = headByteCount + 72  // struct inet_diag_msg

    /// The user whose socket is bound to `port` and connected to `ownPort`; nil if there is none any more.
    static func user(of port: UInt16, connectedTo ownPort: UInt16) -> UInt32? {
        let descriptor = socket(netlinkFamily, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), sockDiag)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let request = request(port, ownPort)
        guard Glibc.send(descriptor, request, request.count, 0) == request.count else { return nil }
        var answer = [UInt8](repeating: 0, count: 4_096)
        // The kernel has answered before send(2) returns.
        let count = recv(descriptor, &answer, answer.count, Int32(MSG_DONTWAIT))
        return count > 0 ? user(in: answer.prefix(count), port, ownPort) : nil
    }

    /// A request for one socket: its own address and port are the source here.
    private static func request(_ port: UInt16, _ ownPort: UInt16) -> [UInt8] {
        var bytes: [UInt8] = []
        func add(_ value: some FixedWidthInteger) {
            withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
        }
        add(UInt32(requestByteCount))
        add(byFamily)
        add(UInt16(1))  // NLM_F_REQUEST
        add(UInt64(0))  // sequence number, port
        bytes += [UInt8(AF_INET), UInt8(IPPROTO_TCP), 0, 0]
        add(UInt32.max)  // any state
        add(port.bigEndian)
        add(ownPort.bigEndian)
        for _ in 0..<2 { bytes += [127, 0, 0, 1] + [UInt8](repeating: 0, count: 12) }
        add(UInt32(0))  // any interface
        add(UInt64.max)  // INET_DIAG_NOCOOKIE
        return bytes
    }

    /// - Returns: nil for an error, and for a socket that no program holds: the kernel says root of those.
    private static func user(in answer: ArraySlice<UInt8>, _ port: UInt16, _ ownPort: UInt16) -> UInt32? {
        guard answer.count >= answerByteCount else { return nil }
        return answer.withUnsafeBytes { bytes in
            func value<Value: FixedWidthInteger>(at offset: Int, _: Value.Type) -> Value {
                bytes.loadUnaligned(fromByteOffset: offset, as: Value.self)
            }
            let socket = headByteCount + 4
            guard value(at: 4, UInt16.self) == byFamily,
                // Without such a connection the kernel finds who listens on the port.
                value(at: socket, UInt16.self).bigEndian == port,
                value(at: socket + 2, UInt16.self).bigEndian == ownPort,
                value(at: socket + 64, UInt32.self) != 0  // its inode
            else { return nil }
            return value(at: socket + 60, UInt32.self)
        }
    }

    /// True for the users whose browsers are let in: the one that runs this program, and the one that has
    /// become root by sudo(8) for it.
    static func isOurs(_ user: UInt32, environment: [String: String]) -> Bool {
        if user == geteuid() { return true }
        return geteuid() == 0 && environment["SUDO_UID"].flatMap { UInt32($0) } == user
    }
}
