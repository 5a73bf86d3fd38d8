package import FoundationEssentials
package import Household
import Identity
import JSON

/// The history of states, as a hub has kept it.
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
                guard let change = StateChange(value),
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

extension StateChange {
    /// As answers have it.
    fileprivate init?(_ value: JSONValue) {
        guard let members = value.asObject, let device = members["device"]?.asString,
            let activator = members["activator"]?.asString, let state = members["state"],
            let time = members["time"]?.asString.flatMap(Date.init(hubTime:))
        else { return nil }
        self.init(
            device: device, activator: activator, state: state, before: members["before"], time: time)
    }
}
