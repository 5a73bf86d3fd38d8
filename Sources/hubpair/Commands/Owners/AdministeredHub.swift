import HubClient
import HubService
import Identity
import Pairing

/// On which hub a command acts, as ``HubPlaceOption`` says it: a plain value.
struct AdministeredHub: Equatable {
    /// The name or the fingerprint of a hub whose owner this computer is; nil for this machine's hub.
    var on: String?
    /// What `--state` and `--config` name.
    var statePath: String?
    var configurationPath: String?

    /// A command for the same hub, to paste: `hubpair print --on Kitchen`.
    func command(_ name: String) -> String {
        "hubpair \(name)" + (on.map { onHub($0) } ?? "")
    }

    var machine: MachineHub { MachineHub(state: StateOption.state(at: statePath)) }

    /// Does what is for this machine's hub. Where none is set up, and this computer is paired with some, one
    /// of those is meant: the hint says how that is named.
    func orElsewhere<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let error as HubError where statePath == nil {
            guard case .notSetUp = error else { throw error }
            let known = try? ConfigurationOption.configuration(at: configurationPath).knownHubs()
            guard
                let hub = known?.hubs.first(where: { $0.fingerprint == known?.defaultHub })
                    ?? known?.hubs.first
            else { throw error }
            throw NoHubHere(
                error: error,
                hint: StateOption.command(CommandLine.arguments.dropFirst()) + onHub(hub.name.description))
        }
    }

    /// The hub that `--on` names; nil for this machine's.
    func remote() throws -> AdministerHub? {
        try on.map {
            try AdministerHub(
                configuration: ConfigurationOption.configuration(at: configurationPath),
                selector: PeerSelector($0))
        }
    }

    /// Lets `body` act on the hub. What fails on the way to another machine's bears the hub's name.
    func acting<Result>(_ body: (any HubAdministration) async throws -> Result) async throws -> Result {
        guard let remote = try remote() else {
            return try await orElsewhere { () async throws in try await body(machine) }
        }
        do {
            return try await body(remote)
        } catch {
            throw HubFailure.named(error, hub: remote.hub.name)
        }
    }
}

/// There is no hub on this machine; the command for one with which it is paired.
private struct NoHubHere: UserError {
    let error: HubError
    let hint: String?

    var description: String { error.description }
    var kind: UserErrorKind { error.kind }
}
