import ArgumentParser
import Home
import HubClient
import Identity
import JSON
import Pairing
import Synchronization

/// Which hub's devices.
struct HomeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A hub's name or fingerprint; else the one used last. It is the default from then on.",
            valueName: "hub"))
    var hub: PeerSelector?

    @Flag(help: "Use a stock hub although nothing protects the connection; it is remembered for that hub.")
    var insecure = false

    @OptionGroup var configuration: ConfigurationOption

    /// Does something with the hub that is meant. What goes wrong with it bears its name.
    func use(_ body: (HomeSession) async throws -> Void) async throws {
        let reach = try UseHub(configuration: configuration.configuration)
        let (found, isDefault) = try reach.find(hub)
        let session = HomeSession(
            found, reach: reach, isInsecureAllowed: insecure, becomesDefault: hub != nil && !isDefault)
        try await session.use(body)
    }
}

/// One hub, and what is to be remembered of having used it.
final class HomeSession: Sendable {
    let hub: SavedHub
    let home: HubHome
    /// The keys of the hub in every JSON line.
    let json: [String: JSONValue]
    private let reach: UseHub
    private let isInsecureAllowed: Bool
    private let becomesDefault: Bool
    private let isNoted = Mutex(false)

    /// - Parameter connecting: the longest that it may take to find the hub and to connect.
    init(
        _ hub: SavedHub, reach: UseHub, isInsecureAllowed: Bool = false, becomesDefault: Bool = false,
        connecting: Duration = HubConnector.deadline
    ) {
        self.hub = hub
        self.reach = reach
        json = [
            "hub": .text(hub.fingerprint?.description), "hub_name": .string(hub.name.description),
            "unprotected": .boolean(hub.isUnprotected),
        ]
        self.isInsecureAllowed = isInsecureAllowed
        self.becomesDefault = becomesDefault
        home = HubHome {
            try await reach.connect(to: hub, isInsecureAllowed: isInsecureAllowed, deadline: connecting)
        }
    }

    /// Its name, and `unprotected` if nobody checks who it is.
    var title: String { hub.name.description + (hub.isUnprotected ? " (unprotected)" : "") }

    /// Does something with the hub; what goes wrong with it bears its name.
    func use(_ body: (HomeSession) async throws -> Void) async throws {
        do {
            try await body(self)
        } catch {
            throw HubFailure.named(error, hub: hub.name)
        }
    }

    /// Every device. The first answer makes the hub the default, if it was named.
    func devices() async throws -> [ControlledDevice] {
        let devices = try await home.devices()
        noteUse()
        return devices
    }

    /// Remembers what was decided by using the hub, once; the files are written only if it is new.
    func noteUse() {
        let isFirst = isNoted.withLock { noted in
            defer { noted = true }
            return !noted
        }
        guard isFirst else { return }
        do {
            if isInsecureAllowed { try reach.allowInsecure(hub) }
            if becomesDefault { try reach.use(hub) }
        } catch {
            // What was asked for can still be done.
            Console.note("warning: \(hub.name) was not remembered: \(error)")
        }
    }
}
