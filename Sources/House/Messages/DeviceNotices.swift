import Household
import HubService
import Pairing

/// Makes messages of devices that ask, are let in or are kept out: what has changed in the keyfile since it
/// was last looked at, also while the hub did not run.
final class DeviceNotices: Sendable {
    private struct Known: Equatable, Sendable {
        let name: String
        let status: String
    }

    private let files: ToldFiles
    private let messages: MessageLog
    private let database: HouseholdDatabase
    private let looking: RecurringLook
    /// When to look again if it cannot be written down, in seconds.
    private static let pause = 10.0

    /// - Parameter authors: who has decided about each device last, and since when the gate runs; nil if that
    ///   cannot be said now.
    init(
        _ files: ToldFiles, _ messages: MessageLog, _ database: HouseholdDatabase,
        authors: @escaping @Sendable () async -> (authors: [String: String], began: Int64)?
    ) {
        (self.files, self.messages, self.database) = (files, messages, database)
        looking = RecurringLook(remembering: ()) { _ in
            await DeviceNotices.look(files, messages, database, authors) ? nil : DeviceNotices.pause
        }
    }

    /// Looks at the keyfile, soon.
    func look() { looking.look() }

    func stop() async { await looking.stop() }

    /// - Returns: false if it is to be tried again.
    private static func look(
        _ files: ToldFiles, _ messages: MessageLog, _ database: HouseholdDatabase,
        _ authors: @Sendable () async -> (authors: [String: String], began: Int64)?
    ) async -> Bool {
        // A keyfile with a fault lets nobody in, which the log says; nothing has been decided about devices.
        guard let devices = files.devices else { return true }
        guard let known = try? await known(database) else { return false }
        let now = Dictionary(
            devices.map {
                ($0.fingerprint.description, Known(name: $0.name.description, status: $0.status.rawValue))
            }
        ) { _, last in last }
        guard now != known.devices || !known.isRecorded else { return true }
        guard let (authors, began) = await authors() else { return false }
        // Those of a hub that was set up before it kept messages are no news, but those that were let in
        // since the gate began: it does not wait for the house.
        let early = devices.filter { $0.approved.map { $0.milliseconds < began - 1_000 } ?? true }
        let earlyNames = Set(early.map(\.fingerprint.description))
        let before = known.isRecorded ? known.devices : now.filter { earlyNames.contains($0.key) }
        let texts = now.sorted { $0.key < $1.key }.compactMap { device, entry in
            text(entry, device, before: before[device]).map { (device, $0) }
        }
        let drafts = texts.map { device, text in
            MessageDraft(kind: .notification, text: text, author: authors[device])
        }
        let isKept: Void? = try? await messages.append(drafts) { connection throws(DatabaseError) in
            try record(now, &connection)
        }
        return isKept != nil
    }

    private static func text(_ device: Known, _ fingerprint: String, before: Known?) -> String? {
        guard device.status != before?.status else { return nil }
        let who = "\(device.name) (\(fingerprint))"
        switch ApprovedDevice.Status(rawValue: device.status) {
        case .pending: return "\(who) asks to be let in"
        case .approved: return before == nil ? "\(who) was paired" : "\(who) was approved"
        case .revoked: return "\(who) was revoked"
        case nil: return nil
        }
    }

    private struct Recorded: Sendable {
        let isRecorded: Bool
        let devices: [String: Known]
    }

    private static func known(_ database: HouseholdDatabase) async throws(DatabaseError) -> Recorded {
        try await database.use { connection throws(DatabaseError) in
            var devices: [String: Known] = [:]
            try connection.run("SELECT device, name, status FROM devices") { row in
                devices[row.text(0)] = Known(name: row.text(1), status: row.text(2))
            }
            let mark = try connection.text("SELECT value FROM meta WHERE name = 'devices'")
            return Recorded(isRecorded: mark != nil, devices: devices)
        }
    }

    /// Writes the devices down; the read marks of those that are gone go with them.
    private static func record(
        _ devices: [String: Known], _ connection: inout SQLiteConnection
    ) throws(DatabaseError) {
        try connection.run("DELETE FROM devices")
        for (device, entry) in devices {
            try connection.run(
                "INSERT INTO devices VALUES (?, ?, ?)",
                [.text(device), .text(entry.name), .text(entry.status)])
        }
        try connection.run("DELETE FROM read_marks WHERE device NOT IN (SELECT device FROM devices)")
        try connection.run("INSERT OR REPLACE INTO meta VALUES ('devices', 'recorded')")
    }
}
