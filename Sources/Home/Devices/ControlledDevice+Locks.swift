/// Appliances that keep people, water or thieves out need more care than a lamp.
extension ControlledDevice {
    private static let locks: Set<String> = [
        "lock", "bolt", "door", "gate", "alarm", "siren", "valve", "safe", "window", "camera",
    ]
    private static let lights: Set<String> = ["light", "lamp", "bulb", "dimmer"]

    /// The words of its type, in the singular: `DoorLock` is `door`, `lock`.
    var kind: [String] {
        var spaced = ""
        for character in type.prefix(100) {
            if character.isUppercase, spaced.last?.isLowercase == true { spaced.append(" ") }
            spaced.append(character)
        }
        return SpokenName(spaced).stems
    }

    /// True if its type says that it is a lock or the like.
    var isLockByKind: Bool { !ControlledDevice.locks.isDisjoint(with: kind) }

    /// True if a word that is nearly its name is enough. Only lights: a mistake must not open, heat or start
    /// anything.
    var forgivesSlips: Bool { !isLock && kind.last.map(ControlledDevice.lights.contains) ?? false }

    /// True for a lock or the like. An order for all appliances does not mean it. A gate may be an appliance
    /// of the type `Switch`; then its name tells, in any language.
    package var isLock: Bool {
        if isLockByKind { return true }
        if let last = kind.last, ControlledDevice.lights.contains(last) { return false }
        let names = SpokenLanguage.all.map { ($0, SpokenName(name, $0).stems) }
        let isLight = names.contains { !$0.lightWords.isDisjoint(with: $1) }
        return !isLight
            && names.contains {
                !$0.lockWords.isDisjoint(with: $1) || $1.last == "garage" || $1.last == "garag"
            }
    }
}
