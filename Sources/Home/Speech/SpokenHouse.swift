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
        let kind: [String]
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
        init(_ phrase: SpokenPhrase, isEverything: Bool = false) {
            let words = isEverything ? [] : phrase.words
            (head, place) = (SpokenName(words), SpokenName(phrase.place))
            whole = place.words.isEmpty ? head : SpokenName(phrase.place + words)
        }
    }

    private let entries: [Entry]
    /// Every word of a name. Such a word is never taken for a slip of another one.
    private let known: Set<String>
    /// The names with their punctuation.
    let tokens: [[String]]

    init(_ devices: [ControlledDevice]) {
        entries = devices.map { device in
            let activators = device.activators.compactMap {
                activator -> (Target, SpokenName, [SpokenName])? in
                let word = SpokenName(activator.name)
                // A name such as "On/Off" cannot be told from the order.
                guard !word.words.isEmpty, SpokenVocabulary.decisive.isDisjoint(with: word.words) else {
                    return nil
                }
                let names = ["\(device.name) \(activator.name)", "\(activator.name) \(device.name)"]
                let target = Target(device: device, activator: activator)
                return (target, word, names.map { SpokenName($0) })
            }
            return Entry(
                device: device, name: SpokenName(device.name), kind: device.kind, activators: activators)
        }
        known = Set(entries.flatMap { $0.name.plain + $0.kind + $0.activators.flatMap(\.word.plain) })
        tokens = devices.filter { $0.name.utf8.count <= SpokenVocabulary.maximumByteCount }
            .map { SpokenText.tokens($0.name) }.filter { !$0.isEmpty }
    }

    /// Everything that `phrase` means.
    ///
    /// - Parameter isFull: only a full name counts, because a number follows that may belong to the name.
    func find(_ phrase: SpokenPhrase, isFull: Bool) throws(SpokenError) -> Found {
        switch phrase.quantity {
        case .one:
            do {
                return Found(targets: [try one(phrase, isFull: isFull)])
            } catch {
                guard !isFull, let targets = list(phrase) else { throw error }
                return Found(targets: targets)
            }
        case .every: return try every(phrase)
        case .both:
            let found = try every(phrase)
            guard found.targets.count == 2 else {
                throw .notBoth(phrase.text, found.targets.map(\.device.name))
            }
            return found
        }
    }

    // MARK: one

    /// Compares from the strictest way to the most forgiving one. The first that fits anything decides, and
    /// must fit exactly one appliance.
    private func one(_ phrase: SpokenPhrase, isFull: Bool) throws(SpokenError) -> Target {
        let said = SpokenName(phrase.said)
        if let target = try only(matching { $0.words == said.words }, phrase, mayBeLock: true) {
            return target
        }
        if let word = phrase.leftOver { throw .leftOver(word, in: phrase.text) }
        let words = Words(phrase)
        let spoken = words.whole
        if isFull, numbered(spoken) { throw .nameOrLevel(phrase.text) }
        let units = spoken.units.sorted()
        // "The kitchen lights" are "Kitchen light" only if there is no other light in the kitchen.
        let isExact = phrase.place.isEmpty && !spoken.isPlural
        if isExact || isFull {
            if let target = try only(matching { $0.stems == spoken.stems }, phrase) { return target }
            if let target = try only(matching { $0.joined == spoken.joined }, phrase) { return target }
        }
        if !isFull {
            if isExact, let target = try only(matching { $0.units.sorted() == units }, phrase) {
                return target
            }
            let isKind = entries.contains { $0.kind == spoken.stems && $0.device.isLockByKind }
            if let target = try only(partly(words), phrase, mayBeLock: isKind) { return target }
            if !isExact, let target = try only(matching { $0.joined == spoken.joined }, phrase) {
                return target
            }
            if phrase.place.isEmpty {
                let slips = matching { $0.isSlip(spoken, known: known) }
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
            let words = Words(phrase)
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
            let isPlural = SpokenName(phrase.words).isPlural
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
        let whole = entries.filter { $0.name.contains(spoken.units) || isOfKind($0, words) }.map(\.target)
        if !whole.isEmpty { return whole }
        return entries.flatMap(\.activators).filter { activator in
            spoken.contains(activator.word.units) && activator.names.contains { $0.contains(spoken.units) }
        }.map(\.target)
    }

    /// True if the words end with the appliance's kind, and those before are in its name: "hall light".
    private func isOfKind(_ entry: Entry, _ words: Words) -> Bool {
        let stems = words.head.stems
        guard !entry.kind.isEmpty, stems.suffix(entry.kind.count) == entry.kind[...] else { return false }
        let rest = words.place.stems + stems.dropLast(entry.kind.count)
        return rest.isEmpty || entry.name.contains(SpokenName.units(rest))
    }

    /// True if there are appliances of that name with a number: then a number after it may be part of a name.
    private func numbered(_ spoken: SpokenName) -> Bool {
        entries.contains { entry in
            entry.name.stems.dropLast() == spoken.stems[...]
                && entry.name.stems.last.map(SpokenName.isNumber) ?? false
        }
    }

    // MARK: all

    private func every(_ phrase: SpokenPhrase) throws(SpokenError) -> Found {
        if let word = phrase.leftOver { throw .leftOver(word, in: phrase.text) }
        let found = Result { () throws(SpokenError) in try every(phrase, Words(phrase)) }
        guard phrase.quantity == .every, phrase.words.count == 1,
            phrase.words[0].isOne(of: SpokenVocabulary.devices)
        else { return try found.get() }
        // "All devices" means everything, unless appliances have that word in their names.
        let whole = try every(phrase, Words(phrase, isEverything: true))
        if case .success(let some) = found, some != whole { throw .twoMeanings(phrase.text) }
        return whole
    }

    private func every(_ phrase: SpokenPhrase, _ words: Words) throws(SpokenError) -> Found {
        let spoken = words.whole
        var found = Found(targets: [])
        for entry in entries {
            let isOfKind = isOfKind(entry, words)
            guard isOfKind || spoken.words.isEmpty || entry.name.contains(spoken.units) else { continue }
            // "Everything off" must not open a door: a lock is switched only by its name or kind.
            if entry.device.isLock, !(isOfKind && entry.device.isLockByKind) {
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
