package import Pairing

/// The owner's view of the codes that are out, and how they are taken back.
package struct AdministerCodes {
    /// What taking codes back came to.
    package struct Voided: Equatable, Sendable {
        /// The codes that the hub does not know any more.
        package internal(set) var codes: [IssuedCode] = []
        /// The codes that were used before, and so were left.
        package internal(set) var used: [IssuedCode] = []
    }

    private let state: HubState
    private let author: JournalEntry.Author?

    /// - Parameter author: the owner's device through which it is done; nil for the command line on the hub.
    package init(state: HubState, by author: JournalEntry.Author? = nil) {
        (self.state, self.author) = (state, author)
    }

    /// The codes that the hub remembers, in the order in which they were made: until one day after the expiry
    /// also those that are used or expired.
    package func list(at now: Moment = .now) throws -> [IssuedCode] {
        let directory = try state.open()
        return try AdministerCodes.list(in: directory, at: now).codes
    }

    /// The same for tickets that were just kept, without reading them again.
    package func list(_ tickets: Tickets, at now: Moment = .now) throws -> [IssuedCode] {
        let directory = try state.open()
        return try AdministerCodes.codes(tickets, in: directory, at: now)
    }

    /// Takes the codes back that `selectors` name; if one of them names none, nothing is changed. Durable
    /// when it returns, also on a full disk, and in the version before too.
    ///
    /// - Returns: for each selector what it came to.
    package func void(_ selectors: [CodeSelector], now: Moment = .now) throws -> [Voided] {
        try change(at: now) { codes in
            try selectors.map { selector throws(CodeSelectorError) in
                switch try selector.match(in: codes) {
                case .code(let code):
                    guard code.status != .used else { throw .used(code) }
                    return Voided(codes: [code])
                case .sheet(let codes):
                    return Voided(
                        codes: codes.filter { $0.status != .used }, used: codes.filter { $0.status == .used })
                }
            }
        }
    }

    /// Takes all codes back that are good.
    ///
    /// - Parameter keepsLabel: the label on the hub stays good.
    package func voidAll(keepsLabel: Bool, now: Moment = .now) throws -> Voided {
        try change(at: now) { codes in
            [
                Voided(
                    codes: codes.filter { $0.status == .good && !(keepsLabel && $0.ticket.kind == .label) })
            ]
        }[0]
    }

    private func change(
        at now: Moment, _ choose: ([IssuedCode]) throws -> [Voided]
    ) throws -> [Voided] {
        try state.open().withSharedLock { directory in
            // What a crash cut short comes first: the use of a label goes with the label.
            let (devices, isChanged) = try HubState.completedDevices(in: directory)
            var (codes, tickets) = try AdministerCodes.list(in: directory, at: now)
            let chosen = try choose(codes)
            let gone = Set(chosen.flatMap(\.codes).map(\.ticket.id))
            codes.removeAll { !gone.contains($0.ticket.id) }
            guard !codes.isEmpty else { return chosen }
            tickets.void(gone)
            let completed =
                isChanged ? [SharedFile(ApprovedDevices.fileName, devices.serialized)] : []
            try directory.replaceShared(
                completed + [SharedFile(Tickets.fileName, tickets.serialized, isFinal: true)])
            let facts = chosen.filter { !$0.codes.isEmpty }.map { JournalEntry.Fact(.codeVoid, $0.codes) }
            Journal.note(facts, by: author, at: now.wall, in: directory)
            return chosen
        }
    }

    private static func list(
        in directory: borrowing ProtectedDirectory, at now: Moment
    ) throws -> (codes: [IssuedCode], tickets: Tickets) {
        let tickets = try HubState.existing(Tickets.fileName, in: directory, Tickets.init(parsing:))
        return (try codes(tickets, in: directory, at: now), tickets)
    }

    private static func codes(
        _ tickets: Tickets, in directory: borrowing ProtectedDirectory, at now: Moment
    ) throws -> [IssuedCode] {
        let attempts = try HubState.attempts(in: directory) ?? FailedAttempts()
        let latest = try OpenCodes.latest(tickets, attempts, in: directory, at: now)
        return tickets.tickets.filter { !$0.isForgotten(at: now) }.map {
            IssuedCode($0, in: tickets, attempts, at: now, latest: latest)
        }
    }
}

extension JournalEntry.Fact {
    /// What became of codes: of one by its name, of several of one sheet by the sheet's.
    init(_ event: JournalEntry.Event, _ codes: [IssuedCode]) {
        self.init(event, tickets: codes.map(\.ticket))
    }

    init(_ event: JournalEntry.Event, tickets: [Ticket]) {
        self.init(event)
        count = tickets.count
        guard let first = tickets.first else { return }
        let isOneSheet = tickets.allSatisfy { $0.place?.sheet == first.place?.sheet }
        if tickets.count == 1 {
            code = IssuedCode.name(of: first.id)
        } else if isOneSheet, let sheet = first.place?.sheet {
            code = IssuedCode.name(of: sheet)
        }
        guard tickets.allSatisfy({ $0.kind == first.kind && $0.role == first.role }) else { return }
        kind = first.kind.rawValue
        role = first.kind == .once ? first.role ?? Role.member.rawValue : nil
        expires = first.expires
    }
}
