import ArgumentParser
import FoundationEssentials
import HubClient
import HubService
import Identity
import Pairing

/// On which hub a command acts: on the one of this machine, or on one that this computer is paired with, and
/// whose owner it is.
struct HubPlaceOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Do it on this hub, with which this computer is paired as an owner. (default: this machine's)",
            valueName: "hub"))
    var on: PeerSelector?

    @OptionGroup var state: StateOption
    @OptionGroup var configuration: ConfigurationOption

    /// As it is if nothing is said.
    static var unsaid: HubPlaceOption {
        var place = HubPlaceOption()
        place.on = nil
        (place.state, place.configuration) = (.unsaid, .unsaid)
        return place
    }

    func validate() throws {
        guard on == nil || state.path == nil else {
            throw ValidationError(
                "--state is for the hub of this machine, and --on for another one. Leave out one of them")
        }
        guard on != nil || configuration.path == nil else {
            throw ValidationError(
                "--config is where this computer keeps the hubs that it is paired with. Name one with --on")
        }
    }

    /// A command for the same hub, to paste: `hubpair print --on Kitchen`.
    func command(_ name: String) -> String {
        "hubpair \(name)" + (on.map { onHub($0.text) } ?? "")
    }

    /// The hub that `--on` names; nil for this machine's.
    func remote() throws -> AdministerHub? {
        try on.map { try AdministerHub(configuration: configuration.configuration, selector: $0) }
    }

    /// Lets `body` act on the hub. What fails on the way to another machine's bears the hub's name.
    func acting<Result>(_ body: (any HubAdministration) async throws -> Result) async throws -> Result {
        guard let remote = try remote() else { return try await body(MachineHub(state: state.state)) }
        do {
            return try await body(remote)
        } catch {
            throw HubFailure.named(error, hub: remote.hub.name)
        }
    }
}
