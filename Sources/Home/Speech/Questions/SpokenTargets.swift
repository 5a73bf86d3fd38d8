import Identity

/// Turns a sentence into orders. All of it must be understood, and in one way only, before anything is sent:
/// a sentence is never carried out in part.
package struct SpokenTargets: Sendable {
    /// What a sentence means.
    package enum Meaning: Equatable, Sendable {
        case orders(UnderstoodOrders)
        /// The scene of this name is to be run.
        case scene(String)
        case answer(SpokenAnswer)
    }

    /// The appliances that can be meant.
    package let devices: [ControlledDevice]
    private let rooms: [Room]
    private let scenes: [String]
    private let units: StateUnits
    private let houses: [(language: SpokenLanguage, house: SpokenHouse)]

    /// - Parameters:
    ///   - rooms: the rooms of the house. A room is also found by the names of its appliances.
    ///   - scenes: the names of the scenes.
    ///   - units: what the levels of some appliances count.
    ///   - language: of the sentences; English is always understood as well.
    package init(
        devices: [ControlledDevice], rooms: [Room] = [], scenes: [String] = [],
        units: StateUnits = StateUnits(), language: SpokenLanguage = .english
    ) {
        self.devices = devices
        (self.rooms, self.scenes) = (rooms, scenes)
        self.units = units
        let languages = language.code == SpokenLanguage.english.code ? [language] : [language, .english]
        houses = languages.map { ($0, SpokenHouse(devices, rooms: rooms, $0)) }
    }

    /// What the sentence means: as it is, or else with a colour at its end.
    package func meaning(of text: String) throws -> Meaning {
        do {
            return try plainMeaning(of: text)
        } catch {
            guard let colour = SpokenColour(text) else { throw error }
            do {
                return try meaning(of: colour)
            } catch {
                // "The light in the living room" may be the only one there that has colours.
                let coloured = devices.filter { device in
                    (try? SaidSetting.colour(colour.colour).activator(of: device, units)) != nil
                }
                let those = SpokenTargets(
                    devices: coloured, rooms: rooms, units: units,
                    language: houses.first?.language ?? .english)
                guard let meaning = try? those.meaning(of: colour) else { throw error }
                return meaning
            }
        }
    }

    private func meaning(of colour: SpokenColour) throws -> Meaning {
        guard case .orders(var understood) = try plainMeaning(of: colour.order) else {
            throw SpokenError.noSetting(colour.order)
        }
        understood.orders = try colour.orders(understood, of: devices, units)
        return .orders(understood)
    }

    /// What it means in one of the languages. If it means different things in two, it is refused.
    private func plainMeaning(of text: String) throws -> Meaning {
        var meanings: [Meaning] = []
        var refusal: (any Error)?
        for (language, house) in houses {
            do {
                let names = house.names + scenes.map(SpokenText.tokens)
                let sentence = try SpokenSentence(text, language).rewritten(sparing: names)
                    .repeatingPlaces(house.places)
                let meaning = try meaning(of: sentence, in: house)
                if !meanings.contains(meaning) { meanings.append(meaning) }
            } catch {
                if let meaning = SpokenIdiom.plain(text, language).flatMap({ plain in
                    let names = house.names + scenes.map(SpokenText.tokens)
                    let sentence = try? SpokenSentence(plain, language).rewritten(sparing: names)
                    let meaning = sentence.flatMap { try? self.meaning(of: $0, in: house) }
                    return meaning.flatMap { mayMean($0, plain) ? $0 : nil }
                }) {
                    if !meanings.contains(meaning) { meanings.append(meaning) }
                    continue
                }
                // The refusal in the chosen language says more.
                refusal = refusal ?? error
            }
        }
        guard let first = meanings.first else { throw refusal ?? SpokenError.empty }
        guard meanings.count == 1 else { throw SpokenError.twoMeanings(text) }
        return first
    }

    /// False for what an idiom must not do: open or unlock something, or start what is no scene.
    private func mayMean(_ meaning: Meaning, _ plain: String) -> Bool {
        guard case .orders(let understood) = meaning else { return true }
        let opens = understood.orders.contains { order in
            devices.first { $0.id == order.device }?.asksFirst(order.activator, order.state) ?? true
        }
        return !opens && !["run ", "starte "].contains(where: plain.hasPrefix)
    }

    private func meaning(of sentence: SpokenSentence, in house: SpokenHouse) throws -> Meaning {
        let orders = Result { try self.orders(of: sentence, in: house) }
        if let scene = SpokenScenes(scenes).scene(in: sentence) {
            if case .success = orders { throw SpokenError.twoMeanings(scene) }
            return .scene(scene)
        }
        if case .failure(SpokenError.question) = orders {
            return .answer(try SpokenQuestions(house: house, units: units).answer(to: sentence))
        }
        let understood = try orders.get()
        // "Leave the lights on" is about those that are on.
        let isKeeping = sentence.words.contains { !$0.isName && ["leave", "keep"].contains($0.text) }
        guard !isKeeping || understood.orders.count == 1 else { throw SpokenError.twoMeanings(sentence.text) }
        return .orders(understood)
    }

    /// The orders of the sentence, all of them or an error.
    package func orders(of sentence: SpokenSentence) throws -> UnderstoodOrders {
        let house = houses.first { $0.language.code == sentence.language.code }?.house
        return try orders(of: sentence, in: house ?? SpokenHouse(devices, sentence.language))
    }

    private func orders(of sentence: SpokenSentence, in house: SpokenHouse) throws -> UnderstoodOrders {
        let plain = Result { try understand(sentence, in: house) }
        guard let marked = sentence.marking(house.tokens) else { return try plain.get() }
        let other: UnderstoodOrders
        do {
            other = try understand(marked, in: house)
        } catch SpokenError.question {
            // Names aside it asks something: nothing is done.
            throw SpokenError.question
        } catch {
            return try plain.get()
        }
        if case .success(let one) = plain, one != other {
            throw SpokenError.twoMeanings(sentence.text)
        }
        return other
    }

    /// The appliances of a type, in upper or lower case, singular or plural.
    package func devices(ofType type: String) throws(SelectionError) -> [ControlledDevice] {
        let words = SpokenName(type).stems
        let found = devices.filter {
            $0.type == type || !words.isEmpty && SpokenName($0.type).stems == words
        }
        guard found.isEmpty else { return found }
        let types = Array(Set(devices.map(\.type))).sorted()
        let near = Orthography.suggestions(for: type, among: types)
        throw .unknown(
            type, kind: "type of appliance", near: near, all: near.isEmpty ? Array(types.prefix(8)) : [])
    }

    private func understand(_ sentence: SpokenSentence, in house: SpokenHouse) throws -> UnderstoodOrders {
        let readings = try SpokenException.readings(of: sentence)
        guard !readings.isEmpty else {
            return try orders(SpokenGrammar(sentence), in: house).understood
        }
        var meanings: [UnderstoodOrders] = []
        var refusal: (any Error)?
        for reading in readings {
            do {
                let meaning = try understand(reading, in: house)
                if !meanings.contains(meaning) { meanings.append(meaning) }
            } catch {
                refusal = refusal ?? error
            }
        }
        guard let first = meanings.first else { throw refusal ?? SpokenError.noThing }
        guard meanings.count == 1 else { throw SpokenError.twoMeanings(sentence.text) }
        return first
    }

    /// The order without what it leaves out, all of which must be among what it sets.
    private func understand(_ reading: SpokenException, in house: SpokenHouse) throws -> UnderstoodOrders {
        let grammar = try SpokenGrammar(reading.order)
        // Of two orders it is not known to which one the exception belongs.
        guard grammar.orders.count == 1 else { throw SpokenError.twoMeanings(reading.order.text) }
        let whole = try orders(grammar, in: house)
        var understood = whole.understood
        for thing in reading.things {
            let left = try leftOut(thing, of: whole.meant, in: house)
            guard left.contains(where: whole.meant.contains) else {
                throw SpokenError.notAmong(left.first?.name ?? thing.map(\.text).joined(separator: " "))
            }
            understood.leaveOut(left)
        }
        guard !understood.orders.isEmpty else { throw SpokenError.nothingLeft }
        return understood
    }

    /// The appliances that words after "except" mean: by name, or by their place.
    private func leftOut(
        _ words: [SpokenWord], of meant: [ControlledDevice], in house: SpokenHouse
    ) throws(SpokenError) -> [ControlledDevice] {
        var plain = words[...].withoutArticles
        if plain.count > 1, let first = plain.first, house.language.standIns.contains(first.text) {
            plain = plain.dropFirst()
        }
        if plain.count > 1, let last = plain.last, house.language.standIns.contains(last.text) {
            plain = plain.dropLast()
        }
        if plain.first?.isOne(of: [.place, .adverb]) == true { return try house.devices(in: plain) }
        let phrase = try SpokenPhrase(Array(plain))
        do throws(SpokenError) {
            return try devices(of: phrase, in: house)
        } catch {
            if let contents = house.contents(of: phrase) { return contents }
            // "Everything off in the hall except the lamp": the one there.
            guard case .ambiguous = error else { throw error }
            return try devices(of: phrase, in: house.restricted(to: meant))
        }
    }

    private func devices(of phrase: SpokenPhrase, in house: SpokenHouse) throws(SpokenError)
        -> [ControlledDevice]
    {
        let found = try house.find(phrase, isFull: false)
        // A part of an appliance cannot be left out: the order may set the other parts.
        guard !found.targets.contains(where: { $0.activator != nil }) else { throw .notAmong(phrase.text) }
        return found.targets.map(\.device) + found.leftAlone
    }

    private func orders(_ grammar: SpokenGrammar, in house: SpokenHouse) throws -> OrdersOfSentence {
        var orders = OrdersOfSentence(units)
        let spoken = try grammar.orders.map(house.spread)
        for order in spoken {
            // "Close the blinds and turn on the lamp in the living room": the blinds there.
            let last = (grammar.sharePlace ? spoken.last : order)?.readings.first?.thing.spoken ?? []
            let place = SpokenPlace.index(in: last[...]).map { Array(last[$0...]) } ?? []
            // "The kitchen and the hall off"; but "the kitchen and hall lamps" are lamps.
            let isOfPlaces = (order.things + order.readings.map(\.thing)).allSatisfy {
                house.contents(of: $0) != nil
            }
            for thing in order.things {
                guard let reading = order.readings.first else { continue }
                let found = try find(thing, reading, isOfPlaces: isOfPlaces, near: place, in: house)
                try orders.add(found, reading, verb: order.verb)
            }
            let (found, reading) = try onlyMeaning(
                of: order.readings, isOfPlaces: isOfPlaces, near: place, in: house)
            try orders.add(found, reading, verb: order.verb)
        }
        return orders
    }

    /// Of several that words without a place mean, those in a place that is said for others, if some are.
    private func find(
        _ thing: SpokenPhrase, _ reading: SpokenOrder.Reading, isOfPlaces: Bool, near place: [SpokenWord],
        in house: SpokenHouse
    ) throws(SpokenError) -> SpokenHouse.Found {
        let (isFull, isMany) = (reading.isBare && thing == reading.thing, thing.quantity != .one)
        let isThere = place.isEmpty || !thing.place.isEmpty || thing.words.first?.isOne(of: .pronoun) == true
        var near: SpokenHouse.Found?
        if !isFull, !isMany, !isOfPlaces, !isThere, let moved = try? SpokenPhrase(thing.spoken + place) {
            near = try? find(moved, reading, isFull: false, isOfPlaces: false, in: house)
        }
        do throws(SpokenError) {
            let found = try find(thing, reading, isFull: isFull, isOfPlaces: isOfPlaces, in: house)
            return found.targets.count > 1 ? near ?? found : found
        } catch {
            guard let near else { throw error }
            return near
        }
    }

    private func find(
        _ thing: SpokenPhrase, _ reading: SpokenOrder.Reading, isFull: Bool, isOfPlaces: Bool,
        in house: SpokenHouse
    ) throws(SpokenError) -> SpokenHouse.Found {
        if isOfPlaces, reading.action == .off, let found = house.everything(in: thing) { return found }
        if reading.action == .lock, let found = house.locks(of: thing) { return found }
        let isTemperature = reading.amount?.isTemperature == true
        let isLight = reading.action.isLevel || reading.action == .dim
        guard thing.isPronoun, isTemperature || isLight || [.warmer, .cooler].contains(reading.action) else {
            do throws(SpokenError) {
                return try house.find(thing, isFull: isFull)
            } catch {
                // "The living room to 21 degrees", "the living room warmer" is its heating.
                var isOfHeatings = isTemperature || [.warmer, .cooler].contains(reading.action)
                if case .degrees = reading.shift { isOfHeatings = true }
                guard isOfHeatings, let found = house.heatings(of: thing) else { throw error }
                return found
            }
        }
        return try house.find(thing, for: reading.action, isTemperature: isTemperature)
    }

    /// The only reading that finds its thing. If several do, the setting is not clear.
    private func onlyMeaning(
        of readings: [SpokenOrder.Reading], isOfPlaces: Bool, near place: [SpokenWord], in house: SpokenHouse
    ) throws(SpokenError) -> (SpokenHouse.Found, SpokenOrder.Reading) {
        var meanings: [(SpokenHouse.Found, SpokenOrder.Reading)] = []
        var refusal: SpokenError?
        for reading in readings {
            do {
                let found = try find(
                    reading.thing, reading, isOfPlaces: isOfPlaces, near: place, in: house)
                let isSame = meanings.contains {
                    $0.0 == found && $0.1.action == reading.action && $0.1.amount == reading.amount
                        && $0.1.shift == reading.shift
                }
                if !isSame { meanings.append((found, reading)) }
            } catch {
                refusal = refusal ?? error
            }
        }
        guard let first = meanings.first else { throw refusal ?? .noThing }
        guard meanings.count == 1 else { throw .twoMeanings(first.1.thing.text) }
        return first
    }
}

/// Scenes by their names: in one of the forms of the language, as `run NAME`.
///
///     name = [ article ] [ "scene" ] name [ "scene" ]
///
/// Accepted: `goodnight`, `run movie night`. Rejected: `no goodnight`, `goodnight and lamp on`, `goodnight?`.
struct SpokenScenes {
    private let names: [String]

    init(_ names: [String]) { self.names = names }

    /// The only scene that the whole sentence means; nil if it means none, or asks.
    func scene(in sentence: SpokenSentence) -> String? {
        let language = sentence.language
        var words = sentence.words
        let manner = SpokenGrammar.strip(&words, language)
        guard !sentence.isQuestion || manner != .plain else { return nil }
        // "Start please movie night".
        let spoken = [words, words.filter { !$0.isOne(of: .filler) }]
        let said = Set(
            language.scenes.flatMap { form in
                spoken.flatMap { form.matches($0[...], states: []) }.compactMap(\.things)
                    .flatMap { name($0, language) }
            })
        let found = names.filter { name in
            let tokens = SpokenText.tokens(name)
            return said.contains { $0 == tokens || $0.joined() == tokens.joined() }
        }
        return found.count == 1 ? found[0] : nil
    }

    /// What may be the name, with and without "scene".
    private func name(_ words: ArraySlice<SpokenWord>, _ language: SpokenLanguage) -> [[String]] {
        let plain = words.withoutArticles
        var names = [words, plain]
        if let first = plain.first, language.sceneWords.contains(first.text) {
            names.append(plain.dropFirst())
        }
        if let last = plain.last, language.sceneWords.contains(last.text) { names.append(plain.dropLast()) }
        return names.map { $0.map(\.text) }.filter { !$0.isEmpty }
    }
}
