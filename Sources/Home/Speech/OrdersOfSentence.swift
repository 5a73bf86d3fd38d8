import JSON

/// What a sentence with orders means.
package struct UnderstoodOrders: Equatable, Sendable {
    package var orders: [Order] = []
    /// What "everything" does not mean: locks and the like.
    package var leftAlone: [ControlledDevice] = []
    /// Those of several that are to have a level, and know only on and off.
    package var unable: [ControlledDevice] = []

    /// Takes back what is ordered of these.
    mutating func leaveOut(_ devices: [ControlledDevice]) {
        let ids = Set(devices.map(\.id))
        orders.removeAll { ids.contains($0.device) }
        leftAlone.removeAll { ids.contains($0.id) }
        unable.removeAll { ids.contains($0.id) }
    }
}

/// The orders of one sentence. They must not contradict each other.
struct OrdersOfSentence {
    private struct Given {
        let order: Order
        let setting: Setting
        let isNamed: Bool
    }

    private let units: StateUnits
    private var given: [Given] = []
    private var leftAlone: [ControlledDevice] = []
    private var unable: [ControlledDevice] = []
    /// What the words name, also what needs no order.
    private(set) var meant: [ControlledDevice] = []

    init(_ units: StateUnits) { self.units = units }

    var understood: UnderstoodOrders {
        // A lock that is also named is not left alone.
        let named = Set(given.map(\.order.device))
        return UnderstoodOrders(
            orders: given.map(\.order), leftAlone: leftAlone.filter { !named.contains($0.id) },
            unable: unable.filter { !named.contains($0.id) })
    }

    mutating func add(_ found: SpokenHouse.Found, _ reading: SpokenOrder.Reading, verb: SpokenVerb?) throws {
        // Of several lamps only those that are on become brighter.
        let isOff = { (target: SpokenHouse.Target) in reading.action.isStep && target.device.isOn == false }
        let all = found.targets
        meant += all.map(\.device) + found.leftAlone
        var targets = all.count > 1 && !all.allSatisfy(isOff) ? all.filter { !isOff($0) } : all
        // "All lights to 40%" means those lamps that have levels, if there are any.
        if targets.count > 1, reading.action.isLevel, !reading.turnsOn {
            let isUnable = { (target: SpokenHouse.Target) in
                target.activator == nil && target.device.forgivesSlips && target.device.levelActivator == nil
            }
            let left = targets.filter(isUnable).map(\.device)
            if left.count < targets.count {
                for device in left where !unable.contains(device) { unable.append(device) }
                targets.removeAll(where: isUnable)
            }
        }
        // "All heatings to 20 degrees" means those that count degrees, and no towel heater.
        if targets.count > 1, reading.amount?.isTemperature == true {
            let able = targets.filter { target in
                target.device.activators.contains { units[target.device.id, $0.id]?.isOfDegrees == true }
            }
            if !able.isEmpty { targets = able }
        }
        for target in targets { try add(target, reading, verb: verb) }
        for lock in found.leftAlone where !leftAlone.contains(lock) { leftAlone.append(lock) }
    }

    private mutating func add(
        _ target: SpokenHouse.Target, _ reading: SpokenOrder.Reading, verb: SpokenVerb?
    ) throws {
        let device = target.device
        let (activator, setting) = try SpokenSetting(device, target.activator, verb: verb, units)
            .resolve(reading.action, reading.amount, by: reading.shift)
        if reading.turnsOn, target.activator == nil, try device.activator(for: .on) != activator {
            try add(target, .init(reading.thing, .on), verb: verb)
        }
        let order = try Order(device, activator, to: setting)
        let new = Given(order: order, setting: setting, isNamed: target.activator != nil)
        for old in given where old.order.device == order.device {
            if old.order == order { return }
            let areBothNamed = old.isNamed && new.isNamed
            let isContrary =
                old.order.activator == order.activator
                || !areBothNamed && OrdersOfSentence.isOff(old.setting) != OrdersOfSentence.isOff(setting)
            if isContrary { throw SpokenError.contradiction(device.name) }
        }
        given.append(new)
    }

    private static func isOff(_ setting: Setting) -> Bool { setting == .off || setting == .level(0) }
}

/// What an order sets on one appliance, as far as it can do that.
struct SpokenSetting {
    private let device: ControlledDevice
    private let named: Activator?
    private let verb: SpokenVerb?
    private let units: StateUnits

    /// - Parameter named: the activator that the sentence names; nil if it names none.
    init(_ device: ControlledDevice, _ named: Activator?, verb: SpokenVerb?, _ units: StateUnits) {
        (self.device, self.named, self.verb, self.units) = (device, named, verb, units)
    }

    func resolve(_ action: SpokenAction, _ amount: SpokenAmount?, by shift: SpokenShift?) throws -> (
        Activator, Setting
    ) {
        // Whatever can be set on it, it is there to tell.
        guard !device.onlyTells else { throw SpokenError.cannot(device.name, "be set: it only tells") }
        if let shift, let way = action.direction, !device.isLock {
            return try shifted(shift, way, action)
        }
        if let amount, !device.isLock, let resolved = try level(of: amount) { return resolved }
        return try resolve(action)
    }

    /// Up or down by what was said.
    private func shifted(_ shift: SpokenShift, _ way: Double, _ action: SpokenAction) throws -> (
        Activator, Setting
    ) {
        let words = way > 0 ? "be raised by that" : "be lowered by that"
        let target: Activator? =
            switch action {
            case .brighter, .darker: named ?? device.brightness
            case .warmer, .cooler: device.warmth
            default: named ?? device.warmth ?? device.brightness ?? device.levelActivator
            }
        switch shift {
        // A position may count how far it is closed.
        case .part(let part):
            let isClosing = target == device.opening?.activator && device.opening?.isOnSo == false
            return try step(target, by: isClosing ? -way * part : way * part, words)
        case .degrees(let degrees):
            guard let target, let unit = units[device.id, target.id], unit.isOfDegrees else {
                throw SettingError.noUnit(
                    "\(StateUnit.text(degrees)) degrees", device: device.name,
                    activator: target?.name ?? device.name)
            }
            return try step(target, by: way * degrees / (unit.to - unit.from), words)
        }
    }

    /// Nil for a number that is a percentage, since the appliance has no unit.
    private func level(of amount: SpokenAmount) throws -> (Activator, Setting)? {
        let activator = try named ?? units.activator(of: device)
        let unit = units[device.id, activator.id]
        if unit == nil, !amount.isTemperature {
            guard !amount.needsUnit else { throw SpokenError.bareNumber(StateUnit.text(amount.value)) }
            return nil
        }
        let text = StateUnit.text(amount.value) + (amount.isTemperature ? " degrees" : "")
        let said = SaidSetting.amount(
            amount.value, symbol: amount.isTemperature ? "degrees" : nil, text: text)
        return (activator, try said.setting(for: activator, of: device.name, unit))
    }

    private func resolve(_ action: SpokenAction) throws -> (Activator, Setting) {
        // Water runs through an open valve.
        if device.isValve, let ability = device.opening, action == .on || action == .off {
            return try sense(ability, action == .on, "be turned on")
        }
        // "Set the lock to 40" and "shut off the door" have two meanings.
        if device.isLock {
            switch action {
            case .set(.on), .set(.off):
                guard verb?.isForLocks ?? true else { throw SpokenError.lockSetting(device.name) }
            case .open, .close, .lock, .unlock: break
            case .up where device.isGate: return try sense(device.opening, true, "go up")
            case .down where device.isGate: return try sense(device.opening, false, "go down")
            case .set, .dim, .up, .down, .brighter, .darker, .warmer, .cooler:
                throw SpokenError.lockSetting(device.name)
            }
        }
        if verb?.isForSwitches == true {
            guard !device.isCovering, !device.isHeating, !device.onlyTells else {
                throw SpokenError.cannot(device.name, "be \(action == .on ? "started" : "stopped")")
            }
        }
        switch action {
        case .set(let setting):
            let activator = try named ?? device.activator(for: setting)
            if verb?.isLeaving == true, setting == .on, let level = activator.state.asDouble,
                level > 0, level <= 1
            {
                return (activator, .level(level))
            }
            return (activator, device.meant(by: setting, activator, units[device.id, activator.id]))
        case .dim: return try dimmed()
        case .open: return try sense(device.opening, true, "be opened")
        case .close: return try sense(device.opening, false, "be closed")
        case .lock: return try sense(device.locking, true, "be locked")
        case .unlock: return try sense(device.locking, false, "be unlocked")
        case .up:
            if device.isCovering { return try sense(device.opening, true, "go up") }
            return try step(
                named ?? device.warmth ?? device.brightness, by: SpokenLanguage.step, "be turned up")
        case .down:
            if device.isCovering { return try sense(device.opening, false, "go down") }
            return try step(
                named ?? device.warmth ?? device.brightness, by: -SpokenLanguage.step, "be turned down")
        case .brighter:
            return try step(named ?? device.brightness, by: SpokenLanguage.step, "become brighter")
        case .darker: return try step(named ?? device.brightness, by: -SpokenLanguage.step, "become darker")
        case .warmer: return try step(device.warmth, by: SpokenLanguage.step, "become warmer")
        case .cooler: return try step(device.warmth, by: -SpokenLanguage.step, "become cooler")
        }
    }

    private func sense(_ ability: ControlledDevice.Ability?, _ isSo: Bool, _ words: String) throws -> (
        Activator, Setting
    ) {
        guard let ability else {
            throw device.isLock ? SpokenError.lockSense(device.name) : .cannot(device.name, words)
        }
        guard named == nil || named == ability.activator else { throw SpokenError.cannot(device.name, words) }
        return (ability.activator, ability.setting(isSo))
    }

    private func dimmed() throws -> (Activator, Setting) {
        let setting = Setting.level(SpokenLanguage.dimmed)
        let activator = try named ?? device.activator(for: setting)
        if let state = activator.state.asDouble, state < SpokenLanguage.dimmed - 0.001 {
            throw SpokenError.alreadyDim(device.name, activator.stateText)
        }
        return (activator, setting)
    }

    /// A part of the range from the present state, not beyond its ends.
    private func step(_ activator: Activator?, by part: Double, _ words: String) throws -> (
        Activator, Setting
    ) {
        guard let activator, activator.kind == .float, let state = activator.state.asDouble,
            (0...1).contains(state)
        else { throw SpokenError.cannot(device.name, words) }
        guard device.isOn != false else { throw SpokenError.isOff(device.name) }
        // What is to be a bit darker is not to be off.
        let least = activator == device.brightness ? min(state, SpokenLanguage.least) : 0
        // To the thousandth, so that ten steps are the whole range.
        let level = min(1, max(least, ((state + part) * 1_000).rounded() / 1_000))
        return (activator, .level(level))
    }
}
