import JSON

// What an appliance can do, as far as its kind and the names of its activators tell.

extension ControlledDevice {
    /// An activator, and which of its ends is meant.
    struct Ability: Equatable, Sendable {
        let activator: Activator
        /// True if "on", or the level 1, is what the ability is called after: open, locked.
        let isOnSo: Bool

        /// The setting that makes it so, or the opposite.
        func setting(_ isSo: Bool) -> Setting { isSo == isOnSo ? .on : .off }

        /// True if it is so now, also in part; nil if its state is no such thing.
        var isSo: Bool? { isSo(activator.state) }

        /// The same with another state.
        func isSo(_ state: JSONValue) -> Bool? {
            if case .boolean(let isOn) = state { return isOn == isOnSo }
            guard let level = state.asDouble, (0...1).contains(level) else { return nil }
            return isOnSo ? level > 0 : level < 1
        }
    }

    /// What the names of activators call the two ends of an ability.
    struct Ends {
        let so: Set<String>
        let not: Set<String>

        static let opening = Ends(so: ["open", "opened", "opening"], not: ["close", "closed", "closing"])
        static let raising = Ends(
            so: ["position", "height", "lift", "up", "raised"], not: ["down", "lowered"])
        static let arming = Ends(so: ["arm", "armed", "arming"], not: ["disarm", "disarmed"])
        static let locking = Ends(so: ["lock", "locked", "bolt", "bolted"], not: ["unlock", "unlocked"])
        /// Of all that have a word of their own for how they are. Most activators have none of them.
        static let worded = [opening, arming, locking].reduce(into: Set()) {
            $0.formUnion($1.so.union($1.not))
        }
    }

    private static let switches: Set<String> = ["on", "off", "switch", "power", "activate", "active"]
    private static let levels: Set<String> = ["brightness", "dimmer", "level", "intensity"]

    /// What opens and closes it. Blinds without such a word have a position, which is 1 when they are open,
    /// and valves let water through when they are on. Doors and the like need the word: a guess would leave
    /// them open.
    var opening: Ability? {
        if let ability = wordedOpening { return ability }
        if kind == .blind || isCoveringType {
            return ability(.raising)
        }
        return isValve ? onActivator.map { Ability(activator: $0, isOnSo: true) } : nil
    }

    /// What is called after opening or closing.
    var wordedOpening: Ability? { ability(.opening) }

    /// What arms an alarm.
    var arming: Ability? { ability(.arming) }

    /// What locks it. On a lock, "Activate" does not tell: with Hestia's own mock lock, true opens it. Nor
    /// does "Lock/Unlock".
    var locking: Ability? { ability(.locking) }

    /// What makes it brighter.
    var brightness: Activator? {
        guard !isLock, !isCovering, !isHeating else { return nil }
        return levelActivator
    }

    /// What makes it warmer.
    var warmth: Activator? { isHeating ? levelActivator : nil }

    var isCovering: Bool { kind == .blind }
    var isHeating: Bool { kind == .heating }

    /// True if it is on: its switch, or else its level. Nil if that cannot be told.
    package var isOn: Bool? {
        guard !isLock, !isCovering, !onlyTells, let activator = onActivator ?? levelActivator else {
            return nil
        }
        if case .boolean(let isOn) = activator.state { return isOn }
        return activator.state.asDouble.map { $0 > 0 }
    }

    var isValve: Bool { kind == .valve }
    /// True for what goes up and down, as the door of a garage does.
    var isGate: Bool { kind == .door || kind == .gate }

    /// Of a valve, whether it is open: water runs.
    var isRunning: Bool? { isValve ? opening?.isSo : nil }

    /// What a setting means here. A heating that has levels alone is not to go to the end of them when it is
    /// turned on: it goes to 20 °C, without a unit to the half, or stays where it is if that is warmer.
    func meant(by setting: Setting, _ activator: Activator, _ unit: StateUnit?) -> Setting {
        guard setting == .on, isHeating, activator.kind == .float else { return setting }
        let comfort = unit.flatMap { $0.isOfDegrees ? $0.level(of: $0.isFahrenheit ? 68 : 20) : nil } ?? 0.5
        let now = activator.state.asDouble ?? 0
        return .level(min(1, max(comfort, now)))
    }

    /// The activator for on and off: the main one, or the only one that is called so.
    var onActivator: Activator? {
        if let main, main.kind == .bool { return main }
        let switches = activators.filter {
            $0.kind == .bool && !ControlledDevice.switches.isDisjoint(with: SpokenName($0.name).words)
        }
        return switches.count == 1 ? switches[0] : nil
    }

    /// The activator for a level: the main one, the only one with levels, or the one that is called
    /// brightness or so. A colour is no level.
    var levelActivator: Activator? {
        let all = activators.filter { $0.kind == .float }
        if let main, main.kind == .float { return main }
        if all.count < 2 { return all.first }
        let named = all.filter { !ControlledDevice.levels.isDisjoint(with: SpokenName($0.name).words) }
        return named.count == 1 ? named[0] : nil
    }

    /// True if the activator's name may be one end of an ability that has a word of its own.
    func isWorded(_ activator: Activator) -> Bool {
        !Ends.worded.isDisjoint(with: ControlledDevice.words(of: activator))
    }

    private static func words(of activator: Activator) -> [String] {
        guard activator.kind == .bool || activator.kind == .float,
            activator.name.utf8.count <= SpokenLanguage.maximumByteCount
        else { return [] }
        return activatorNames[activator.name]
    }

    private static let activatorNames = RepeatedWords { SpokenText.tokens($0) }

    private func ability(_ ends: Ends) -> Ability? {
        let found = activators.compactMap { activator -> Ability? in
            let words = ControlledDevice.words(of: activator)
            switch (ends.so.isDisjoint(with: words), ends.not.isDisjoint(with: words)) {
            case (false, true): return Ability(activator: activator, isOnSo: true)
            case (true, false): return Ability(activator: activator, isOnSo: false)
            case (true, true), (false, false): return nil
            }
        }
        return found.count == 1 ? found[0] : nil
    }
}
