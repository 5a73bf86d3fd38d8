import Identity

/// The appliances of a hub, found by the words of a phrase.
struct SpokenHouse: Sendable {
    /// One appliance, and the activator if the words name one.
    struct Target: Equatable, Sendable {
        let device: ControlledDevice
        let activator: Activator?
    }

    /// The appliances that a phrase means.
    struct Found: Equatable, Sendable {
        var targets: [Target]
        /// The locks that "all" does not mean.
        var leftAlone: [ControlledDevice] = []
    }

    private struct Entry: Sendable {
        let device: ControlledDevice
        let name: SpokenName
        /// The words for its type, as stems; the server's own comes first.
        let kinds: [[String]]
        let room: [String]
        let area: [String]
        /// Each with the phrases that name it: "lamp's dimmer", "dimmer lamp".
        let activators: [(target: Target, word: SpokenName, names: [SpokenName])]

        var target: Target { Target(device: device, activator: nil) }
    }

    /// A phrase in the form that is compared with names.
    private struct Words {
        let head: SpokenName
        let place: SpokenName
        let whole: SpokenName

        /// - Parameter isEverything: only the place tells what is meant.
        /// - Parameters:
        ///   - areas: the areas; such a word needs no "in": "the lights upstairs".
        ///   - isEverything: only the place tells what is meant.
        init(
            _ phrase: SpokenPhrase, areas: Set<[String]>, _ language: SpokenLanguage,
            isEverything: Bool = false
        ) {
            var words = isEverything ? [] : phrase.words
            var place = phrase.place
            let mayBePlace = place.isEmpty && (words.count > 1 || phrase.isWhole)
            if mayBePlace, let last = words.last, let first = words.first {
                if areas.contains(SpokenName([last], language).stems) {
                    place = [words.removeLast()]
                } else if areas.contains(SpokenName([first], language).stems) {
                    place = [words.removeFirst()]
                }
            }
            (head, self.place) = (SpokenName(words, language), SpokenName(place, language))
            whole = place.isEmpty ? head : SpokenName(place + words, language)
        }
    }

    private let entries: [Entry]
    private let language: SpokenLanguage
    private let rooms: Set<[String]>
    private let areas: Set<[String]>
    /// Every word of a name. Such a word is never taken for a slip of another one.
    private let known: Set<String>
    /// The names with their punctuation.
    let tokens: [[String]]
    /// The same of the rooms and areas.
    private let places: [[String]]

    init(_ devices: [ControlledDevice], rooms: [Room] = [], _ language: SpokenLanguage = .english) {
        self.language = language
        let stems = { (text: String?) in text.map { SpokenName($0, language).stems } ?? [] }
        let homes = Dictionary(
            rooms.flatMap { room in room.devices.map { ($0, room) } }, uniquingKeysWith: { first, _ in first }
        )
        self.rooms = Set(rooms.map { stems($0.name) }).subtracting([[]])
        areas = Set(rooms.map { stems($0.area) }).subtracting([[]])
        entries = devices.map { device in
            let activators = device.activators.compactMap {
                activator -> (Target, SpokenName, [SpokenName])? in
                let word = SpokenName(activator.name, language)
                // A name such as "On/Off" cannot be told from the order.
                guard !word.words.isEmpty, !word.words.contains(where: SpokenLanguage.english.isDecisive),
                    !word.words.contains(where: language.isDecisive)
                else { return nil }
                let names = ["\(device.name) \(activator.name)", "\(activator.name) \(device.name)"]
                let target = Target(device: device, activator: activator)
                return (target, word, names.map { SpokenName($0, language) })
            }
            let synonyms = device.kind.last.flatMap { language.kinds[$0] } ?? []
            let home = homes[device.id]
            return Entry(
                device: device, name: SpokenName(device.name, language),
                kinds: [stems(device.kind.joined(separator: " "))].filter { !$0.isEmpty } + synonyms,
                room: stems(home?.name), area: stems(home?.area), activators: activators)
        }
        known = Set(
            entries.flatMap { $0.name.plain + $0.kinds.joined() + $0.activators.flatMap(\.word.plain) })
        places = rooms.flatMap { [$0.name, $0.area ?? ""] }.map(SpokenText.tokens).filter { !$0.isEmpty }
        tokens = devices.filter { $0.name.utf8.count <= SpokenLanguage.maximumByteCount }
            .map { SpokenText.tokens($0.name) }.filter { !$0.isEmpty }
    }

    /// Everything that `phrase` means.
    ///
    /// - Parameters:
    ///   - isFull: only a full name counts, because a number follows that may belong to the name.
    ///   - isAsking: nothing will be set, so that a lock need not be named in full.
    func find(_ phrase: SpokenPhrase, isFull: Bool, isAsking: Bool = false) throws(SpokenError) -> Found {
        switch phrase.quantity {
        case .one:
            do {
                return Found(targets: [try one(phrase, isFull: isFull, isAsking: isAsking)])
            } catch {
                guard !isFull else { throw error }
                if let targets = list(phrase) ?? several(phrase, isAsking: isAsking) {
                    return Found(targets: targets)
                }
                throw error
            }
        case .every: return try every(phrase, isAsking: isAsking)
        case .both:
            let found = try every(phrase, isAsking: isAsking)
            guard found.targets.count == 2 else {
                throw .notBoth(phrase.text, found.targets.map(\.device.name))
            }
            return found
        }
    }

    /// Those in a place that can become warmer or brighter: "it" in "make it warmer in the kitchen".
    func find(_ phrase: SpokenPhrase, for action: SpokenAction, isTemperature: Bool) throws(SpokenError)
        -> Found
    {
        let stems = SpokenName(phrase.place, language).stems
        let found = entries.filter { entry in
            guard isIn(entry, stems) else { return false }
            if isTemperature { return entry.device.warmth != nil }
            return switch action {
            case .warmer, .cooler: entry.device.warmth != nil
            case .brighter, .darker, .dim, .set(.level):
                entry.device.forgivesSlips && entry.device.brightness != nil
            default: false
            }
        }
        guard !found.isEmpty, !phrase.place.contains(where: { $0.isOne(of: .decisive) }) else {
            throw unknown(phrase)
        }
        return Found(targets: found.map(\.target))
    }

    /// The heatings of the room or area that a phrase names; nil if it names none, or it has none.
    func heatings(of phrase: SpokenPhrase) -> Found? {
        let stems = SpokenName(phrase.words, language).stems
        guard phrase.quantity == .one, phrase.place.isEmpty, rooms.contains(stems) || areas.contains(stems)
        else { return nil }
        let found = entries.filter { $0.device.warmth != nil && isIn($0, stems) }
        return found.isEmpty ? nil : Found(targets: found.map(\.target))
    }

    var devices: [ControlledDevice] { entries.map(\.device) }

    /// The words of all names of appliances, rooms and areas.
    var names: [[String]] { tokens + places }

    /// The appliances of a place, locks and all.
    func devices(in place: ArraySlice<SpokenWord>) throws(SpokenError) -> [ControlledDevice] {
        guard let words = SpokenPlace.name(place) else { throw .noThing }
        let stems = SpokenName(Array(words), language).stems
        let found = entries.filter { isIn($0, stems) }.map(\.device)
        guard !found.isEmpty else { throw .unknown(words.map(\.text).joined(separator: " "), near: []) }
        return found
    }

    /// "The lights in the kitchen": all of a kind, in the plural. Nil if a lock is among them.
    private func several(_ phrase: SpokenPhrase, isAsking: Bool) -> [Target]? {
        let words = words(phrase)
        guard phrase.leftOver == nil, isAsking || words.head.isPlural || isCollective(words), isPlace(words)
        else { return nil }
        let found = entries.filter { isOfKind($0, words) }
        guard !found.isEmpty, isAsking || !found.contains(where: \.device.isLock) else { return nil }
        return found.map(\.target)
    }

    /// True for "das Licht im Bad", which are all lights there. "Das Licht" alone is not clear.
    private func isCollective(_ words: Words) -> Bool {
        let stems = words.head.stems
        return stems.last.map(language.collectives.contains) == true
            && (stems.count > 1 || !words.place.words.isEmpty)
    }

    /// False for "in the lights": what is of a kind is no place.
    private func isPlace(_ words: Words) -> Bool {
        let place = words.place.stems
        return rooms.contains(place)
            || !entries.contains { $0.kinds.contains { $0.count == 1 && place.contains($0[0]) } }
    }

    private func words(_ phrase: SpokenPhrase, isEverything: Bool = false) -> Words {
        Words(phrase, areas: areas, language, isEverything: isEverything)
    }

    // MARK: one

    /// Compares from the strictest way to the most forgiving one. The first that fits anything decides, and
    /// must fit exactly one appliance.
    private func one(_ phrase: SpokenPhrase, isFull: Bool, isAsking: Bool = false) throws(SpokenError)
        -> Target
    {
        let said = SpokenName(phrase.said, language)
        if let target = try only(matching { $0.words == said.words }, phrase, mayBeLock: true) {
            return target
        }
        if let word = phrase.leftOver { throw .leftOver(word, in: phrase.text) }
        let words = words(phrase)
        guard isPlace(words) else { throw unknown(phrase) }
        let spoken = words.whole
        if isFull, numbered(spoken) { throw .nameOrLevel(phrase.text) }
        let units = spoken.units.sorted()
        // "The kitchen lights" are "Kitchen light" only if there is no other light in the kitchen.
        let isExact = words.place.words.isEmpty && !spoken.isPlural
        if isExact {
            if let target = try only(matching { $0.stems == spoken.stems }, phrase) { return target }
            if let target = try only(matching { $0.joined == spoken.joined }, phrase) { return target }
        }
        if !isFull {
            if isExact, let target = try only(matching { $0.units.sorted() == units }, phrase) {
                return target
            }
            // Who asks for "the shutter" means the one that is called so, and not every blind.
            let isOne = isAsking && !spoken.isPlural && !isCollective(words)
            let named = isOne ? entries.filter { isNamed($0, spoken, words) } : []
            if named.count == 1, let entry = named.first { return entry.target }
            if let target = try only(partly(words), phrase, mayBeLock: isAsking) { return target }
            if !isExact, let target = try only(matching { $0.joined == spoken.joined }, phrase) {
                return target
            }
            if words.place.words.isEmpty {
                let slips = matching { $0.isSlip(spoken, known: known, language) }
                if let first = slips.first, slips.count == 1, first.device.forgivesSlips { return first }
                if !slips.isEmpty { throw .unknown(phrase.text, near: names(slips)) }
            }
        }
        throw unknown(phrase)
    }

    /// The things of a list without commas; nil if one of them is unclear. "The lamp near the tv" is not a
    /// list: each thing must end like the appliance's name, or name its kind. Locks must be named one by one.
    private func list(_ phrase: SpokenPhrase) -> [Target]? {
        let things = SpokenPhrase.list(phrase.said[...])
        guard things.count > 1 else { return nil }
        var targets: [Target] = []
        for thing in things {
            guard let phrase = try? SpokenPhrase(thing), phrase.quantity == .one,
                let target = try? one(phrase, isFull: false), !target.device.isLock, target.activator == nil,
                let entry = entries.first(where: { $0.device == target.device })
            else { return nil }
            let words = words(phrase)
            let isNamed =
                words.head.stems.last == entry.name.stems.last && entry.name.contains(words.whole.units)
            guard isNamed || isOfKind(entry, words) else { return nil }
            targets.append(target)
        }
        return targets
    }

    /// The appliances with such a name; if there is none, the activators.
    private func matching(_ fits: (SpokenName) -> Bool) -> [Target] {
        let whole = entries.filter { !$0.name.words.isEmpty && fits($0.name) }.map(\.target)
        if !whole.isEmpty { return whole }
        return entries.flatMap(\.activators).filter { $0.names.contains(where: fits) }.map(\.target)
    }

    /// The only one of `targets`; nil if there is none. A lock is meant only by its full name.
    private func only(_ targets: [Target], _ phrase: SpokenPhrase, mayBeLock: Bool = false)
        throws(SpokenError) -> Target?
    {
        guard let first = targets.first else { return nil }
        guard targets.count == 1 else {
            let isPlural = SpokenName(phrase.words, language).isPlural
            throw .ambiguous(phrase.text, names(targets), all: isPlural ? "all \(phrase.text)" : nil)
        }
        guard mayBeLock || !first.device.isLock else {
            throw .unknown(phrase.text, near: [first.device.name])
        }
        return first
    }

    /// The appliances whose name holds all the words, or whose kind they name; if there is none, the
    /// activators.
    private func partly(_ words: Words) -> [Target] {
        let spoken = words.whole
        let whole = entries.filter { isNamed($0, spoken, words) || isOfKind($0, words) }.map(\.target)
        if !whole.isEmpty { return whole }
        return entries.flatMap(\.activators).filter { activator in
            spoken.contains(activator.word.units) && activator.names.contains { $0.contains(spoken.units) }
        }.map(\.target)
    }

    /// True if the words end with the appliance's kind, and those before are in its name, or are its room
    /// or area:
    /// "hall light", "upstairs lights".
    private func isOfKind(_ entry: Entry, _ words: Words) -> Bool {
        let stems = words.head.stems
        return entry.kinds.contains { kind in
            guard stems.suffix(kind.count) == kind[...] else { return false }
            return isIn(entry, words.place.stems + stems.dropLast(kind.count))
        }
    }

    /// True if all the words are in the name, or all but its room and area.
    private func isNamed(_ entry: Entry, _ spoken: SpokenName, _ words: Words) -> Bool {
        if words.head.words.isEmpty { return isIn(entry, spoken.stems) }
        if entry.name.contains(spoken.units) { return isIn(entry, words.place.stems) }
        // In its room, the name may leave the room out: "the reading lamp in the kitchen".
        return !words.place.words.isEmpty && isIn(entry, words.place.stems)
            && entry.name.contains(words.head.units)
    }

    /// True if the words are the appliance's room, its area or both, or are in its name. The name does not
    /// tell its place if it is known to stand in another room.
    private func isIn(_ entry: Entry, _ stems: [String]) -> Bool {
        if stems.isEmpty { return true }
        var rest = stems
        var isHome = false
        for place in [entry.room, entry.area] where !place.isEmpty {
            guard let start = rest.indices.first(where: { rest[$0...].starts(with: place) }) else { continue }
            rest.removeSubrange(start..<(start + place.count))
            isHome = true
        }
        if isHome, rest.isEmpty { return true }
        if !isHome, !entry.room.isEmpty, rooms.contains(stems) || areas.contains(stems) { return false }
        return entry.name.contains(SpokenName.units(rest))
    }

    /// True if there are appliances of that name with a number: then a number after it may be part of a name.
    private func numbered(_ spoken: SpokenName) -> Bool {
        entries.contains { entry in
            entry.name.stems.dropLast() == spoken.stems[...]
                && entry.name.stems.last.map(SpokenName.isNumber) ?? false
        }
    }

    // MARK: all

    private func every(_ phrase: SpokenPhrase, isAsking: Bool) throws(SpokenError) -> Found {
        if let word = phrase.leftOver { throw .leftOver(word, in: phrase.text) }
        // "All switch off": it may be a verb.
        if let verb = phrase.words.first(where: \.isVerb) { throw .leftOver(verb.text, in: phrase.text) }
        let found = Result { () throws(SpokenError) in try every(phrase, words(phrase), isAsking: isAsking) }
        guard phrase.quantity == .every, phrase.words.count == 1, phrase.words[0].isOne(of: .device) else {
            return try found.get()
        }
        // "All devices" means everything, unless appliances have that word in their names.
        let whole = try every(phrase, words(phrase, isEverything: true), isAsking: isAsking)
        if case .success(let some) = found, some != whole { throw .twoMeanings(phrase.text) }
        return whole
    }

    private func every(_ phrase: SpokenPhrase, _ words: Words, isAsking: Bool) throws(SpokenError) -> Found {
        let spoken = words.whole
        guard isPlace(words), !phrase.isAlone || words.head.words.isEmpty else { throw unknown(phrase) }
        var found = Found(targets: [])
        for entry in entries {
            let isOfKind = isOfKind(entry, words)
            guard isOfKind || spoken.words.isEmpty || isNamed(entry, spoken, words) else { continue }
            // "Everything off" must not open a door or stop the heating. A lock is set only by its name.
            if !isAsking, entry.device.staysOutOfEverything, !isOfKind || entry.device.isLock {
                found.leftAlone.append(entry.device)
            } else if !words.head.words.isEmpty || entry.device.canBeSwitched {
                found.targets.append(entry.target)
            }
        }
        if found.targets.isEmpty, !spoken.words.isEmpty {
            let locks = found.leftAlone.map(\.name)
            throw locks.isEmpty ? unknown(phrase) : .unknown(phrase.text, near: Array(locks.prefix(3)))
        }
        return found
    }

    private func unknown(_ phrase: SpokenPhrase) -> SpokenError {
        let words = (phrase.place + phrase.words).map(\.text).joined(separator: " ")
        return .unknown(
            phrase.text, near: Orthography.suggestions(for: words, among: entries.map(\.device.name)))
    }

    private func names(_ targets: [Target]) -> [String] { targets.map(\.device.name) }
}
