import GatewayRules
import HubService
import Identity
import Pairing

/// Why a scene runs, and for whom: its orders go to the server behind the hub as that one's.
struct SceneCause: Sendable {
    /// Nil: the hub itself.
    let device: ApprovedDevice?
    let door: JournalEntry.Door
    /// The rule whose alarm runs it.
    let rule: String?

    /// A device has asked for it.
    static func asked(by device: ApprovedDevice, through door: JournalEntry.Door) -> SceneCause {
        SceneCause(device: device, door: door, rule: nil)
    }

    /// It is its time.
    ///
    /// - Parameter author: the device that saved it last; nil if nobody knows.
    static func time(of author: ApprovedDevice?) -> SceneCause {
        SceneCause(device: author, door: .timer, rule: nil)
    }

    /// Rules are the owners': their scenes are the hub's own.
    static func alarm(_ rule: String) -> SceneCause { SceneCause(device: nil, door: .alarm, rule: rule) }

    /// What it may do. An unknown role has no access; if it ever had, the least would be told.
    var role: Role { device.map { $0.knownRole ?? .guest } ?? .owner }

    /// Nil: the hub itself.
    var author: JournalEntry.Author? { device.map { JournalEntry.Author($0, through: door) } }
    /// The device whose deed it is, and which needs not be told of it.
    var asker: JournalEntry.Author? {
        switch door {
        case .gate, .page, .hub: author
        case .timer, .alarm: nil
        }
    }
    var sender: DeviceFields? { device.map { DescribedDevice($0).fields } }
}

extension SceneCause: CustomStringConvertible {
    var description: String {
        switch door {
        case .gate, .page, .hub: "asked by \"\(device.map { "\($0.name)" } ?? "the hub")\""
        case .timer: "at its time"
        case .alarm: "at the alarm \"\(rule ?? "")\""
        }
    }
}
