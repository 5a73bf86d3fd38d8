import Home
import Household
import Pairing

/// Is told of changes by the poller, before the watchers are.
protocol StateObserver: Sendable {
    /// - Parameter changes: those of one poll, by device and activator; not empty. At the first sight of an
    ///   activator `before` is nil.
    /// - Returns: the messages that come of them. They are written down together with the states, so that a
    ///   hub that is killed neither forgets one nor tells it twice. To act on them once they are on disk,
    ///   register with ``MessageLog/add(_:)``.
    func statesChanged(_ changes: [StateChange]) async -> [MessageDraft]
}

/// What the hub knows of the appliances' states.
struct StateReport: Sendable {
    let states: KnownStates
    /// When the upstream was last read; nil: never.
    let time: Moment?
    /// Why the last attempt to read it failed; nil: it did not.
    let fault: String?
    /// The appliances that did not answer, while others did.
    let unanswered: Set<String>
    /// Those of them, or all while the server is away, as they were when they were last listed; none from
    /// before the hub started.
    let silent: [Silent]

    struct Silent: Sendable {
        let device: ControlledDevice
        let time: Moment
    }
}
