import Pairing
import Synchronization

/// Tells the owner that the settings are others than those that the hub serves with.
final class SettingsWatch: Sendable {
    private let state: HubState
    private let log: ServeLog
    /// The last that the log has said something about.
    private let known: Mutex<HubSettings>
    private let served: HubSettings

    /// - Parameter served: what the hub serves with until it ends.
    init(_ state: HubState, served: HubSettings, log: ServeLog) {
        (self.state, self.log, self.served) = (state, log, served)
        known = Mutex(served)
    }

    /// Looks at the file; call it when something in the directory has changed.
    func look() {
        // A fault in it is told when the hub starts again; this one serves on.
        guard let settings = try? HubState.settings(in: state.open()) else { return }
        let isNew = known.withLock { known in
            defer { known = settings }
            return !known.isServed(as: settings)
        }
        guard isNew else { return }
        log.notice(
            settings.isServed(as: served)
                ? "the settings are again those that it serves with"
                : "the settings have changed; they count once the hub starts again")
    }
}
