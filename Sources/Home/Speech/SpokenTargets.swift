import Identity
import JSON

/// Turns a sentence into orders. All of it must be understood, and in one way only, before anything is sent:
/// a sentence is never carried out in part.
package struct SpokenTargets {
    /// The orders of a sentence.
    package struct Understood: Equatable, Sendable {
        package var orders: [Order] = []
        /// The locks that "everything" does not mean.
        package var leftAlone: [ControlledDevice] = []
    }

    /// The appliances that can be meant.
    package let devices: [ControlledDevice]
    private let house: SpokenHouse

    package init(devices: [ControlledDevice]) {
        self.devices = devices
        house = SpokenHouse(devices)
    }

    /// The orders of the sentence, all of them or an error.
    package func orders(of sentence: SpokenSentence) throws -> Understood {
        let plain = Result { try understand(sentence) }
        guard let marked = sentence.marking(house.tokens),
            let other = try? understand(marked)
        else { return try plain.get() }
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

    private func understand(_ sentence: SpokenSentence) throws -> Understood {
        var orders = OrdersOfSentence()
        for order in try SpokenGrammar(sentence).orders {
            for thing in order.things {
                guard let setting = order.readings.first else { continue }
                try orders.add(house.find(thing, isFull: false), setting, verb: order.verb)
            }
            let (found, reading) = try onlyMeaning(of: order.readings)
            try orders.add(found, reading, verb: order.verb)
        }
        return orders.understood
    }

    /// The only reading that finds its thing. If several do, the setting is not clear.
    private func onlyMeaning(of readings: [SpokenOrder.Reading]) throws(SpokenError) -> (
        SpokenHouse.Found, SpokenOrder.Reading
    ) {
        var meanings: [(SpokenHouse.Found, SpokenOrder.Reading)] = []
        var refusal: SpokenError?
        for reading in readings {
            do {
                let found = try house.find(reading.thing, isFull: reading.isBare)
                let isSame = meanings.contains { $0.0 == found && $0.1.setting == reading.setting }
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

/// The orders of one sentence. They must not contradict each other.
private struct OrdersOfSentence {
    private struct Given {
        let order: Order
        let setting: Setting
        let isNamed: Bool
    }

    private var given: [Given] = []
    private var leftAlone: [ControlledDevice] = []

    var understood: SpokenTargets.Understood {
        // A lock that is also named is not left alone.
        let named = Set(given.map(\.order.device))
        return SpokenTargets.Understood(
            orders: given.map(\.order), leftAlone: leftAlone.filter { !named.contains($0.id) })
    }

    mutating func add(
        _ found: SpokenHouse.Found, _ reading: SpokenOrder.Reading, verb: SpokenVocabulary.Verb?
    )
        throws
    {
        for target in found.targets { try add(target, reading, verb: verb) }
        for lock in found.leftAlone where !leftAlone.contains(lock) { leftAlone.append(lock) }
    }

    private mutating func add(
        _ target: SpokenHouse.Target, _ reading: SpokenOrder.Reading, verb: SpokenVocabulary.Verb?
    ) throws {
        let device = target.device
        let setting = reading.setting
        // "Set the lock to 40" and "shut off the door" have two meanings. Only on and off are clear for a
        // lock.
        if device.isLock {
            guard verb?.isForLocks ?? true, setting == .on || setting == .off else {
                throw SpokenError.lockSetting(device.name)
            }
        }
        let activator = try target.activator ?? device.activator(for: setting)
        if reading.turnsOn, target.activator == nil, try device.activator(for: .on) != activator {
            try add(target, .init(reading.thing, .on), verb: verb)
        }
        if reading.isDim, let state = activator.state.asDouble, state < SpokenVocabulary.dimmed - 0.001 {
            throw SpokenError.alreadyDim(device.name, activator.stateText)
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
