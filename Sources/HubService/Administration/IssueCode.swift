package import FoundationEssentials
package import Pairing

/// Issues pairing codes: the hub remembers their tickets, durably, before anybody sees the codes, and forgets
/// them again if the codes cannot be handed out.
package struct IssueCode {
    /// How many codes a hub remembers: with a use each their file stays well below what is read of one.
    package static let maximumCodes = 10_000

    private let kind: PairingCode.Kind
    private let count: Int
    private let lifetime: Double?
    private let role: Role?
    private let stay: ApprovalEnd
    private let isForAway: Bool
    private let state: HubState
    private let author: JournalEntry.Author?
    private let now: Date
    private let boot: BootTime?

    /// - Parameters:
    ///   - count: how many codes, each with a ticket of its own; of a label there is one.
    ///   - lifetime: seconds; nil for a label that stays valid.
    ///   - role: what a device that is let in by a once code may do; nil leaves a known device's as it is.
    ///   - stay: how long that device may come in.
    ///   - isForAway: true if it is to be good from outside, by a relay.
    ///   - author: the owner's device that asks for it; nil for the command line on the hub.
    ///   - now: the wall clock's time.
    ///   - boot: the boot clock's time, by which a once code expires until the host restarts.
    package init(
        _ kind: PairingCode.Kind, count: Int = 1, lifetime: Double?, role: Role? = nil,
        stay: ApprovalEnd = .unsaid, isForAway: Bool = false, state: HubState,
        by author: JournalEntry.Author? = nil, now: Date,
        boot: BootTime? = .now
    ) {
        (self.kind, self.count, self.lifetime, self.role) = (kind, count, lifetime, role)
        (self.stay, self.isForAway) = (stay, isForAway)
        (self.state, self.author, self.now, self.boot) = (state, author, now, boot)
    }

    /// - Parameters:
    ///   - addressHint: where devices may find the hub.
    ///   - output: where the codes go, for the list of codes; asked when they are drawn.
    ///   - draw: makes of the codes what is handed out, before their tickets are kept; if it throws, nothing
    ///     has changed. On a site it may be called again, with other codes.
    ///   - handOut: gives away what was drawn, once the tickets are kept; if it throws, the tickets are again
    ///     what they were, so a label on the wall stays good if the new one could not be handed out.
    /// - Returns: the codes, their hub, and the tickets as they were kept.
    package func run(
        addressHint: (Hub) -> PairingCode.AddressHint?, output: () -> CodeOutput? = { nil },
        draw: ([PairingCode], Hub) throws -> Void,
        handOut: () throws -> Void
    ) throws -> (codes: [PairingCode], hub: Hub, tickets: Tickets) {
        if let lifetime {
            let expiry = now.timeIntervalSince1970 + lifetime
            guard lifetime >= 1, expiry >= 1, expiry < 4_294_967_296 else { throw HubError.badLifetime }
            // Else a device would be told that it is let in, and be turned away.
            if case .at(let end) = stay, end.timeIntervalSince1970 <= expiry {
                throw HubError.stayEndsFirst(end)
            }
        }
        let now = Moment(wall: now, boot: boot)
        let directory = try state.open()
        let (codes, hub, before, after) = try directory.withSharedLock { directory in
            let hub = try HubState.hub(in: directory)
            let before = try HubState.existing(Tickets.fileName, in: directory, Tickets.init(parsing:))
            let address = addressHint(hub)
            let codes = try (0..<(kind == .label ? 1 : count)).map { _ in
                try PairingCode(
                    kind: kind, expires: lifetime.map(now.wall.addingTimeInterval), secret: .random(),
                    hub: hub.pin, addressHint: address)
            }
            try draw(codes, hub)
            var tickets = before
            let (output, sheet) = (output(), TicketID.random())
            let new = codes.enumerated().map { index, code in
                let place =
                    codes.count > 1
                    ? SheetPlace(sheet: sheet, position: index + 1, count: codes.count) : nil
                return Ticket(
                    of: code, issued: now, output: output, place: place, role: role, stay: stay,
                    maker: author?.device, isForAway: isForAway)
            }
            tickets.issue(new, at: now)
            guard tickets.tickets.count <= IssueCode.maximumCodes else {
                throw HubError.tooManyCodes(tickets.tickets.count)
            }
            try directory.replaceShared([SharedFile(Tickets.fileName, tickets.serialized)])
            Journal.note([.init(.codeMade, tickets: new)], by: author, at: now.wall, in: directory)
            return (codes, hub, before, tickets)
        }
        do {
            // Outside the lock: a code that is piped into a pager would keep every device from pairing.
            try handOut()
        } catch {
            try directory.withSharedLock { directory in
                var tickets = try HubState.existing(Tickets.fileName, in: directory, Tickets.init(parsing:))
                if tickets.serialized == after.serialized {
                    tickets = before
                } else {
                    for code in codes {
                        tickets.withdraw(
                            code.secret.ticketID, restoring: before.tickets.filter { $0.kind == .label })
                    }
                }
                try directory.replaceShared([SharedFile(Tickets.fileName, tickets.serialized)])
                let made = after.tickets.filter { ticket in
                    codes.contains { $0.secret.ticketID == ticket.id }
                }
                Journal.note([.init(.codeVoid, tickets: made)], by: author, at: now.wall, in: directory)
            }
            throw error
        }
        return (codes, hub, after)
    }
}
