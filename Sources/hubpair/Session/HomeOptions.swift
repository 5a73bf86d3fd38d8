import ArgumentParser
import HubClient
import Identity
import Pairing

/// Which hub's appliances.
struct HomeOptions: ParsableArguments {
    @Option(help: .chosenHub)
    var hub: [PeerSelector] = []

    @Flag(help: "Use a stock hub although nothing protects the connection; it is remembered for that hub.")
    var insecure = false

    @OptionGroup var configuration: ConfigurationOption

    func check(allHubs: Bool) throws {
        guard !allHubs || hub.isEmpty else {
            throw ValidationError("--hub and --all-hubs exclude each other. Leave one out")
        }
        guard !allHubs || !insecure else {
            throw ValidationError("--insecure is said for one hub. Name it with --hub")
        }
    }

    /// What was said, without the parts that read it.
    var choice: HomeChoice {
        HomeChoice(hubs: hub.map(\.text), insecure: insecure, configurationPath: configuration.path)
    }

    /// Calls `body` with the chosen hub. Errors of the hub get its name.
    ///
    /// - Parameters:
    ///   - confirmation: the time that the user gives; the hub has no more for its answers.
    ///   - appliance: of several hubs, the one that has this appliance is meant.
    func use(
        within confirmation: ConfirmationOption? = nil, holding appliance: String? = nil,
        _ body: (HomeSession) async throws -> Void
    ) async throws {
        try await choice.use(within: confirmation, holding: appliance, body)
    }
}

/// Which hub's appliances, as ``HomeOptions`` says it: a plain value.
struct HomeChoice: Equatable {
    /// Names or fingerprints; none for the default one, or those of 'hubs select'.
    var hubs: [String] = []
    /// A stock hub may be used.
    var insecure = false
    /// What `--config` names.
    var configurationPath: String?

    var configuration: DeviceConfiguration { ConfigurationOption.configuration(at: configurationPath) }

    /// Calls `body` with the chosen hub. Errors of the hub get its name.
    func use(
        within confirmation: ConfirmationOption? = nil, holding appliance: String? = nil,
        _ body: (HomeSession) async throws -> Void
    ) async throws {
        let reach = try UseHub(configuration: configuration)
        let answering = confirmation?.answering ?? HubConnection.Deadlines.usual
        let make = { hub in
            HomeSession(hub, reach: reach, isInsecureAllowed: insecure, answering: answering)
        }
        let session: HomeSession
        let several = try several(reach)
        if let several, let appliance {
            session = try await HubsHolding(appliance: appliance, sessions: several.map(make)).find()
        } else if several != nil, !hubs.isEmpty {
            throw UsageMistake(
                "this is done on one hub, and \(hubs.count) are named", hint: "leave one --hub")
        } else {
            session = make(try await chosen(reach))
        }
        try await session.use(body)
    }

    /// Calls `body` with each hub that is meant, one after the other. What one hub does not have another may;
    /// a hub that does not answer is named, and since when it is away.
    ///
    /// - Parameter allHubs: every hub is meant.
    func useEach(
        within confirmation: ConfirmationOption, allHubs: Bool, _ body: (HomeSession) async throws -> Void
    ) async throws {
        let reach = try UseHub(configuration: configuration)
        guard let hubs = try allHubs ? reach.all() : several(reach), hubs.count > 1 else {
            return try await use(within: confirmation, body)
        }
        var (failures, misses): ([any Error], [any UserError]) = ([], [])
        for hub in hubs {
            let session = HomeSession(
                hub, reach: reach, isInsecureAllowed: insecure, answering: confirmation.answering)
            do {
                try await session.use(body)
            } catch let status as ExitStatus {
                // It has been said.
                failures.append(status)
            } catch let error as HubFailure {
                failures.append(error)
                Console.report(error)
                guard let memory = reach.memory(of: hub) else { continue }
                Console.note("\(hub.name) was seen \(memory.age.words) ago, and is as it was")
            } catch let error as any UserError where error.kind == .notFound {
                misses.append(error)
                Console.note("\(hub.name): \(error)")
            }
        }
        if misses.count == hubs.count, let miss = misses.first { throw ExitStatus(of: miss) }
        guard failures.isEmpty else { throw ExitStatus.worst(of: failures.map { ExitStatus(of: $0) }) }
    }

    /// The hubs that are meant, if they are more than one: those named, or else those of 'hubs select'.
    func several(_ reach: UseHub) throws -> [SavedHub]? {
        // One that is named may be a hub that is not known yet.
        guard hubs.count != 1 else { return nil }
        var chosen: [SavedHub] = []
        for hub in try hubs.isEmpty ? reach.selected() : hubs.map({ try reach.find(PeerSelector($0)) })
        where !chosen.contains(hub) { chosen.append(hub) }
        return chosen.count > 1 ? chosen : nil
    }

    /// The hub that is meant. Of several without a default the user chooses one, this once; without any it is
    /// one that is found on the network.
    private func chosen(_ reach: UseHub) async throws -> SavedHub {
        let hub = hubs.first
        let search = HomeSearch(
            configuration: configuration, name: hub.map { PeerSelector($0) }, isInsecureAllowed: insecure)
        do {
            let known = try configuration.knownHubs()
            if hub != nil, known.hubs.isEmpty, known.added.isEmpty { return try await search.run() }
            return try reach.find(hub.map { PeerSelector($0) })
        } catch HubChoiceError.noHub {
            return try await search.run()
        } catch HubChoiceError.noDefault where Question.canBeAnswered {
            let hubs = try reach.all()
            return try Question.choose(
                "which hub?", among: hubs, kind: "hub", titles: hubs.map(\.name.description)
            ) { try reach.find(PeerSelector($0)) }
        }
    }
}
