package import FoundationEssentials

/// The hub's file `tickets`: the codes that are out, and who used them.
///
///     [keyfile]
///     format=1
///
///     [ticket 7M2KQ0V3XG5TA]
///     kind=once
///     proof-key=…
///     issued=2026-11-21T10:22:03Z
///     boot=6f0e4a0c-3c5b-4f0e-9d0e-2b1f3c4d5e6f 123456
///     expires=2026-11-21T10:32:03Z
///     output=/home/anna/labels.pdf
///     sheet=4F7Q2M9DX0TW8
///     position=3/24
///     role=guest
///     stay=172800
///     by=K7QF-2M9D-X0TW-8RHC
///     away=yes
///     key=D8EW-7XH8-EQM5-V02H
///
///     [use 7M2KQ0V3XG5TA K7QF-2M9D-X0TW-8RHC]
///     number=17
///     pin=sha256//…
///     name=Anna's tablet
///     device-nonce=…
///     hub-nonce=…
///     used=2026-11-21T10:23:11Z
///     boot=6f0e4a0c-3c5b-4f0e-9d0e-2b1f3c4d5e6f 191456
///     device-kind=browser
///
/// A ticket is named by the Crockford base32 of its 8-byte ID, a use by that and the device's fingerprint.
/// `kind` is `once` or `label`; keys and nonces are standard base64 of 32 and 16 bytes; a label may be
/// without `expires`; `boot` is as `BootTime` has it and may be missing. `output` is as `CodeOutput` has it,
/// `sheet` is a name like a ticket's, and `position` is as `SheetPlace` has it; `output` may be missing, and
/// so may both of the others: version 0.1 knows none of the three. `role` is the word that the device of a
/// once code gets in `approved-devices`; without it the code says nothing of a role. `stay` is how long that
/// device may come in (`ApprovalEnd`): seconds from the pairing, a time, or `forever`, which a missing one
/// means, too. `device-kind` is as `kind` in `approved-devices`. `by` is the owner's device that made the
/// code, and missing if none did. `away=yes`: it is good from outside, too. `key` is the fingerprint of the
/// hub's key in the code, and missing in those of version 0.1. `number` counts the uses, from 1 on. A once
/// ticket with a use is burnt. A use whose ticket is gone counts for nothing.
///
/// Accepted: the above with whole keys, nonces and pin. Rejected: two groups of one name, a once ticket
/// without expiry, a `sheet` without `position`, a use whose fingerprint is not its pin's, another kind of
/// group, `format=2`.
public struct Tickets: Equatable, Sendable {
    package static let fileName = "tickets"

    /// The tickets in the file's order.
    public private(set) var tickets: [Ticket] = []
    /// The uses in the order of their numbers.
    public private(set) var uses: [TicketUse] = []
    private var file: KeyFile
    private var ticketPositions: [TicketID: Int] = [:]
    private var usePositions: [TicketID: [Int]] = [:]

    /// A file without a ticket.
    public init() {
        file = .empty(comment: "The pairing codes that are out, without their secrets; written by hubpair.")
    }

    /// Reads the file; the first fault refuses all of it.
    public init(parsing bytes: [UInt8]) throws(KeyFileError) {
        file = try KeyFile(parsing: bytes)
        try file.checkFormat()
        for group in file.groupNames where group != KeyFile.formatGroup {
            let words = group.split(separator: " ", omittingEmptySubsequences: false)
            guard words.count > 1, let id = TicketID(String(words[1])) else { throw .unknownGroup(group) }
            switch (words[0], words.count) {
            case ("ticket", 2): tickets.append(try file.ticket(id, in: group))
            case ("use", 3): uses.append(try file.use(of: id, fingerprint: String(words[2]), in: group))
            default: throw .unknownGroup(group)
            }
        }
        uses.sort { $0.number < $1.number }
        index()
    }

    /// The bytes of the file: what was read, with the changes since.
    public var serialized: [UInt8] { file.serialized }

    /// The ticket of this ID; takes the same time among many as among few.
    public func ticket(_ id: TicketID) -> Ticket? { ticketPositions[id].map { tickets[$0] } }

    /// The uses of a ticket, the oldest first.
    public func uses(of id: TicketID) -> [TicketUse] { (usePositions[id] ?? []).map { uses[$0] } }

    /// The number of the last use, 0 if there is none.
    public var lastNumber: Int { uses.last?.number ?? 0 }

    /// When the last code was made or used, by the wall clock; nil if there is none.
    package var latest: Date? { (tickets.map(\.issued) + uses.map(\.used.wall)).max() }

    /// Adds a ticket at the time `now`. A label replaces the labels before it; what is forgotten by `now`
    /// goes.
    public mutating func issue(_ ticket: Ticket, at now: Moment) { issue([ticket], at: now) }

    /// The same for the codes of a sheet, in one pass over the tickets.
    package mutating func issue(_ new: [Ticket], at now: Moment) {
        let hasLabel = new.contains { $0.kind == .label }
        forget(at: now) { hasLabel && $0.kind == .label }
        for ticket in new { enter(ticket) }
    }

    /// Takes a ticket back whose code nobody got, and puts back the labels that it replaced, unless there is
    /// a newer one.
    public mutating func withdraw(_ id: TicketID, restoring labels: [Ticket]) {
        remove {
            $0.id == id
        } uses: {
            $0.ticket == id
        }
        guard !tickets.contains(where: { $0.kind == .label }) else { return }
        for label in labels { enter(label) }
    }

    /// Removes tickets: the hub does not know their codes any more. A code for one device that was used
    /// stays, since its device may ask again for its answer.
    package mutating func void(_ ids: Set<TicketID>) {
        let gone = ids.filter { ticket($0)?.kind == .label || uses(of: $0).isEmpty }
        remove {
            gone.contains($0.id)
        } uses: {
            gone.contains($0.ticket)
        }
    }

    /// Adds a use; what is forgotten by its time goes.
    public mutating func enter(_ use: TicketUse) {
        forget(at: use.used) { _ in false }
        let group = Tickets.group(use)
        file.removeGroup(group)  // a label's use of long ago by the same device
        file.set("number", to: String(use.number), in: group)
        file.set("pin", to: use.device.text, in: group)
        file.set("name", to: use.name.description, in: group)
        file.set("device-nonce", to: Data(use.deviceNonce.bytes).base64EncodedString(), in: group)
        file.set("hub-nonce", to: Data(use.hubNonce.bytes).base64EncodedString(), in: group)
        file.set("used", to: use.used.wall.timestamp, in: group)
        file.set("boot", to: use.used.boot?.description, in: group)
        file.set("device-kind", to: use.kind, in: group)
        usePositions[use.ticket, default: []].append(uses.count)
        uses.append(use)
    }

    private mutating func enter(_ ticket: Ticket) {
        let group = Tickets.group(ticket.id)
        file.set("kind", to: ticket.kind.rawValue, in: group)
        file.set("proof-key", to: Data(ticket.proofKey.bytes).base64EncodedString(), in: group)
        file.set("issued", to: ticket.issued.timestamp, in: group)
        file.set("boot", to: ticket.boot?.description, in: group)
        file.set("expires", to: ticket.expires?.timestamp, in: group)
        file.set("output", to: ticket.output?.text, in: group)
        file.set("sheet", to: ticket.place?.sheet.description, in: group)
        file.set("position", to: ticket.place?.text, in: group)
        file.set("role", to: ticket.role, in: group)
        file.set("stay", to: ticket.stay.stayText, in: group)
        file.set("by", to: ticket.maker?.description, in: group)
        file.set("away", to: ticket.isForAway ? "yes" : nil, in: group)
        file.set("key", to: ticket.key?.description, in: group)
        ticketPositions[ticket.id] = tickets.count
        tickets.append(ticket)
    }

    /// Removes the tickets that are forgotten by `now` or `replaced`, their uses, and the uses of labels that
    /// are no longer recent.
    private mutating func forget(at now: Moment, _ replaced: (Ticket) -> Bool) {
        let gone = Set(tickets.filter { $0.isForgotten(at: now) || replaced($0) }.map(\.id))
        let labels = Set(tickets.filter { $0.kind == .label }.map(\.id))
        let known = ticketPositions
        remove {
            gone.contains($0.id)
        } uses: {
            known[$0.ticket] == nil || gone.contains($0.ticket)
                || (labels.contains($0.ticket) && !$0.isRecent(at: now))
        }
    }

    private mutating func remove(tickets isGone: (Ticket) -> Bool, uses isUseGone: (TicketUse) -> Bool) {
        let groups =
            tickets.filter(isGone).map { Tickets.group($0.id) } + uses.filter(isUseGone).map(Tickets.group)
        guard !groups.isEmpty else { return }
        file.removeGroups(Set(groups))
        tickets.removeAll(where: isGone)
        uses.removeAll(where: isUseGone)
        index()
    }

    private mutating func index() {
        ticketPositions = Dictionary(tickets.enumerated().map { ($1.id, $0) }) { first, _ in first }
        usePositions = Dictionary(grouping: uses.indices) { uses[$0].ticket }
    }

    private static func group(_ id: TicketID) -> String { "ticket \(id)" }
    private static func group(_ use: TicketUse) -> String { "use \(use.ticket) \(use.device.fingerprint)" }
}

extension KeyFile {
    fileprivate func ticket(_ id: TicketID, in group: String) throws(KeyFileError) -> Ticket {
        guard let kind = PairingCode.Kind(rawValue: try required("kind", in: group)) else {
            throw .invalidValue("not once or label", key: "kind", group: group)
        }
        let proofKey = try bytes("proof-key", in: group, count: ProofKey.byteCount, ProofKey.init(bytes:))
        guard let issued = try time("issued", in: group) else { throw .missingKey("issued", group: group) }
        let expires = try time("expires", in: group)
        guard kind == .label || expires != nil else { throw .missingKey("expires", group: group) }
        return Ticket(
            id: id, kind: kind, proofKey: proofKey, issued: issued, boot: try bootTime("boot", in: group),
            expires: expires, output: try output(in: group), place: try place(in: group),
            role: value("role", in: group), stay: try stay(in: group),
            maker: value("by", in: group).flatMap { Fingerprint($0) },
            isForAway: value("away", in: group) == "yes",
            key: value("key", in: group).flatMap { Fingerprint($0) })
    }

    /// A word that is not known must not let a device in for ever.
    private func stay(in group: String) throws(KeyFileError) -> ApprovalEnd {
        guard let text = value("stay", in: group) else { return .unsaid }
        guard let stay = ApprovalEnd(stayText: text) else {
            throw .invalidValue("neither seconds, a time nor forever", key: "stay", group: group)
        }
        return stay
    }

    private func output(in group: String) throws(KeyFileError) -> CodeOutput? {
        guard let text = value("output", in: group) else { return nil }
        guard let output = CodeOutput(text: text) else {
            throw .invalidValue("not terminal, - or an absolute path", key: "output", group: group)
        }
        return output
    }

    private func place(in group: String) throws(KeyFileError) -> SheetPlace? {
        guard let name = value("sheet", in: group) else {
            guard value("position", in: group) == nil else { throw .missingKey("sheet", group: group) }
            return nil
        }
        guard let sheet = TicketID(name) else {
            throw .invalidValue("not 13 characters of base32", key: "sheet", group: group)
        }
        guard let place = SheetPlace(sheet: sheet, text: try required("position", in: group)) else {
            throw .invalidValue("not a place like 3/24", key: "position", group: group)
        }
        return place
    }

    fileprivate func use(of id: TicketID, fingerprint: String, in group: String) throws(KeyFileError)
        -> TicketUse
    {
        guard let number = try number("number", in: group) else { throw .missingKey("number", group: group) }
        guard number > 0 else { throw .invalidValue("less than 1", key: "number", group: group) }
        guard let used = try moment("used", boot: "boot", in: group) else {
            throw .missingKey("used", group: group)
        }
        return TicketUse(
            number: number, ticket: id, device: try pin(in: group, fingerprint: fingerprint),
            name: try name("name", in: group),
            deviceNonce: try bytes(
                "device-nonce", in: group, count: PairNonce.byteCount, PairNonce.init(bytes:)),
            hubNonce: try bytes("hub-nonce", in: group, count: PairNonce.byteCount, PairNonce.init(bytes:)),
            used: used, kind: value("device-kind", in: group))
    }
}
