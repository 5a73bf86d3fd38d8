package import FoundationEssentials
package import Pairing
import PinnedTLS

/// The hub's file `hub-keys`: which keys it had, and how it told of the next one.
///
///     [keyfile]
///     format=1
///
///     [key K7QF-2M9D-X0TW-8RHC]
///     pin=sha256//…
///     statement=…
///
///     [key D8EW-7XH8-EQM5-V02H]
///     pin=sha256//…
///     since=2026-11-28T09:30:00Z
///
/// The keys in the order in which they came. `statement` is a ``KeyStatement`` in base64, by which the key
/// named the next one; one that was lost has none. `since` is when the key came; the first one's nobody wrote
/// down. The keys themselves are in files of their own. A hub whose key was never changed has no such file,
/// and the key that counts is the one in `hub-key.pem`: a change that was cut short leaves a group here that
/// says nothing.
///
/// Accepted: the above with whole pins and a statement of 276 characters. Rejected: a group whose fingerprint
/// is not its pin's, a statement of another key, one with a fault, another kind of group, `format=2`.
package struct HubKeys: Equatable, Sendable {
    package static let fileName = "hub-keys"
    private static let kind = "key"

    package struct Key: Equatable, Sendable {
        package let pin: Pin
        package let since: Date?
        package let statement: KeyStatement?
    }

    package private(set) var keys: [Key] = []
    private var file: KeyFile

    package init() { file = .empty(comment: "The keys that this hub had; see 'hubpair hub key'.") }

    package init(parsing bytes: [UInt8]) throws(KeyFileError) {
        file = try KeyFile(parsing: bytes)
        try file.checkFormat()
        for fingerprint in try file.identifiers(of: HubKeys.kind) {
            let group = "\(HubKeys.kind) \(fingerprint)"
            let pin = try file.pin(in: group, fingerprint: fingerprint)
            keys.append(
                Key(
                    pin: pin, since: try file.time("since", in: group),
                    statement: try HubKeys.statement(of: pin, in: file, group)))
        }
    }

    private static func statement(
        of pin: Pin, in file: KeyFile, _ group: String
    ) throws(KeyFileError) -> KeyStatement? {
        guard let text = file.value("statement", in: group) else { return nil }
        guard let data = Data(base64Encoded: text), let statement = try? KeyStatement(verifying: Array(data)),
            statement.old == pin
        else { throw .invalidValue("not a statement of this key", key: "statement", group: group) }
        return statement
    }

    package var serialized: [UInt8] { file.serialized }

    /// The number of the next statement.
    var nextSerial: UInt32 { (keys.compactMap { $0.statement?.serial }.max() ?? 0) + 1 }

    /// The statement that names the key with this pin, as the hub makes it known; nil for a hub's first key,
    /// and for one that came after a loss.
    package func statement(naming pin: Pin) -> KeyStatement? {
        keys.compactMap(\.statement).last { $0.new == pin }
    }

    /// When the key with this pin came.
    package func since(_ pin: Pin) -> Date? { keys.last { $0.pin == pin }?.since }

    /// The keys that led to the one with this pin, one naming the next, the latest first: a browser that went
    /// by one of them still means this hub. A loss ends that.
    package func past(of pin: Pin) -> [Pin] {
        var past: [Pin] = []
        var next = pin
        while let before = statement(naming: next)?.old, before != pin, !past.contains(before) {
            past.append(before)
            next = before
        }
        return past
    }

    /// The statements that led to the key that the hub in this directory has, the first of them first.
    static func statements(in directory: borrowing ProtectedDirectory) throws -> [KeyStatement] {
        let keys = try directory.read(fileName, HubKeys.init(parsing:)) ?? HubKeys()
        let pin = try HubState.existingIdentity(in: directory).pin
        return ([pin] + keys.past(of: pin)).compactMap { keys.statement(naming: $0) }.reversed()
    }

    /// True for a code that was made with a key before the one that the hub has, and none of another hub of
    /// its site.
    static func isOld(_ ticket: Ticket, for hub: Hub) -> Bool {
        ticket.key.map { key in hub.past.contains { $0.fingerprint == key } }
            ?? (hub.since.map { ticket.issued < $0 } ?? false)
    }

    /// Notes that the key with the pin `new` comes after `old`, which says so, or was lost.
    mutating func follow(_ old: Pin, by new: Pin, _ statement: KeyStatement?, at now: Date) {
        var all = keys.filter { $0.pin != old && $0.pin != new }
        all.append(Key(pin: old, since: since(old), statement: statement))
        all.append(Key(pin: new, since: now, statement: nil))
        file = HubKeys().file
        for key in all {
            let group = "\(HubKeys.kind) \(key.pin.fingerprint)"
            file.set("pin", to: key.pin.text, in: group)
            file.set("since", to: key.since?.timestamp, in: group)
            file.set(
                "statement", to: key.statement.map { Data($0.bytes).base64EncodedString() }, in: group)
        }
        keys = all
    }
}
