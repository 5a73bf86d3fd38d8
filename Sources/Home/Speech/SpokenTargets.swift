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
        self.scenes = scenes
        self.units = units
        let languages = language.code == SpokenLanguage.english.code ? [language] : [language, .english]
        houses = languages.map { ($0, SpokenHouse(devices, rooms: rooms, $0)) }
    }

    /// What the sentence means, in one of the languages. If it means different things in two, it is refused.
    package func meaning(of text: String) throws -> Meaning {
        var meanings: [Meaning] = []
        var refusal: (any Error)?
        for (language, house) in houses {
            do {
                let meaning = try meaning(of: SpokenSentence(text, language), in: house)
                if !meanings.contains(meaning) { meanings.append(meaning) }
            } catch {
                // The refusal in the chosen language says more.
                refusal = refusal ?? error
            }
        }
        guard let first = meanings.first else { throw refusal ?? SpokenError.empty }
        guard meanings.count == 1 else { throw SpokenError.twoMeanings(text) }
        return first
    }

    private func meaning(of sentence: SpokenSentence, in house: SpokenHouse) throws -> Meaning {
        let orders = Result { try self.orders(of: sentence, in: house) }
        if let scene = SpokenScenes(scenes).scene(in: sentence) {
            if case .success = orders { throw SpokenError.twoMeanings(scene) }
            return .scene(scene)
        }
        if case .failure(SpokenError.question) = orders {
            return .answer(try SpokenQuestions(house: house).answer(to: sentence))
        }
        return .orders(try orders.get())
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
            throw SpokenError.twoMeanings(sentence.words.map(\.text).joined(separator: " "))
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
        var orders = OrdersOfSentence(units)
        for order in try SpokenGrammar(sentence).orders {
            for thing in order.things {
                guard let reading = order.readings.first else { continue }
                try orders.add(house.find(thing, isFull: false), reading, verb: order.verb)
            }
            let (found, reading) = try onlyMeaning(of: order.readings, in: house)
            try orders.add(found, reading, verb: order.verb)
        }
        return orders.understood
    }

    /// The only reading that finds its thing. If several do, the setting is not clear.
    private func onlyMeaning(
        of readings: [SpokenOrder.Reading], in house: SpokenHouse
    ) throws(SpokenError) -> (SpokenHouse.Found, SpokenOrder.Reading) {
        var meanings: [(SpokenHouse.Found, SpokenOrder.Reading)] = []
        var refusal: SpokenError?
        for reading in readings {
            do {
                let found = try house.find(reading.thing, isFull: reading.isBare)
                let isSame = meanings.contains {
                    $0.0 == found && $0.1.action == reading.action && $0.1.amount == reading.amount
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

/// Scenes by their names: the name alone, or after a word that runs it.
///
///     sentence = [ polite ] [ run ] [ article ] name [ "scene" ] [ polite ]
///
/// Accepted: `goodnight`, `run movie night`. Rejected: `no goodnight`, `goodnight and lamp on`.
struct SpokenScenes {
    private let names: [String]

    init(_ names: [String]) { self.names = names }

    /// The only scene that the whole sentence means; nil if it means none, or asks.
    func scene(in sentence: SpokenSentence) -> String? {
        var words = sentence.words
        _ = SpokenGrammar.strip(&words, sentence.language)
        let said = words[...]
        var readings = [said]
        if said.first?.isOne(of: .runs) == true { readings.append(said.dropFirst()) }
        readings += readings.filter { $0.last?.text == "scene" || $0.last?.text == "szene" }.map {
            $0.dropLast()
        }
        let spoken = Set(readings.map { $0.withoutArticles.map(\.text) }).subtracting([[]])
        let found = names.filter { name in
            let tokens = SpokenText.tokens(name)
            return spoken.contains { $0 == tokens || $0.joined() == tokens.joined() }
        }
        return found.count == 1 ? found[0] : nil
    }
}
