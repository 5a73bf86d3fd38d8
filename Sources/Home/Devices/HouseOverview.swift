import JSON

/// What of a house needs a look: what sounds, is on, open or unlocked, and what does not answer.
///
/// A lock or a door counts as open only where the names of its activators tell which state that is; what
/// cannot be told is left out, and never guessed.
package struct HouseOverview: Sendable {
    /// Why an appliance is in it.
    package enum Fact: String, CaseIterable, Sendable {
        case on, open, unlocked, sounding, silent
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
            for fact in device.kind.headings {
                guard let activator = device.activator(for: fact) else { continue }
                entries.append(Entry(fact: fact, device: device, activator: activator))
            }
        }
        self.entries = Fact.allCases.flatMap { fact in entries.filter { $0.fact == fact } }
    }
}

extension ControlledDevice {
    /// The activator whose state puts the appliance under this heading now.
    fileprivate func activator(for fact: HouseOverview.Fact) -> Activator? {
        switch fact {
        case .on: isOn == true ? shown : nil
        case .open: opening.flatMap { $0.isSo == true ? $0.activator : nil }
        case .unlocked: locking.flatMap { $0.isSo == false ? $0.activator : nil }
        case .sounding: sounding
        case .silent: nil
        }
    }

    /// The activator whose state people want to see: of a lamp that is on, how bright it is.
    fileprivate var shown: Activator? {
        if let level = levelActivator, let state = level.state.asDouble, state > 0 { return level }
        return onActivator ?? main
    }
}
