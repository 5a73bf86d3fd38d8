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

    private var entries: [SpokenEntry]
    let language: SpokenLanguage
    private let rooms: Set<[String]>
    private let areas: Set<[String]>
    /// Every word of a name. Such a word is never taken for a slip of another one.
    private let known: Set<String>
    /// The names with their punctuation.
    let tokens: [[String]]
    /// The same of the rooms and areas.
    let places: [[String]]

    init(_ devices: [ControlledDevice], rooms: [Room] = [], _ language: SpokenLanguage = .english) {
        self.language = language
        let stems = { (text: String?) in text.map { SpokenName($0, language).stems } ?? [] }
        let homes = Dictionary(
            rooms.flatMap { room in room.devices.map { ($0, room) } }, uniquingKeysWith: { first, _ in first }
        )
        self.rooms = Set(rooms.map { stems($0.name) }).subtracting([[]])
        let own = Set(rooms.map { stems($0.area) }).subtracting([[]])
        // "Downstairs" in a house that has a ground floor; only if one area is meant.
        let aliases = language.areas.filter { !own.contains($0.key) && own.intersection($0.value).count == 1 }
        areas = own.union(aliases.keys)
        let every = self.rooms.union(areas)
        entries = devices.map { device in
            let home = homes[device.id]
            let area = stems(home?.area)
            let names = [area] + aliases.filter { $0.value.contains(area) }.keys
            return SpokenEntry(device, in: home, areas: names.filter { !$0.isEmpty }, places: every, language)
        }
        known = Set(
            entries.flatMap { $0.name.plain + $0.kinds.joined() + $0.parts.flatMap(\.word.plain) })
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
            var found = try every(phrase, isAsking: isAsking)
            // "Both heatings", besides a heater: the words for a type are other types' words, too.
            let strict = found.targets.filter { isOfOwnKind($0.device, words(phrase)) }
            if strict.count == 2 { found.targets = strict }
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
            guard entry.isIn(stems) else { return false }
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

    /// What stands in the room or area that a phrase names; nil if it names none, or it is empty.
    func contents(of phrase: SpokenPhrase) -> [ControlledDevice]? {
        let stems = place(phrase)
        guard phrase.quantity == .one, phrase.place.isEmpty, rooms.contains(stems) || areas.contains(stems)
        else { return nil }
        let found = entries.filter { $0.isIn(stems) }
        return found.isEmpty ? nil : found.map(\.device)
    }

    /// The words of a phrase as those of a place: "the whole kitchen" is the kitchen.
    private func place(_ phrase: SpokenPhrase) -> [String] {
        let isWhole =
            phrase.words.count > 1 && phrase.words.first.map { language.wholes.contains($0.text) } == true
        return SpokenName(isWhole ? Array(phrase.words.dropFirst()) : phrase.words, language).stems
    }

    /// "The kitchen off" is "everything off in the kitchen"; nil for no place, or where an appliance is
    /// called so.
    func everything(in phrase: SpokenPhrase) -> Found? {
        let stems = place(phrase)
        guard let contents = contents(of: phrase), !entries.contains(where: { $0.name.stems == stems }) else {
            return nil
        }
        let (left, other) = (
            contents.filter(\.staysOutOfEverything), contents.filter { !$0.staysOutOfEverything }
        )
        let targets = other.filter(\.canBeSwitched).map { Target(device: $0, activator: nil) }
        return targets.isEmpty ? nil : Found(targets: targets, leftAlone: left)
    }

    /// "All doors", "everything" of an order to lock: what has a lock; and "the door", if only one has. Nil
    /// where
    /// nothing has.
    func locks(of phrase: SpokenPhrase) -> Found? {
        let words = words(phrase)
        guard phrase.leftOver == nil else { return nil }
        let found = entries.filter { entry in
            guard entry.device.locking != nil else { return false }
            return words.head.words.isEmpty ? entry.isIn(words.place.stems) : entry.isOfKind(words)
        }
        let isOne = phrase.quantity == .one && !words.head.isPlural
        guard !found.isEmpty, !isOne || found.count == 1, phrase.quantity != .both || found.count == 2 else {
            return nil
        }
        return Found(targets: found.map(\.target))
    }

    /// "The kitchen and hall lamps" are the lamps of both.
    func spread(_ order: SpokenOrder) throws(SpokenError) -> SpokenOrder {
        guard !order.things.isEmpty, order.readings.count == 1, let last = order.readings.first?.thing,
            let kind = last.words.last, last.quantity == .one, last.place.isEmpty,
            SpokenName([kind], language).isPlural,
            rooms.contains(SpokenName(Array(last.words.dropLast()), language).stems),
            order.things.allSatisfy({ contents(of: $0) != nil })
        else { return order }
        var things: [SpokenPhrase] = []
        for thing in order.things { things.append(try SpokenPhrase(thing.words + [kind])) }
        return SpokenOrder(verb: order.verb, things: things, readings: order.readings)
    }

    /// The heatings of the room or area that a phrase names; nil if it names none, or it has none.
    func heatings(of phrase: SpokenPhrase) -> Found? {
        let found = (contents(of: phrase) ?? []).filter { $0.warmth != nil }
        return found.isEmpty ? nil : Found(targets: found.map { Target(device: $0, activator: nil) })
    }

    var devices: [ControlledDevice] { entries.map(\.device) }

    /// The same house as if there were only these appliances.
    func restricted(to devices: [ControlledDevice]) -> SpokenHouse {
        var house = self
        let ids = Set(devices.map(\.id))
        house.entries.removeAll { !ids.contains($0.device.id) }
        return house
    }

    /// The words of all names of appliances, rooms and areas.
    var names: [[String]] { tokens + places }

    /// The appliances of a place, locks and all.
    func devices(in place: ArraySlice<SpokenWord>) throws(SpokenError) -> [ControlledDevice] {
        guard let words = SpokenPlace.name(place) else { throw .noThing }
        let stems = SpokenName(Array(words), language).stems
        let found = entries.filter { $0.isIn(stems) }.map(\.device)
        guard !found.isEmpty else { throw .unknown(words.map(\.text).joined(separator: " "), near: []) }
        return found
    }

    /// "The lights in the kitchen": all of a kind, in the plural. Nil if a lock is among them.
    private func several(_ phrase: SpokenPhrase, isAsking: Bool) -> [Target]? {
        let words = words(phrase)
        guard phrase.leftOver == nil, isAsking || words.head.isPlural || isCollective(words), isPlace(words)
        else { return nil }
        let found = entries.filter { $0.isOfKind(words) }
        guard !found.isEmpty, isAsking || !found.contains(where: \.device.isLock) else { return nil }
        return found.map(\.target)
    }

    /// True for "das Licht im Bad", which are all lights there. "Das Licht" alone is not clear.
    private func isCollective(_ words: SpokenWords) -> Bool {
        let stems = words.head.stems
        return stems.last.map(language.collectives.contains) == true
            && (stems.count > 1 || !words.place.words.isEmpty)
    }

    private func isOfOwnKind(_ device: ControlledDevice, _ words: SpokenWords) -> Bool {
        guard let entry = entries.first(where: { $0.device == device }) else { return false }
        return entry.kinds.first?.last == words.head.stems.last
    }

    /// True if the last word is another word for the type of appliances, and no type of the server's own.
    private func isSynonym(_ words: SpokenWords) -> Bool {
        guard let last = words.head.stems.last else { return false }
        return !entries.contains { $0.kinds.first?.last == last }
    }

    /// False for "in the lights": what is of a kind is no place.
    private func isPlace(_ words: SpokenWords) -> Bool {
        let place = words.place.stems
        return rooms.contains(place)
            || !entries.contains { $0.kinds.contains { $0.count == 1 && place.contains($0[0]) } }
    }

    private func words(_ phrase: SpokenPhrase, isEverything: Bool = false) -> SpokenWords {
        SpokenWords(phrase, areas: areas, language, isEverything: isEverything)
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
            // "The shutter" means the one that is called so, and not every blind.
            let isOne = (isAsking || isSynonym(words)) && !spoken.isPlural && !isCollective(words)
            let named = isOne ? entries.filter { $0.isNamed(spoken, words) } : []
            if named.count == 1, let entry = named.first, isAsking || !entry.device.isLock {
                return entry.target
            }
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
            guard isNamed || entry.isOfKind(words) else { return nil }
            targets.append(target)
        }
        return targets
    }

    /// The appliances with such a name; if there is none, the activators.
    private func matching(_ fits: (SpokenName) -> Bool) -> [Target] {
        let whole = entries.filter { !$0.name.words.isEmpty && fits($0.name) }.map(\.target)
        if !whole.isEmpty { return whole }
        return parts { $0.names.contains(where: fits) }
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
    private func partly(_ words: SpokenWords) -> [Target] {
        let spoken = words.whole
        let whole = entries.filter { $0.isNamed(spoken, words) || $0.isOfKind(words) }.map(\.target)
        if !whole.isEmpty { return whole }
        return parts { part in
            spoken.contains(part.word.units) && part.names.contains { $0.contains(spoken.units) }
        }
    }

    /// The activators that fit.
    private func parts(_ fits: (SpokenEntry.Part) -> Bool) -> [Target] {
        entries.flatMap { entry in
            entry.parts.filter(fits).map { Target(device: entry.device, activator: $0.activator) }
        }
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

    private func every(_ phrase: SpokenPhrase, _ words: SpokenWords, isAsking: Bool) throws(SpokenError)
        -> Found
    {
        let spoken = words.whole
        guard isPlace(words), !phrase.isAlone || words.head.words.isEmpty else { throw unknown(phrase) }
        var found = Found(targets: [])
        for entry in entries {
            let isOfKind = entry.isOfKind(words)
            guard isOfKind || spoken.words.isEmpty || entry.isNamed(spoken, words) else { continue }
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

extension SpokenEntry {
    fileprivate var target: SpokenHouse.Target { SpokenHouse.Target(device: device, activator: nil) }
}
