import Household
package import Identity
import JSON
package import Pairing

/// What a device leaves behind that acts without it, once it is revoked: timed scenes, rules, and scenes that
/// alarms run, if it saved them last; and its codes that let others in.
///
/// It is listed, and taken away only if an owner says so: the device's people may have made it for everybody,
/// and whoever saves a thing again has it. A label is left: whoever asks with it waits for an owner.
package struct LeftBehind {
    private let state: HubState
    private let device: Fingerprint

    package init(of device: Fingerprint, state: HubState) { (self.state, self.device) = (state, device) }

    package func things(at now: Moment = .now) throws -> [LeftThing] {
        try kept(isTakenAway: false) + (try codes(at: now)).map(\.thing)
    }

    /// Takes it away.
    ///
    /// - Parameter author: the owner's device through which it is done; nil for the command line on the hub.
    /// - Throws: ``LeftBehindError``; what was taken away before stays away.
    /// - Returns: what there was.
    package func takeAway(
        by author: JournalEntry.Author? = nil, at now: Moment = .now
    ) throws(LeftBehindError) -> [LeftThing] {
        do {
            let kept = try kept(isTakenAway: true)
            let notes = kept.compactMap { thing in
                HouseholdError.Kind(rawValue: thing.kind).map {
                    Journal.Note(.removed, $0, thing.name, by: author, at: now.wall)
                }
            }
            if !notes.isEmpty { try state.open().withLock { Journal.note(notes, in: $0) } }
            let codes = try codes(at: now)
            if !codes.isEmpty {
                _ = try AdministerCodes(state: state, by: author).void(
                    codes.map { CodeSelector($0.thing.name) }, now: now)
            }
            return kept + codes.map(\.thing)
        } catch {
            throw LeftBehindError(cause: describing(error))
        }
    }

    /// What is in the household, as the house says.
    private func kept(isTakenAway: Bool) throws -> [LeftThing] {
        let answer = try HouseQuestion.left(device, isTakenAway: isTakenAway).ask(state)
        guard case .array(let things)? = answer["things"] else { return [] }
        return things.compactMap { LeftThing($0) }
    }

    /// The good ones, those of a sheet together.
    private func codes(at now: Moment) throws -> [(id: TicketID, thing: LeftThing)] {
        let good = try AdministerCodes(state: state).list(at: now).filter {
            $0.ticket.maker == device && $0.ticket.kind == .once && $0.status == .good
        }
        var all: [(id: TicketID, thing: LeftThing)] = []
        for code in good {
            let id = code.ticket.place?.sheet ?? code.ticket.id
            guard all.last?.id != id else { continue }
            let role = code.ticket.role ?? Role.member.rawValue
            let what = code.ticket.place == nil ? "lets one device in" : "a sheet, each lets one device in"
            all.append(
                (id, LeftThing(kind: "code", name: IssuedCode.name(of: id), what: "\(what), as \(role)")))
        }
        return all
    }
}

/// The device is kept out, and some of what it leaves behind stays.
package struct LeftBehindError: UserError {
    let cause: String

    package var description: String {
        "the device is revoked, and what it leaves behind could not be taken away: \(cause)"
    }
    package var hint: String? { "'hubpair doctor' on the hub says more; then revoke the device once more" }
    package var kind: UserErrorKind { .configuration }
}
