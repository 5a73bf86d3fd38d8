import ArgumentParser
import HubClient
import Identity
import Pairing

/// Which hub's appliances.
struct HomeOptions: ParsableArguments {
    @Option(help: .chosenHub)
    var hub: PeerSelector?

    @Flag(help: "Use a stock hub although nothing protects the connection; it is remembered for that hub.")
    var insecure = false

    @OptionGroup var configuration: ConfigurationOption

    /// What was said, without the parts that read it.
    var choice: HomeChoice {
        HomeChoice(hub: hub?.text, insecure: insecure, configurationPath: configuration.path)
    }

    /// Calls `body` with the chosen hub. Errors of the hub get its name.
    ///
    /// - Parameter confirmation: the time that the user gives; the hub has no more for its answers.
    func use(
        within confirmation: ConfirmationOption? = nil, _ body: (HomeSession) async throws -> Void
    ) async throws {
        try await choice.use(within: confirmation, body)
    }
}

/// Which hub's appliances, as ``HomeOptions`` says it: a plain value.
struct HomeChoice: Equatable {
    /// A name or a fingerprint; nil for the default one.
    var hub: String?
    /// A stock hub may be used.
    var insecure = false
    /// What `--config` names.
    var configurationPath: String?

    var configuration: DeviceConfiguration { ConfigurationOption.configuration(at: configurationPath) }

    /// Calls `body` with the chosen hub. Errors of the hub get its name.
    func use(
        within confirmation: ConfirmationOption? = nil, _ body: (HomeSession) async throws -> Void
    ) async throws {
        let reach = try UseHub(configuration: configuration)
        let session = HomeSession(
            try await chosen(reach), reach: reach, isInsecureAllowed: insecure,
            answering: confirmation?.answering ?? HubConnection.Deadlines.usual)
        try await session.use(body)
    }

    /// The hub that is meant. Of several without a default the user chooses one, this once; without any it is
    /// one that is found on the network.
    private func chosen(_ reach: UseHub) async throws -> SavedHub {
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
