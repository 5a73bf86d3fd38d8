import Identity

/// A kind of server whose things stand in the house beside those of the server behind the hub. The house has
/// the connection to it, so what is asked of its things goes there.
///
/// The raw value is the word in commands and files.
package enum JoinedKind: String, CaseIterable, Sendable {
    case homeAssistant = "home-assistant"
    case mqtt

    /// What the id of each of its things begins with. No id of a Hestia server does, and ids of two servers
    /// cannot meet.
    package var prefix: String {
        switch self {
        case .homeAssistant: "ha~"
        case .mqtt: "mqtt~"
        }
    }

    /// What people call it.
    package var title: String {
        switch self {
        case .homeAssistant: "Home Assistant"
        case .mqtt: "the MQTT broker"
        }
    }

    /// The kind of server that has the thing; nil: the server behind the hub has it.
    package init?(thing id: some StringProtocol) {
        guard let kind = JoinedKind.allCases.first(where: { id.utf8.starts(with: $0.prefix.utf8) }) else {
            return nil
        }
        self = kind
    }

    /// The same for a request's target: `/devices/ID`, and what is below it.
    package init?(target: some StringProtocol) {
        let start = "/devices/"
        guard target.utf8.starts(with: start.utf8) else { return nil }
        self.init(thing: target.dropFirst(start.count))
    }
}
