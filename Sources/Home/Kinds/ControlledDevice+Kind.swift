package import JSON

extension ControlledDevice {
    /// What it does: as people have said, or as its type, its name and its activators tell.
    package var kind: ApplianceKind { givenKind ?? derivedKind }

    private var derivedKind: ApplianceKind {
        let type = KindWords(type, isType: true)
        // Of what is surely a lamp the name tells nothing: "Garage lamp". Most appliances end here.
        let byType = ApplianceKind.allCases.first { type.has($0.typeWords) } ?? .other
        let isSensor = type.has(ApplianceKind.sensor.typeWords)
        if byType == .light, !isSensor, !type.has(ApplianceKind.switch.typeWords) { return .light }
        let name = KindWords(name)
        if isSensor { return contact(type, name) }
        switch byType {
        case .alarm: return name.has(ApplianceKind.detector.nameWords) ? .detector : .alarm
        case .door: return isGate(name) ? .gate : .door
        case .window where type.has(ApplianceKind.blind.typeWords), .blind:
            // "Kitchen window blind" is a blind; the garage's is its door.
            if name.has(ApplianceKind.blind.nameWords) { return .blind }
            return name.has(["garage", "garagen"]) ? .gate : kind(named: name) ?? .blind
        case .lock, .gate, .window, .valve, .detector, .camera, .heating, .fan, .sensor: return byType
        // A gate may be an appliance of the type `Switch`, or of one that nobody knows.
        case .light, .switch, .other: return kind(named: name) ?? kindOfMain ?? byType
        }
    }

    private func kind(named name: KindWords) -> ApplianceKind? {
        guard !name.has(ApplianceKind.light.nameWords) else { return nil }
        if isGate(name) { return name.has(ApplianceKind.lock.nameWords) ? .lock : .gate }
        return [.lock, .door, .window, .valve, .alarm, .camera].first { name.has($0.nameWords) }
    }

    /// What unlocks or opens something is a lock or a door, whatever it is called.
    private var kindOfMain: ApplianceKind? {
        guard let main else { return nil }
        if locking?.activator == main { return .lock }
        return wordedOpening?.activator == main ? .door : nil
    }

    private func isGate(_ name: KindWords) -> Bool {
        guard !name.has(ApplianceKind.light.nameWords) else { return false }
        return name.has(ApplianceKind.gate.nameWords) || name.endsWithGarage
            || name.has(ApplianceKind.door.nameWords) && name.has(["garage", "garagentur"])
    }

    /// Of what only tells: of which thing it tells, if it has a switch that may say open or closed.
    private func contact(_ type: KindWords, _ name: KindWords) -> ApplianceKind {
        let has = { (kind: ApplianceKind) in type.has(kind.typeWords) || name.has(kind.nameWords) }
        guard activators.contains(where: { $0.kind == .bool }) else { return .sensor }
        if has(.detector) || has(.alarm) { return .detector }
        if isGate(name) { return .gate }
        return [.lock, .gate, .door, .window].first(where: has) ?? kindOfMain ?? .sensor
    }

    /// True if the server calls it a sensor.
    private var isSensorType: Bool {
        KindWords(type, isType: true).has(ApplianceKind.sensor.typeWords)
    }

    /// True if the server calls it a blind: then its position is 1 when it is open, whatever it covers.
    var isCoveringType: Bool { KindWords(type, isType: true).has(ApplianceKind.blind.typeWords) }

    /// True for what keeps people, water or thieves out. An order for all appliances does not mean it.
    package var isLock: Bool { kind.isGuarded }

    /// True if it only tells how something is: nothing on it can be set.
    package var onlyTells: Bool {
        switch kind.showing {
        case .only: true
        case .ifSensor: isSensorType
        case .never: false
        }
    }

    /// True if "everything" does not mean it: a lock or the like, a blind, a heating, a sensor.
    package var staysOutOfEverything: Bool { !kind.isPartOfEverything || onlyTells }

    /// True if a word that is nearly its name is enough.
    var forgivesSlips: Bool { kind.forgivesSlips }

    /// True if an order needs a second thought: it opens a door, unlocks, silences a siren. Where nothing
    /// tells what a state means, it does.
    package func asksFirst(_ activator: String, _ state: JSONValue) -> Bool {
        switch kind.asking {
        case .never: return false
        case .always: return true
        case .opening:
            if let locking, locking.activator.id == activator { return locking.isSo(state) != true }
            if let opening, opening.activator.id == activator { return opening.isSo(state) != false }
            return true
        }
    }

    // MARK: What a state means

    /// The state of an activator in a word that says what it means: `locked`, `open`, `alarm`; nil if
    /// nothing says more than the state itself.
    package func word(_ activator: Activator) -> String? {
        let (kind, isWorded) = (kind, isWorded(activator))
        if isWorded, let locking, locking.activator == activator, let isSo = locking.isSo {
            return isSo ? "locked" : "unlocked"
        }
        if isWorded || kind == .blind || kind == .valve || isCoveringType,
            let opening, opening.activator == activator, let isOpen = opening.isSo
        {
            // How far says more.
            if activator.kind == .float, kind == .blind || isInBetween(activator) { return nil }
            return isOpen ? "open" : "closed"
        }
        guard case .boolean(let isOn) = activator.state else { return nil }
        if isWorded, let arming, arming.activator == activator {
            return isOn == arming.isOnSo ? "armed" : "disarmed"
        }
        guard kind.words.on != "on", activator == main || activator == onActivator else { return nil }
        return isOn ? kind.words.on : kind.words.off
    }

    private func isInBetween(_ activator: Activator) -> Bool {
        activator.state.asDouble.map { $0 > 0 && $0 < 1 } ?? false
    }

    /// How it is, in a word: what its main activator means, in its unit if it has one; nil if it has none.
    package func means(_ units: StateUnits) -> String? {
        main.map { word($0) ?? units.text($0, of: id) }
    }

    /// The activator of an alarm that sounds now; nil if it is quiet, or no alarm.
    var sounding: Activator? {
        switch kind {
        case .alarm, .detector: [main, onActivator].lazy.compactMap(\.self).first { word($0) == "alarm" }
        case .lock, .gate, .door, .window, .valve, .camera, .light, .blind, .heating, .fan, .sensor, .switch,
            .other:
            nil
        }
    }
}

extension ControlledDevice {
    /// The order that locks it; nil if nothing on it tells which of its ends does.
    package func lockOrder() throws(SettingError) -> Order? {
        guard let locking else { return nil }
        return try Order(self, locking.activator, to: locking.setting(true))
    }
}
