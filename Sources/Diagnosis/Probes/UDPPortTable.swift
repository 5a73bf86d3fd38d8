import Addresses
import FoundationEssentials
import Glibc
import Identity

/// The programs that have a UDP port, as /proc/net/udp and /proc/net/udp6 list them.
///
///     line = *SP slot ": " address ":" 4HEXDIG SP address ":" 4HEXDIG SP … uid SP timeout SP inode SP …
///
/// Accepted: ` 12: 00000000:14E9 00000000:0000 07 00000000:00000000 00:00000000 00000000 104 0 18293 2 …`.
/// Rejected (skipped): the heading, a line with fewer fields or another thing than a number in them.
enum UDPPortTable {
    struct Entry: Equatable, Sendable {
        let port: UInt16
        let uid: UInt32
        let inode: UInt64
    }

    /// The most processes and descriptors that are looked at.
    private static let maximumProcesses = 8_192
    private static let maximumDescriptors = 4_096

    static func parse(_ text: String) -> [Entry] {
        text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.count >= 10, let colon = fields[1].lastIndex(of: ":"),
                let port = UInt16(fields[1][colon...].dropFirst(), radix: 16),
                let uid = UInt32(digits: fields[7]), let inode = UInt64(digits: fields[9])
            else { return nil }
            return Entry(port: port, uid: uid, inode: inode)
        }
    }

    /// The programs that have `port`, each once: `avahi-daemon (812)`, or `user 104` where the process is not
    /// ours to look into.
    static func owners(of port: UInt16) -> [String] {
        var entries: [Entry] = []
        for file in ["/proc/net/udp", "/proc/net/udp6"] {
            entries += parse(ProcFile.text(file)).filter { $0.port == port }
        }
        guard !entries.isEmpty else { return [] }
        var users = Dictionary(
            entries.map { ("socket:[\($0.inode)]", $0.uid) }, uniquingKeysWith: { one, _ in one })
        var owners: [String] = []
        let processes = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [])
            .filter { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        for process in processes.prefix(maximumProcesses) where !users.isEmpty {
            let folder = "/proc/\(process)/fd"
            let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            for descriptor in descriptors.prefix(maximumDescriptors) {
                guard let link = target("\(folder)/\(descriptor)"), users.removeValue(forKey: link) != nil
                else { continue }
                let name = ProcFile.text("/proc/\(process)/comm").prefix { $0 != "\n" }
                let owner = "\(name.isEmpty ? "?" : name) (\(process))"
                if !owners.contains(owner) { owners.append(owner) }
            }
        }
        return owners + Set(users.values).sorted().map { "a program of the user \($0)" }
    }

    private static func target(_ path: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = readlink(path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
    }
}
