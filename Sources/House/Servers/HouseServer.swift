import GatewayRules
import Home
import HubService
import JSON

/// A server whose things stand in the house: the one behind the hub, and each that has joined.
///
/// It says what it knows of its things, each with an id that no other server has, and takes orders for them.
/// What it cannot do it refuses in words; it guesses nothing.
protocol HouseServer: Sendable {
    /// Its things as they are now.
    ///
    /// - Parameter ids: its things that the house knows.
    func look(knowing ids: [String]) async -> ServerLook
    /// The same server as it takes orders.
    ///
    /// - Parameter sender: the device for which they are given; nil: the hub itself.
    func orders(as sender: DeviceFields?) -> any OrderedHouse
}

/// What a server says of its things.
enum ServerLook: Sendable {
    /// Those that answer it, in its order, and the ids of those that do not.
    case things([ControlledDevice], unanswered: Set<String>)
    /// Why it cannot say; whether it has answered at all.
    case away(String, hasAnswered: Bool)
}

/// A server that has joined the house: it tells of changes by itself.
protocol JoinedHouse: AnyObject, HouseServer {
    /// What it knows of a thing besides its state; nil for one that it does not have.
    func hints(for thing: String) -> ThingHints?
    /// What it knows of a thing now, or knew last.
    func thing(_ id: String) -> JoinedThing
    func start()
    func stop() async
}

enum JoinedThing: Sendable {
    case device(ControlledDevice)
    /// It has no such thing.
    case absent
    /// Nobody can say, since it is away.
    case unknown
}

/// What the house takes from a server when it sees a thing for the first time; its people may say otherwise
/// afterwards.
struct ThingHints: Equatable, Sendable {
    let thing: String
    let room: String?
    /// What its levels count, by the activators' ids.
    let units: [String: StateUnit]
}

extension ServerError {
    /// No such appliance or activator.
    static func noThing(_ type: String) -> ServerError {
        .refused(
            status: 404, exception: "NotFoundException", details: ["type": .string(type)], message: nil)
    }

    /// What the server cannot do, in words.
    static func cannot(_ words: String) -> ServerError {
        .gateway(status: 409, word: "not_possible", message: words)
    }

    static func badState(_ type: String) -> ServerError {
        .refused(
            status: 400, exception: "InvalidStateException", details: ["expected_type": .string(type)],
            message: nil)
    }

    /// The server does not answer the hub.
    static func away(_ words: String) -> ServerError {
        .gateway(status: 503, word: "upstream_away", message: words)
    }
}
