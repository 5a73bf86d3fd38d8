/// A difference between two readings of a hub's appliances.
package enum HomeChange: Equatable, Sendable {
    case added(ControlledDevice)
    case removed(ControlledDevice)
    /// The appliance as it is now, and its name before.
    case renamed(ControlledDevice, from: String)
    /// The activator as it is now, its appliance, and the activator before.
    case state(Activator, of: ControlledDevice, before: Activator)

    /// The appliance's id.
    package var device: String {
        switch self {
        case .added(let device), .removed(let device), .renamed(let device, _), .state(_, let device, _):
            device.id
        }
    }

    /// The changes in the order of the appliances; removed ones come last. If several have one id, the first
    /// counts.
    package static func between(_ before: [ControlledDevice], _ now: [ControlledDevice]) -> [HomeChange] {
        let old = Dictionary(before.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let new = Dictionary(now.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var changes: [HomeChange] = []
        var seen: Set<String> = []
        for device in now where seen.insert(device.id).inserted {
            guard let was = old[device.id] else {
                changes.append(.added(device))
                continue
            }
            if !was.name.utf8.elementsEqual(device.name.utf8) {
                changes.append(.renamed(device, from: was.name))
            }
            for activator in device.activators {
                guard let before = was.activators.first(where: { $0.id == activator.id }),
                    before.state != activator.state
                else { continue }
                changes.append(.state(activator, of: device, before: before))
            }
        }
        seen = []
        for device in before where seen.insert(device.id).inserted && new[device.id] == nil {
            changes.append(.removed(device))
        }
        return changes
    }
}
