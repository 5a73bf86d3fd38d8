import Household
package import Identity
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
        let directory = try state.household.open()
        let (scenes, rules) = try LeftBehind.files(in: directory)
        return self.scenes(scenes, rules).map(\.thing) + self.rules(rules).map(\.thing)
            + (try codes(at: now)).map(\.thing)
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
            let kept = try state.open().withLock { directory in
                let (things, notes) = try state.withHousehold(directory) { household in
                    try takeAwayKept(in: household, by: author, at: now)
                }
                Journal.note(notes, in: directory)
                return things
            }
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

    private func takeAwayKept(
        in directory: borrowing ProtectedDirectory, by author: JournalEntry.Author?, at now: Moment
    ) throws -> (things: [LeftThing], notes: [Journal.Note]) {
        var (scenes, rules) = try LeftBehind.files(in: directory)
        let (oldScenes, oldRules) = (self.scenes(scenes, rules), self.rules(rules))
        for (name, _) in oldScenes { try scenes.remove(HubScene.self, name.description) }
        for (name, _) in oldRules { try rules.remove(Rule.self, name.description) }
        let note = { (kind: HouseholdError.Kind, name: PeerName) in
            Journal.Note(.removed, kind, name.description, by: author, at: now.wall)
        }
        if !oldScenes.isEmpty {
            try directory.replace(HubScenes.fileName, with: scenes.serialized)
        }
        if !oldRules.isEmpty { try directory.replace(Rules.fileName, with: rules.serialized) }
        return (
            oldScenes.map(\.thing) + oldRules.map(\.thing),
            oldScenes.map { note(.scene, $0.name) } + oldRules.map { note(.rule, $0.name) }
        )
    }

    private static func files(in directory: borrowing ProtectedDirectory) throws -> (HubScenes, Rules) {
        (
            try directory.read(HubScenes.fileName, HubScenes.init(parsing:)) ?? HubScenes(),
            try directory.read(Rules.fileName, Rules.init(parsing:)) ?? Rules()
        )
    }

    private func scenes(_ file: HubScenes, _ rules: Rules) -> [(name: PeerName, thing: LeftThing)] {
        file.scenes.compactMap { scene in
            guard file.authors(of: scene).last?.device == device else { return nil }
            let alarm = rules.rules.first { $0.run?.folded == scene.name.folded }
            let days = scene.days == .all ? "" : " on \(scene.days)"
            let what = [
                scene.time.map { "at \($0)\(days); held until somebody saves it again" },
                alarm.map { "the alarm \(quoted($0.name.description)) runs it" },
            ].compactMap(\.self)
            guard !what.isEmpty else { return nil }
            return (
                scene.name,
                LeftThing(
                    kind: "scene", name: scene.name.description, what: what.joined(separator: "; "))
            )
        }
    }

    private func rules(_ file: Rules) -> [(name: PeerName, thing: LeftThing)] {
        file.rules.filter { file.authors(of: $0).last?.device == device }.map { rule in
            let scene = rule.run.map { ", runs the scene \(quoted($0.description))" } ?? ""
            return (
                rule.name,
                LeftThing(
                    kind: "rule", name: rule.name.description,
                    what: "\(rule.kind.rawValue): \(shortened(rule.text))\(scene)")
            )
        }
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
