package import FoundationEssentials
import Home
package import Household
import Identity
package import JSON

/// The states of a house, as its hub knows them.
package struct ReadStates: Sendable {
    /// The most rows in one answer of the hub.
    private static let pageCount = 10_000
    /// The most rows of a history that are fetched: a sensor that changes every 10 s makes 86,400 in 10 days.
    package static let maximumCount = 100_000

    private struct Row {
        let id: Int64
        let change: StateChange
    }

    private let link: HouseholdLink

    package init(_ link: HouseholdLink) { self.link = link }

    /// The last known states of all activators.
    package func states() async throws -> HouseStates {
        HouseStates(try await link.ask("GET", ["states"]))
    }

    /// How the states of an appliance, or of one activator of it, have changed.
    ///
    /// - Returns: oldest first; `isCut` if there are more than ``maximumCount``, whose last are missing.
    package func history(
        of device: String, activator: String?, since: Date
    ) async throws -> (changes: [StateChange], isCut: Bool) {
        var changes: [StateChange] = []
        var after: Int64 = 0
        while changes.count < ReadStates.maximumCount {
            var items = [
                ("device", device), ("since", since.timestamp), ("after", "\(after)"),
                ("limit", "\(ReadStates.pageCount)"),
            ]
            if let activator { items.append(("activator", activator)) }
            let members = try await link.ask("GET", ["states", "history"], items: items)
            let page = try HouseholdLink.entries("history", of: members) { value -> Row? in
                guard let change = HouseStates.change(value),
                    case .integer(let id)? = value.asObject?["id"]
                else { return nil }
                return Row(id: id, change: change)
            }
            changes += page.map(\.change)
            guard members["more"] == .boolean(true), let last = page.last, last.id > after else {
                return (changes, false)
            }
            after = last.id
        }
        return (changes, true)
    }
}

/// What a hub knows of the states in its house.
package struct HouseStates: Sendable {
    /// The last change of each activator.
    package private(set) var changes: [StateKey: StateChange] = [:]
    /// False while the server behind the hub does not answer: the states are old then.
    package let isCurrent: Bool
    /// When the hub read them; nil if it has not since it started.
    package let time: Date?
    /// How many seconds ago that was, by the hub's clock.
    package let age: Int?
    /// Why they are not current.
    package let fault: String?
    /// Appliances that do not answer, although others do.
    package let unanswered: Set<String>

    init(_ members: [String: JSONValue]) {
        if case .array(let values)? = members["states"] {
            for change in values.compactMap(HouseStates.change) { changes[change.key] = change }
        }
        isCurrent = members["current"] == .boolean(true)
        time = members["time"]?.asString.flatMap(Date.init(hubTime:))
        if case .integer(let seconds)? = members["age"] { age = Int(seconds) } else { age = nil }
        fault = members["fault"]?.asString
        unanswered = Set(members["unanswered"]?.texts ?? [])
    }

    package func state(device: String, activator: String) -> JSONValue? {
        changes[StateKey(device: device, activator: activator)]?.state
    }

    /// A change as answers and events have it.
    static func change(_ value: JSONValue) -> StateChange? {
        guard let members = value.asObject, let device = members["device"]?.asString,
            let activator = members["activator"]?.asString, let state = members["state"],
            let time = members["time"]?.asString.flatMap(Date.init(hubTime:))
        else { return nil }
        return StateChange(
            device: device, activator: activator, state: state, before: members["before"], time: time)
    }

    /// The change in the data of a stream's event.
    package static func change(in data: [UInt8]) -> StateChange? {
        JSONValue(parsing: data).flatMap { change($0) }
    }
}
