import Glibc

/// Which user of this computer is at the other end of a connection over 127.0.0.1, as /proc/net/tcp says.
///
///     line = *SP slot ": " address ":" 4HEXDIG SP address ":" 4HEXDIG SP … SP uid SP …   ; proc(5)
///
/// The address that a browser is given can be read by others while the browser starts: it is an argument of a
/// program. So the token alone does not say who comes.
enum LoopbackPeer {
    /// 127.0.0.1, as Linux on a little-endian machine writes it.
    private static let loopback = UInt32(0x7F00_0001).bigEndian

    /// The user whose socket is bound to `port` and connected to `ownPort`; nil if no such socket is listed.
    static func user(of port: UInt16, connectedTo ownPort: UInt16, in table: String) -> UInt32? {
        for line in table.split(separator: "\n") {
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count >= 8, isLoopback(fields[1], port), isLoopback(fields[2], ownPort) else {
                continue
            }
            return UInt32(fields[7])
        }
        return nil
    }

    private static func isLoopback(_ field: Substring, _ port: UInt16) -> Bool {
        let parts = field.split(separator: ":")
        return parts.count == 2 && UInt32(parts[0], radix: 16) == loopback
            && UInt16(parts[1], radix: 16) == port
    }

    /// True for the users whose browsers are let in: the one that runs this program, and the one that has
    /// become root by sudo(8) for it.
    static func isOurs(_ user: UInt32, environment: [String: String]) -> Bool {
        if user == geteuid() { return true }
        return geteuid() == 0 && environment["SUDO_UID"].flatMap { UInt32($0) } == user
    }
}
