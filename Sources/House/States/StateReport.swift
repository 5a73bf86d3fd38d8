import FoundationEssentials
import Home
import Household
import Pairing

/// What the hub knows of the appliances' states.
struct StateReport: Sendable {
    let states: KnownStates
    /// When the upstream was last read; nil: never.
    let time: Moment?
    /// Why the last attempt to read it failed; nil: it did not.
    let fault: String?
    /// The upstream gave an answer, whatever it was.
    let hasAnswered: Bool
    /// Since when the upstream does not answer at all; nil: it does, or that is not known.
    let since: Date?
    /// The appliances that did not answer, while others did.
    let unanswered: Set<String>
    /// All that there are, as each was seen last.
    let appliances: [SeenAppliances.Appliance]
    /// How long the upstream took for its last answer; zero if it gave none.
    let took: Duration
    /// The same number: the same states and appliances.
    let revision: Int

    /// Those that do not answer, or all while the server is away.
    var silent: [SeenAppliances.Appliance] {
        fault == nil ? appliances.filter { unanswered.contains($0.device.id) } : appliances
    }
}
