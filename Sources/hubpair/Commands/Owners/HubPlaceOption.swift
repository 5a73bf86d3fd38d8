import ArgumentParser
import Identity

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

    /// What was said, without the parts that read it.
    var hub: AdministeredHub {
        AdministeredHub(on: on?.text, statePath: state.path, configurationPath: configuration.path)
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
}
