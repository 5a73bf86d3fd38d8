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
    private let isNoted = Mutex(false)
    private let areNamesNoted: Mutex<Bool>
    /// Those that the server gets no answer from, if that is why it cannot list the others.
    private let silent = Mutex<[LastKnownAppliance]>([])

    /// - Parameters:
    ///   - connecting: the deadline for finding the hub and connecting to it.
    ///   - notesNames: keep the appliances' names for completion. To read and compare the file costs
    ///     milliseconds a hub, which many hubs at once and scripts (`--json`) do without.
    init(
        _ hub: SavedHub, reach: UseHub, isInsecureAllowed: Bool = false,
        connecting: Duration = HubConnector.deadline, notesNames: Bool = true
    ) {
        self.hub = hub
        areNamesNoted = Mutex(!notesNames || JSONLine.isAskedFor)
        self.reach = reach
        json = [
            "hub": .text(hub.fingerprint?.description), "hub_name": .string(hub.name.description),
            "unprotected": .boolean(hub.isUnprotected),
        ]
        self.isInsecureAllowed = isInsecureAllowed
        let connections = KeptConnections(atMost: HubHome.maximumConnections) {
            try await reach.connect(to: hub, isInsecureAllowed: isInsecureAllowed, deadline: connecting)
        }
        home = HubHome(connections)
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

    private func list() async throws -> [ControlledDevice] {
        let waiting = WaitingLine("\(hub.name)")
        defer { waiting.end() }
        do {
            return try await home.devices()
        } catch let error as ServerError where error.isFailureOfServer {
            let living = try await home.living(insteadOf: error)
            waiting.end()
            nameDead(living)
            return living.devices
        }
    }

    /// The server cannot list its appliances because of these. It tells their ids at most; their names are
    /// those that were noted here, and are missing now.
    private func nameDead(_ living: LivingAppliances) {
        // What is missing now is not to be forgotten.
        areNamesNoted.withLock { $0 = true }
        let present = Set(living.devices.map(\.name))
        let missing = reach.names(of: hub).filter { !present.contains($0) }
        let nameless = living.dead.filter { !$0.isNamed }
        let areNamed = missing.count == living.dead.count
        // Of one that the hub has no name for, and one name that is missing, each is the other's.
        let known = Set(living.dead.filter(\.isNamed).map(\.device.name))
        let left = missing.filter { !known.contains($0) }
        let dead =
            nameless.count == 1 && left.count == 1
            ? living.dead.map { $0.isNamed ? $0 : $0.named(left[0]) } : living.dead
        silent.withLock { $0 = dead }
        let isOne = dead.count == 1 && dead[0].isNamed
        let names = dead.map { $0.isNamed ? quoted($0.device.name) : shortened($0.device.id) }
        let words = (areNamed && !nameless.isEmpty ? missing.map(quoted) : names).prefix(8)
        let ids = isOne ? " (\(shortened(dead[0].device.id)))" : ""
        let culprit =
            words.isEmpty
            ? "; these are those that were seen before"
            : ", since it gets no answer from \(words.joined(separator: ", "))\(ids); these are the others"
        Console.note("warning: \(hub.name) cannot list its appliances\(culprit)")
        if !words.isEmpty { Console.note("hint: \(ServerError.deadHint)") }
    }

    /// The appliances that do not answer their server, as the hub knew them last.
    var lastKnown: [LastKnownAppliance] { silent.withLock { $0 } }
    var silentDevices: [ControlledDevice] { lastKnown.map(\.device) }

    /// Takes the last known states of all appliances, if its server does not answer the hub at all.
    ///
    /// - Returns: false if that is not the case, or if nothing is known.
    func takeLastKnown(_ error: any Error) async -> Bool {
        guard case ServerError.gateway(502, _, _)? = error as? ServerError,
            let all = try? await home.lastKnown().filter(\.isNamed), !all.isEmpty
        else { return false }
        silent.withLock { $0 = all }
        return true
    }

    /// Every appliance.
    ///
    /// - Parameter saysWait: say at a terminal that it is waited for; not where a live table stands.
    func devices(saysWait: Bool = true) async throws -> [ControlledDevice] {
        let devices = try await saysWait ? list() : home.devices()
        noteUse()
        // Once: 'home watch' asks every two seconds.
        let isFirst = areNamesNoted.withLock { noted in
            defer { noted = true }
            return !noted
        }
        if isFirst { reach.noteNames(of: devices, hub: hub) }
        return devices
    }

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

extension ArgumentHelp {
    /// The help of `--hub` where a hub is used.
    static let chosenHub = ArgumentHelp(
        "A hub's name, the beginning of it, or its fingerprint. (default: the one of 'hubpair hubs use')",
        valueName: "hub")

    /// The words of the argument that names an appliance.
    static let appliance = ArgumentHelp("Its name, the beginning of it, or its id.", valueName: "appliance")
}
