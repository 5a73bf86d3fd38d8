import Synchronization

/// The hub whose page is shown: which it is can change while the page is open.
final class ShownHub: Sendable {
    /// Opens connections to a hub.
    typealias Connect = @Sendable (SavedHub) async throws -> HubConnection

    private struct Shown {
        var hub: SavedHub?
        var relay: HubRelay?
    }

    private let connect: Connect
    private let shown: Mutex<Shown>

    /// Hubs that this computer is paired with.
    init(_ hub: SavedHub?, connect: @escaping Connect) {
        self.connect = connect
        shown = Mutex(Shown(hub: hub, relay: hub.map { hub in HubRelay { try await connect(hub) } }))
    }

    /// One hub, always.
    init(relay: HubRelay) {
        connect = { throw HubChoiceError.notPaired($0.name) }
        shown = Mutex(Shown(hub: nil, relay: relay))
    }

    var hub: SavedHub? { shown.withLock { $0.hub } }
    var relay: HubRelay? { shown.withLock { $0.relay } }

    func show(_ hub: SavedHub?) {
        let relay = hub.map { hub in HubRelay { [connect] in try await connect(hub) } }
        shown.withLock { $0 = Shown(hub: hub, relay: relay) }
    }
}
