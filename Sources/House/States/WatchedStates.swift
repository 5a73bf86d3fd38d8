import Household

/// The states for one stream of events.
///
/// Events: `state` with a change; `reset` with all states, at the start and whenever what was missed is not
/// kept any more.
struct WatchedStates: EventSource {
    private let store: StateStore
    private let poller: StatePoller
    /// Keeps the poller going.
    private let watching: StatePoller.Watching

    init(_ store: StateStore, _ poller: StatePoller) {
        (self.store, self.poller) = (store, poller)
        watching = poller.watch()
    }

    var feed: EventFeed { store.feed }

    func page(after eventID: EventID?) async throws(DatabaseError) -> EventPage {
        try await store.page(after: eventID)
    }

    /// The states are told as they are, and then the changes as they come.
    func eventsWithoutDatabase() async -> [UInt8]? { store.allStates(await poller.report().states) }
}
