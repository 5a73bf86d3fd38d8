import GatewayRules
import Home
import HubService
import JSON
import Pairing
import Synchronization

/// All servers whose things stand in this house. The id of a thing says whose it is, and that is all that
/// anybody in the house has to know.
final class HouseServers: Sendable {
    private struct Joined {
        let server: JoinedServer
        let house: any JoinedHouse
    }

    /// The server behind the hub.
    let hestia: HestiaServer
    private let make: Make
    private let joined = Mutex<[Joined]>([])
    private let onChange = Callback<Void>()
    private let onStanding = Callback<(JoinedKind, Bool)>()
    private let isOver = Mutex(false)

    /// Makes what talks with a server that joins: it calls `changed` when a thing of it is other than before,
    /// and `stands` when it does not answer any more, or answers again.
    typealias Make =
        @Sendable (
            JoinedServer, _ changed: @escaping @Sendable () -> Void,
            _ stands: @escaping @Sendable (_ isUp: Bool) -> Void
        ) -> any JoinedHouse

    init(_ calls: GateCalls, joining make: @escaping Make) {
        (hestia, self.make) = (HestiaServer(calls), make)
    }

    /// Calls `body` when a thing of a joined server is other than before.
    func whenChanged(_ body: @escaping @Sendable () -> Void) { onChange.observe(body) }

    /// Calls `body` when a server that has joined does not answer any more, or answers again.
    func whenStandingChanges(_ body: @escaping @Sendable (JoinedKind, _ isUp: Bool) -> Void) {
        onStanding.observe { body($0.0, $0.1) }
    }

    /// Takes those that have joined in place of those before; one that is the same goes on.
    func take(_ servers: [JoinedServer]) {
        let change: @Sendable () -> Void = { [weak self] in self?.onChange.tell() }
        let (gone, new) = joined.withLock { joined in
            guard !isOver.withLock({ $0 }) else { return ([Joined](), [Joined]()) }
            let before = joined
            joined = servers.map { server in
                before.first { $0.server == server }
                    ?? Joined(server: server, house: house(of: server, change))
            }
            return (
                before.filter { old in !joined.contains { $0.house === old.house } },
                joined.filter { one in !before.contains { $0.house === one.house } }
            )
        }
        for one in new { one.house.start() }
        for one in gone { Task { await one.house.stop() } }
        if !gone.isEmpty || !new.isEmpty { change() }
    }

    private func house(of server: JoinedServer, _ change: @escaping @Sendable () -> Void) -> any JoinedHouse {
        make(server, change) { [weak self] isUp in self?.onStanding.tell((server.kind, isUp)) }
    }

    /// Those that have joined.
    var all: [(kind: JoinedKind, house: any JoinedHouse)] {
        joined.withLock { $0.map { ($0.server.kind, $0.house) } }
    }

    func stop() async {
        isOver.withLock { $0 = true }
        onChange.observe(nil)
        onStanding.observe(nil)
        let all = joined.withLock { joined in
            defer { joined = [] }
            return joined
        }
        for one in all { await one.house.stop() }
    }

    // MARK: Whose a thing is

    /// What is known of a joined server's thing; nil: it is the server's behind the hub.
    func joinedThing(_ id: String) -> JoinedThing? {
        guard let kind = JoinedKind(thing: id) else { return nil }
        return all.first { $0.kind == kind }?.house.thing(id) ?? .absent
    }

    func hints(for thing: String) -> ThingHints? {
        all.first { $0.kind == JoinedKind(thing: thing) }?.house.hints(for: thing)
    }

    /// The whole house, as it takes orders.
    ///
    /// - Parameter sender: the device for which they are given; nil: the hub itself.
    func whole(as sender: DeviceFields?) -> WholeHouse {
        WholeHouse(
            upstream: hestia.orders(as: sender),
            joined: Dictionary(all.map { ($0.kind, $0.house.orders(as: sender)) }) { one, _ in one })
    }
}

/// Orders for things of any server, each to the server that has it.
struct WholeHouse: OrderedHouse {
    let upstream: any OrderedHouse
    let joined: [JoinedKind: any OrderedHouse]

    var pace: Duration { get async { await upstream.pace } }

    func set(_ activator: String, of device: String, to state: JSONValue) async throws {
        try await house(of: device).set(activator, of: device, to: state)
    }

    func activator(_ id: String, of device: String) async throws -> Activator {
        try await house(of: device).activator(id, of: device)
    }

    private func house(of device: String) throws -> any OrderedHouse {
        guard let kind = JoinedKind(thing: device) else { return upstream }
        guard let house = joined[kind] else { throw ServerError.noThing("device") }
        return house
    }
}
