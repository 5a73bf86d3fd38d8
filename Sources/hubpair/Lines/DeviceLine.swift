import FoundationEssentials
import Identity
import Pairing

/// A paired device as a row of `devices`.
enum DeviceLine {
    private static let titles = ["DEVICE", "FINGERPRINT", "ROLE", "STATUS", "APPROVED", "LAST SEEN", "FROM"]

    /// Writes the devices as a table or as JSON.
    ///
    /// - Parameter isSeen: false where nobody knows when they were last let in, as in a backup.
    static func write(_ devices: [DeviceRecord], isSeen: Bool = true, at now: Date, json: Bool) throws {
        if json { return try JSONLine.write(devices.map(\.json)) }
        let rows = devices.map { cells($0, at: now) }
        let all = Table(columns: titles, rows: rows)
        let isTooWide = Console.outputIsTerminal && Console.size.columns < all.narrowestWidth
        guard !isSeen || isTooWide else { return try all.write() }
        // Where it was seen from is the first to go.
        let gone = isSeen ? 1 : 2
        try Table(columns: Array(titles.dropLast(gone)), rows: rows.map { Array($0.dropLast(gone)) }).write()
    }

    /// The cells below `titles`. The status says how long ago the device asked: the owner compares that with
    /// the device at hand.
    private static func cells(_ device: DeviceRecord, at now: Date) -> [String] {
        let ago = device.askedAge.map { ", asked \(Duration(passed: $0).words) ago" } ?? ""
        let end =
            device.status == .approved
            ? device.expires.map { ", until \(LocalTime($0).text(seenAt: now))" } ?? "" : ""
        let like = device.resembles.first.map { ", looks like \($0)" } ?? ""
        return [
            device.name.description, device.device.description,
            (device.role.map { device.knownRole == nil ? "\($0)?" : $0 } ?? "-")
                + (device.kind.map { ", \($0)" } ?? ""),
            device.status.rawValue + end + ago + like,
            device.approved.map { LocalTime($0).text(seenAt: now) } ?? "-",
            device.lastSeen.map { LocalTime($0).text(seenAt: now) } ?? "-", device.lastAddress ?? "-",
        ]
    }
}
