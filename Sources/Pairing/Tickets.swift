public import FoundationEssentials

/// What the hub keeps of a pairing code: never the secret, only what is derived from it.
public struct Ticket: Equatable, Sendable {
    /// The ticket's public name.
    public let id: TicketID
    /// What the code is for.
    public let kind: PairingCode.Kind
    /// The key of the proofs.
    public let proofKey: ProofKey
    /// When the code was made.
    public let issued: Date
    /// From when on the code is refused; nil for a label that stays valid.
    public let expires: Date?

    /// The ticket of a code that was made at `issued`.
    public init(of code: PairingCode, issued: Date) {
        id = code.secret.ticketID
        kind = code.kind
        proofKey = code.secret.proofKey
        self.issued = issued
        expires = code.expires
    }

    init(id: TicketID, kind: PairingCode.Kind, proofKey: ProofKey, issued: Date, expires: Date?) {
        self.id = id
        self.kind = kind
        self.proofKey = proofKey
        self.issued = issued
        self.expires = expires
    }

    /// True from one day after the expiry on: nobody can ask for it any more, and the file stays small.
    public func isForgotten(at now: Date) -> Bool {
        expires.map { now >= $0.addingTimeInterval(86_400) } ?? false
    }
}

/// The hub's file `tickets`: the codes that are out.
///
///     [keyfile]
///     format=1
///
///     [ticket 7M2KQ0V3XG5TA]
///     kind=once
///     proof-key=…
///     issued=2026-11-21T10:22:03Z
///     expires=2026-11-21T10:32:03Z
///
/// A group is named by the Crockford base32 of the 8-byte ticket ID; `kind` is `once` or `label`; `proof-key` is
/// the standard base64 of 32 bytes; a label may be without `expires`.
///
/// Accepted: the above with a whole key. Rejected: two groups of one name, a once ticket without expiry,
/// another kind of group, `format=2`.
public struct Tickets: Equatable, Sendable {
    package static let fileName = "tickets"
    private static let groupKind = "ticket"

    /// The tickets in the file's order.
    public private(set) var tickets: [Ticket] = []
    private var file: KeyFile

    /// A file without a ticket.
    public init() {
        file = .empty(comment: "The pairing codes that are out, without their secrets; written by hubpair.")
    }

    /// Reads the file; the first fault refuses all of it.
    public init(parsing bytes: [UInt8]) throws(KeyFileError) {
        file = try KeyFile(parsing: bytes)
        try file.checkFormat()
        for name in try file.identifiers(of: Tickets.groupKind) {
            let group = "\(Tickets.groupKind) \(name)"
            guard let id = TicketID(name) else { throw .unknownGroup(group) }
            let word = try file.required("kind", in: group)
            guard let kind = PairingCode.Kind(rawValue: word) else {
                throw .invalidValue("not once or label", key: "kind", group: group)
            }
            let base64 = try file.required("proof-key", in: group)
            guard let data = Data(base64Encoded: base64), let proofKey = ProofKey(bytes: data) else {
                throw .invalidValue("not 32 bytes in base64", key: "proof-key", group: group)
            }
            guard let issued = try file.time("issued", in: group) else {
                throw .missingKey("issued", group: group)
            }
            let expires = try file.time("expires", in: group)
            guard kind == .label || expires != nil else { throw .missingKey("expires", group: group) }
            tickets.append(Ticket(id: id, kind: kind, proofKey: proofKey, issued: issued, expires: expires))
        }
    }

    /// The bytes of the file: what was read, but for what has been changed.
    public var serialized: [UInt8] { file.serialized }

    /// Adds a ticket at the time `now`. A label replaces the labels before it; what is forgotten by `now`
    /// goes.
    public mutating func issue(_ ticket: Ticket, at now: Date) {
        for old in tickets where old.isForgotten(at: now) || (ticket.kind == .label && old.kind == .label) {
            file.removeGroup(Tickets.group(old.id))
        }
        tickets.removeAll { $0.isForgotten(at: now) || (ticket.kind == .label && $0.kind == .label) }
        let group = Tickets.group(ticket.id)
        file.set("kind", to: ticket.kind.rawValue, in: group)
        file.set("proof-key", to: Data(ticket.proofKey.bytes).base64EncodedString(), in: group)
        file.set("issued", to: ticket.issued.timestamp, in: group)
        file.set("expires", to: ticket.expires?.timestamp, in: group)
        tickets.append(ticket)
    }

    private static func group(_ id: TicketID) -> String { "\(groupKind) \(id)" }
}
