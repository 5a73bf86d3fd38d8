import Identity

/// The answer to a question. Nothing was set for it.
package struct SpokenAnswer: Equatable, Sendable {
    /// To a question for yes or no.
    package enum Verdict: String, Sendable {
        case yes, no
        /// Of several appliances, some are so.
        case some
        /// The states do not tell.
        case unknown
    }

    /// One appliance, and how it is.
    package struct Row: Equatable, Sendable {
        package let device: ControlledDevice
        /// What the answer is about; nil if it has nothing of the kind.
        package let activator: Activator?
        /// `on`, `40%`, `locked`, or the state of what may tell it: `Activate is on`.
        package let text: String

        /// For people: `Front door is locked`.
        package var line: String { "\(shortened(device.name)): \(text)" }
    }

    /// Nil if it was not a question for yes or no.
    package let verdict: Verdict?
    /// What the question was about; of a question for a list, what is so.
    package let rows: [Row]
}

extension SpokenAnswer {
    typealias State = SpokenLanguage.State

    /// True if the appliance is in that state, false if not; nil if that cannot be told.
    static func isSo(_ device: ControlledDevice, _ state: State) -> Bool? {
        switch state {
        case .on: device.isOn ?? device.isRunning
        case .off: (device.isOn ?? device.isRunning).map { !$0 }
        case .open: device.opening?.isSo
        case .closed: device.opening?.isSo.map { !$0 }
        case .locked: device.locking?.isSo
        case .unlocked: device.locking?.isSo.map { !$0 }
        }
    }

    /// Whether each of these is in that state. Of several, those without a lock, or with nothing to open,
    /// decide nothing: "are the doors locked?" is about locks. One that stands open is surely not locked.
    static func answers(_ devices: [ControlledDevice], _ state: State) -> [Bool?] {
        let able = devices.filter { device in
            switch state {
            case .on, .off: true
            case .open, .closed: device.opening != nil
            case .locked, .unlocked: device.locking != nil || device.opening?.isSo == true
            }
        }
        guard able.contains(where: { isSo($0, state) != nil }) else {
            return devices.map { isSo($0, state) }
        }
        return able.map { device in
            switch state {
            case .locked where device.locking == nil: false
            case .unlocked where device.locking == nil: true
            default: isSo(device, state)
            }
        }
    }

    /// How the appliance is, in the words of the question; levels in their units.
    static func row(_ device: ControlledDevice, _ state: State?, _ units: StateUnits) -> Row {
        let text = { (activator: Activator) in shortened(units.text(activator, of: device.id)) }
        switch state {
        case .open, .closed:
            guard let ability = device.opening, let isOpen = ability.isSo else { break }
            let level = ability.activator.kind == .float ? " (\(text(ability.activator)))" : ""
            return Row(
                device: device, activator: ability.activator, text: (isOpen ? "open" : "closed") + level)
        case .locked, .unlocked:
            if let ability = device.locking, let isLocked = ability.isSo {
                return Row(
                    device: device, activator: ability.activator, text: isLocked ? "locked" : "unlocked")
            }
            if device.locking == nil, device.opening?.isSo != nil { return row(device, .open, units) }
        case .on, .off, nil: break
        }
        if state == nil, let ability = device.locking, let isLocked = ability.isSo {
            return Row(device: device, activator: ability.activator, text: isLocked ? "locked" : "unlocked")
        }
        guard let isOn = device.isOn else {
            let main = device.main
            let words = main.map { "\(shortened($0.name)) is \(text($0))" } ?? "no state"
            return Row(device: device, activator: main, text: words)
        }
        let level = device.levelActivator.map { ", \(text($0))" } ?? ""
        return Row(
            device: device, activator: device.onActivator ?? device.levelActivator,
            text: isOn ? "on\(level)" : "off")
    }
}
