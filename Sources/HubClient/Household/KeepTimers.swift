package import FoundationEssentials
import Home
import Identity
package import JSON

/// The orders that wait for their time on a hub.
package struct KeepTimers: Sendable {
    /// One of them, as a hub tells it.
    package struct Timer: Equatable, Sendable {
        package let device: String
        package let activator: String
        package let state: JSONValue
        package let due: Date
        /// The name of the device that made it.
        package let name: String

        init?(_ value: JSONValue) {
            guard let members = value.asObject, let device = members["device"]?.asString,
                let activator = members["activator"]?.asString, let state = members["state"],
                let due = members["due"]?.asString.flatMap({ Date(timestamp: $0) })
            else { return nil }
            (self.device, self.activator, self.state, self.due) = (device, activator, state, due)
            name = members["name"]?.asString ?? ""
        }
    }

    private let link: HouseholdLink

    package init(_ link: HouseholdLink) { self.link = link }

    /// All of them, the next one first.
    package func all() async throws -> [Timer] {
        try HouseholdLink.entries("timers", of: try await ask("GET", ["timers"]), Timer.init)
    }

    /// Keeps one in place of the activator's last one.
    package func put(
        _ state: JSONValue, device: String, activator: String, after seconds: Int64
    ) async throws -> Timer {
        let body: [String: JSONValue] = ["state": state, "in": .integer(seconds)]
        let members = try await ask("PUT", ["timers", device, activator], body: .object(body))
        guard let timer = Timer(.object(members)) else {
            throw ServerError.unreadable("it is no timer")
        }
        return timer
    }

    package func remove(device: String, activator: String) async throws {
        _ = try await ask("DELETE", ["timers", device, activator])
    }

    private func ask(
        _ method: String, _ path: [String], body: JSONValue? = nil
    ) async throws -> [String: JSONValue] {
        do {
            return try await link.ask(method, path, body: body)
        } catch HouseholdRefusal.refused(404, _, _) where method != "DELETE" {
            throw HouseholdRefusal.older(link.hub.name)
        }
    }
}
