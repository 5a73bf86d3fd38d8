package import FoundationEssentials

/// A code as its owner sees it: what it was made for, who used it, and whether it still lets somebody in.
package struct IssuedCode: Equatable, Sendable {
    /// How a code stands.
    package enum Status: String, Equatable, Sendable {
        /// It lets a device in, or ask.
        case good
        /// A device has used it.
        case used
        /// Its time is over.
        case expired
        /// Too many proofs for it were wrong.
        case void
    }

    package let ticket: Ticket
    /// The devices that used it, oldest first; of a label those of the last 10 minutes, and some before.
    package let uses: [TicketUse]
    /// How many proofs for it were wrong.
    package let failures: Int
    package let status: Status

    /// - Parameter latest: the latest moment in the hub's files; only asked for if it matters.
    package init(
        _ ticket: Ticket, in tickets: Tickets, _ attempts: FailedAttempts, at now: Moment,
        latest: @autoclosure () -> Date?
    ) {
        self.ticket = ticket
        uses = tickets.uses(of: ticket.id)
        failures = attempts.failures(of: ticket.id)
        status =
            IssuedCode.end(of: ticket, in: tickets, attempts)
            ?? (ticket.isExpired(at: now, latest: latest()) ? .expired : .good)
    }

    /// What has ended a code for one device other than the time; nil for nothing.
    package static func end(of ticket: Ticket, in tickets: Tickets, _ attempts: FailedAttempts) -> Status? {
        guard ticket.kind == .once else { return nil }
        if !tickets.uses(of: ticket.id).isEmpty { return .used }
        return attempts.failures(of: ticket.id) >= FailedAttempts.ticketLimit ? .void : nil
    }

    /// `7M2K-Q0V3`: the beginning of the ticket's public name, by which a person names the code. It says
    /// nothing about the secret.
    package var name: String { IssuedCode.name(of: ticket.id) }

    /// The same for a ticket or a sheet.
    package static func name(of id: TicketID) -> String { name(ofID: id.description) }

    /// The same from the whole name.
    package static func name(ofID text: String) -> String {
        CrockfordBase32.grouped(String(text.prefix(nameLength)))
    }

    /// 40 bits: of 10,000 codes two have the same name once in 20,000 times, and are then named by more.
    private static let nameLength = 8
}
