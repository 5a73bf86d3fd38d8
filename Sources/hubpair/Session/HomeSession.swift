import ArgumentParser
import Home
import HubClient
import Identity
import JSON
import Pairing
import Synchronization

/// One hub in use, and what has to be saved after its first answer.
final class HomeSession: Sendable {
    let hub: SavedHub
    let home: HubHome
    /// What the hub keeps for the people of the house.
    let household: HouseholdLink
    /// The keys of the hub in every JSON line.
    let json: [String: JSONValue]
    private let reach: UseHub
    private let isInsecureAllowed: Bool
    private let answering: Duration
    private let isNoted = Mutex(false)
    private let notesNames: Bool
    private let areNamesNoted: Mutex<Bool>
    /// What the last look has said.
    private let known = Mutex<KnownHouse?>(nil)

    /// - Parameters:
    ///   - connecting: the deadline for finding the hub and connecting to it.
    ///   - answering: how long the hub has for each answer about appliances.
    ///   - notesNames: keep the appliances' names for completion. To read and compare the file costs
    ///     milliseconds a hub, which many hubs at once and scripts (`--json`) do without.
    init(
        _ hub: SavedHub, reach: UseHub, isInsecureAllowed: Bool = false,
        connecting: Duration = HubConnector.deadline,
        answering: Duration = HubConnection.Deadlines.usual, notesNames: Bool = true
    ) {
        self.hub = hub
        self.notesNames = notesNames && !JSONLine.isAskedFor
        areNamesNoted = Mutex(!self.notesNames)
        self.reach = reach
        json = [
            "hub": .text(hub.fingerprint?.description), "hub_name": .string(hub.name.description),
            "unprotected": .boolean(hub.isUnprotected),
        ]
        (self.isInsecureAllowed, self.answering) = (isInsecureAllowed, answering)
        let connections = KeptConnections(
            atMost: HubHome.maximumConnections, isOneAtATime: hub.isUnprotected
        ) {
            try await reach.connect(to: hub, isInsecureAllowed: isInsecureAllowed, deadline: connecting)
        }
        let quiet = hub.isUnprotected ? answering : max(answering, HubConnection.Deadlines.least)
        home = HubHome(connections, deadlines: .init(quiet: quiet, total: quiet * 2))
        household = HouseholdLink(hub, device: reach.device, connections)
    }

    /// Its name, and `unprotected` for a stock hub, whose key is not checked.
    var title: String { hub.name.description + (hub.isUnprotected ? " (unprotected)" : "") }

    /// Calls `body`. Errors of the hub get its name.
    func use(_ body: (HomeSession) async throws -> Void) async throws {
        do {
            try await body(self)
        } catch {
            throw HubFailure.named(error, hub: hub.name)
        }
    }

    /// The house as it is now, or as the hub knows it: every command takes its appliances from here.
    ///
    /// - Parameters:
    ///   - saysWait: say at a terminal that it is waited for; not where a live table stands.
    ///   - notes: keep the appliances' names; else ``note(_:rooms:)`` does.
    func house(saysWait: Bool = true, notes: Bool = true) async throws -> KnownHouse {
        let waiting = saysWait ? WaitingLine("\(hub.name)") : nil
        defer { waiting?.end() }
        let house: KnownHouse
        do {
            house = try await hub.isUnprotected ? home.listed() : home.house(patience: answering)
        } catch let error as ServerError where error.isFailureOfServer {
            throw ListFailure(error: error)
        }
        known.withLock { $0 = house }
        noteUse()
        if notes { note(house) }
        return house
    }

    /// Keeps the names of appliances for completion, and those of rooms if they are known.
    func note(_ house: KnownHouse, rooms: [String]? = nil) {
        // Once: 'home watch' asks every two seconds.
        let isFirst = areNamesNoted.withLock { noted in
            defer { noted = true }
            return !noted
        }
        if isFirst { reach.noteNames(of: house.devices, rooms: rooms, hub: hub) }
    }

    /// Keeps the names of rooms or rules for completion.
    ///
    /// - Parameter adding: to those that are kept.
    func note(_ names: [String], as kind: ApplianceNames.Kind, adding: Bool = false) {
        if notesNames { reach.note(names, as: kind, hub: hub, adding: adding) }
    }

    /// Every appliance, those that do not answer as they were seen last.
    func devices() async throws -> [ControlledDevice] { try await house().devices }

    /// The house as ``house(saysWait:)`` has said it; says also if it does not answer, and how old all is.
    func lookedAt(saysWait: Bool = true, notes: Bool = true) async throws -> KnownHouse {
        let house = try await house(saysWait: saysWait, notes: notes)
        sayAbsence(of: house)
        return house
    }

    private func sayAbsence(of house: KnownHouse) {
        guard let absence = house.absence else { return }
        Console.note("warning: \(hub.name): \(absence.words)")
        if absence.isOfBrokenDatabase { Console.note("hint: on the hub: 'hubpair doctor' says what to do") }
    }

    /// Says what does not answer, where only a part of the house is told.
    func saySilent(_ house: KnownHouse) {
        sayAbsence(of: house)
        guard !house.silent.isEmpty else { return }
        let names = listed(house.silent.map { quoted($0.name) }, most: 8)
        Console.note("warning: \(hub.name) gets no answer from \(names)")
    }

    /// That the server behind the hub has lost its database, by the last look; nil if it has not.
    var brokenDatabase: Failure? {
        guard known.withLock({ $0?.absence?.isOfBrokenDatabase == true }) else { return nil }
        return Failure(
            .unavailable, ServerError.brokenDatabase, hint: "on the hub: 'hubpair doctor' says what to do")
    }

    /// How long an appliance has been silent, by the last look; nil if it answers.
    func silence(of device: String) -> KnownHouse.Silence? { known.withLock { $0?.silence(of: device) } }

    /// True if the hub had no answer of its server at the last look.
    var isServerSilent: Bool { known.withLock { $0?.absence != nil } }

    /// Saves, once, that the hub may be used unprotected; only if that is new.
    func noteUse() {
        let isFirst = isNoted.withLock { noted in
            defer { noted = true }
            return !noted
        }
        guard isFirst else { return }
        do {
            if isInsecureAllowed { try reach.allowInsecure(hub) }
        } catch {
            // The command itself can still be carried out.
            Console.note("warning: \(hub.name) was not remembered: \(error)")
        }
    }
}

extension KnownHouse.Silence {
    /// `silent for 5 minutes`.
    var words: String { "silent for " + (age.map { Duration.seconds($0).words } ?? "some time") }
}

extension KnownHouse.Absence {
    /// What is wrong with the house, and how old is what is told of it.
    var words: String {
        let age = age.map { "\(Duration.seconds($0).words) ago" } ?? "before"
        // What the system says of it, behind the colon, is for the hub's owner: 'hubpair doctor' there tells.
        let reason = fault.map {
            shortened(String($0[..<($0.firstRange(of: ": ")?.lowerBound ?? $0.endIndex)]))
        }
        return "\(reason ?? "the server behind the hub takes long to answer"); this is how it was \(age)"
    }
}

/// A hub cannot list its appliances, and has not seen them before.
struct ListFailure: UserError {
    let error: ServerError

    var description: String { error.description }
    var kind: UserErrorKind { error.kind }
    var hint: String? {
        if error.isOfBrokenDatabase { return error.hint }
        return "one dead appliance may be the cause; an id works all the same: \(ServerError.deadHint)"
    }
}

extension ArgumentHelp {
    /// The help of `--hub` where a hub is used.
    static let chosenHub = ArgumentHelp(
        "A hub's name, the beginning of it, or its fingerprint; for a list more than once. (default: the one "
            + "of 'hubpair hubs use')",
        valueName: "hub")

    /// The words of the argument that names an appliance.
    static let appliance = ArgumentHelp("Its name, the beginning of it, or its id.", valueName: "appliance")
}

extension HomeSession {
    /// The hub's keys in lines about its household: only a paired hub has one.
    var householdJSON: [String: JSONValue] {
        ["hub": .text(hub.fingerprint?.description), "hub_name": .string(hub.name.description)]
    }

    /// A line about its household.
    func line(_ members: [String: JSONValue]...) -> JSONValue {
        .object(members.reduce(householdJSON) { $0.merging($1) { $1 } })
    }
}
