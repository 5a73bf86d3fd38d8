import JSON

/// What of a house needs a look: what is on, open or unlocked, and what does not answer.
///
/// A lock or a door counts as open only where the names of its activators tell which state that is; what
/// cannot be told is left out, and never guessed.
package struct HouseOverview: Sendable {
    /// Why an appliance is in it.
    package enum Fact: String, CaseIterable, Sendable {
        case on, open, unlocked, silent
    }

    package struct Entry: Sendable {
        package let fact: Fact
        package let device: ControlledDevice
        /// The state that says so; nil if it does not answer.
        package let activator: Activator?
    }

    /// By fact, and in the order of the appliances.
    package let entries: [Entry]

    /// - Parameter silent: the ids of appliances that do not answer the hub's server.
    package init(_ devices: [ControlledDevice], silent: Set<String> = []) {
        var entries: [Entry] = []
        for device in devices {
            if silent.contains(device.id) {
                entries.append(Entry(fact: .silent, device: device, activator: nil))
                continue
            }
            if let ability = device.locking, ability.isSo == false {
                entries.append(Entry(fact: .unlocked, device: device, activator: ability.activator))
            }
            if let ability = device.opening {
                // An open blind lets the light in; only a door or a window that is open needs a look.
                if !device.isCovering, ability.isSo == true {
                    entries.append(Entry(fact: .open, device: device, activator: ability.activator))
                }
            } else if !device.staysOutOfEverything, device.isOn == true {
                entries.append(Entry(fact: .on, device: device, activator: device.shown))
            }
        }
        self.entries = Fact.allCases.flatMap { fact in entries.filter { $0.fact == fact } }
    }
}

extension ControlledDevice {
    /// The activator whose state people want to see: of a lamp that is on, how bright it is.
    fileprivate var shown: Activator? {
        if let level = levelActivator, let state = level.state.asDouble, state > 0 { return level }
        return onActivator ?? main
    }
}
