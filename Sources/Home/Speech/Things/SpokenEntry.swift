import Identity

/// One appliance with every word that can mean it: its name, its kind, its room and area, its activators.
struct SpokenEntry: Sendable {
    /// What can be set on it, with the phrases that name it: "lamp's dimmer", "dimmer lamp".
    struct Part: Sendable {
        let activator: Activator
        let word: SpokenName
        let names: [SpokenName]
    }

    let device: ControlledDevice
    let name: SpokenName
    /// The words for its type, as stems; the server's own comes first.
    let kinds: [[String]]
    private let room: [String]
    /// The names of its area: its own, and words such as "downstairs".
    private let areas: [[String]]
    /// The rooms and areas of the whole house, as stems.
    private let places: Set<[String]>
    let parts: [Part]

    /// - Parameters:
    ///   - home: its room; nil if it is in none.
    ///   - areas: what the area of that room is called, as stems.
    ///   - places: the rooms and areas of the whole house, as stems.
    init(
        _ device: ControlledDevice, in home: Room?, areas: [[String]], places: Set<[String]>,
        _ language: SpokenLanguage
    ) {
        let stems = { (text: String?) in text.map { SpokenName($0, language).stems } ?? [] }
        self.device = device
        (self.areas, self.places) = (areas, places)
        name = SpokenName(device.name, language)
        room = stems(home?.name)
        let type = SpokenEntry.words(ofType: device.type)
        let given = device.givenKind.map { [$0.rawValue] } ?? []
        kinds =
            [stems(type.joined(separator: " "))].filter { !$0.isEmpty } + given.map(stems)
            + (type.suffix(1) + given).flatMap { language.kinds[$0] ?? [] }
        parts = device.activators.compactMap { activator in
            let word = SpokenName(activator.name, language)
            // A name such as "On/Off" cannot be told from the order.
            guard !word.words.isEmpty, !word.words.contains(where: SpokenLanguage.english.isDecisive),
                !word.words.contains(where: language.isDecisive)
            else { return nil }
            let names = ["\(device.name) \(activator.name)", "\(activator.name) \(device.name)"]
            return Part(activator: activator, word: word, names: names.map { SpokenName($0, language) })
        }
    }

    /// The words of a type, in the singular: `DoorLock` is `door`, `lock`.
    private static func words(ofType type: String) -> [String] {
        var spaced = ""
        for character in type.prefix(100) {
            if character.isUppercase, spaced.last?.isLowercase == true { spaced.append(" ") }
            spaced.append(character)
        }
        return SpokenName(spaced).stems
    }

    /// True if the words end with the appliance's kind, and those before are in its name, or are its room or
    /// area: "hall light", "upstairs lights".
    func isOfKind(_ words: SpokenWords) -> Bool {
        let stems = words.head.stems
        return kinds.contains { kind in
            guard stems.suffix(kind.count) == kind[...] else { return false }
            return isIn(words.place.stems + stems.dropLast(kind.count))
        }
    }

    /// True if all the words are in the name, or all but its room and area.
    func isNamed(_ spoken: SpokenName, _ words: SpokenWords) -> Bool {
        if words.head.words.isEmpty { return isIn(spoken.stems) }
        if name.contains(spoken.units) { return isIn(words.place.stems) }
        // In its room, the name may leave the room out: "the reading lamp in the kitchen".
        return !words.place.words.isEmpty && isIn(words.place.stems) && name.contains(words.head.units)
    }

    /// True if the words are the appliance's room, its area or both, or are in its name. The name does not
    /// tell its place if it is known to stand in another room.
    func isIn(_ stems: [String]) -> Bool {
        if stems.isEmpty { return true }
        var rest = stems
        var isHome = false
        for place in [room] + areas where !place.isEmpty {
            guard let start = rest.indices.first(where: { rest[$0...].starts(with: place) }) else { continue }
            rest.removeSubrange(start..<(start + place.count))
            isHome = true
        }
        if isHome, rest.isEmpty { return true }
        if !isHome, !room.isEmpty, places.contains(stems) { return false }
        return name.contains(SpokenName.units(rest))
    }
}
