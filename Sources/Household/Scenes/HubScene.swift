package import Home
package import Identity
package import JSON

/// The states that some appliances have together, under a name, for everybody in the house.
package struct HubScene: Equatable, Sendable {
    /// One activator's state.
    package struct State: Equatable, Sendable {
        /// The appliance's id.
        package let device: String
        /// The activator's id.
        package let activator: String
        /// The names of both when the scene was made, for messages; nil if they were not given.
        package let name: String?
        package let state: JSONValue

        package init(device: String, activator: String, name: String? = nil, state: JSONValue) {
            (self.device, self.activator, self.name, self.state) = (device, activator, name, state)
        }

        /// The order that sets it.
        package var order: Order {
            Order(device: device, activator: activator, name: name ?? device, state: state)
        }
    }

    /// A house with a thousand appliances has one scene of them all. More would only fill the file.
    package static let maximumStateCount = 1000
    /// The most rules that it arms: as many as a house can have.
    static let maximumArmCount = 1000

    package let name: PeerName
    package let states: [State]
    /// When it runs by itself; nil: never.
    package let time: SceneTime?
    /// The days on which it does.
    package let days: SceneDays
    /// The rules that it arms; nil: see ``Arming``.
    package let arms: [PeerName]?

    package init(
        name: PeerName, states: [State], time: SceneTime? = nil, days: SceneDays = .all,
        arms: [PeerName]? = nil
    ) {
        (self.name, self.states, self.time, self.days, self.arms) = (name, states, time, days, arms)
    }

    /// What is wrong with it, from any author; nil if nothing is.
    var fault: (key: String, reason: String)? {
        if states.count > HubScene.maximumStateCount {
            return ("states", "more than \(HubScene.maximumStateCount) states")
        }
        var seen: Set<[String]> = []
        for (index, state) in states.enumerated() {
            guard HouseholdNames.isID(state.device), HouseholdNames.isID(state.activator) else {
                return (
                    "state.\(index + 1)", "an id has 1 to \(HouseholdNames.maximumIDByteCount) bytes"
                )
            }
            guard seen.insert([state.device, state.activator]).inserted else {
                return ("state.\(index + 1)", "another one is for the same activator")
            }
            switch state.state {
            case .boolean, .integer, .number: break
            default: return ("state.\(index + 1)", "the state is neither true, false nor a number")
            }
            guard (state.name?.utf8.count ?? 0) <= HouseholdNames.maximumIDByteCount else {
                return ("state.\(index + 1)", "its name is too long")
            }
        }
        if let arms, arms.count > HubScene.maximumArmCount {
            return ("arms", "more than \(HubScene.maximumArmCount) rules")
        }
        if time == nil, days != .all { return ("days", "there is no 'at' for them") }
        return nil
    }

    /// True if all its activators are as it says. One whose state is not known is not.
    package func isSo(_ state: (_ device: String, _ activator: String) -> JSONValue?) -> Bool {
        states.allSatisfy { wanted in
            state(wanted.device, wanted.activator).map { Orders.isSame($0, wanted.state) } ?? false
        }
    }
}
