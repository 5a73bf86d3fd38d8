import Identity

/// Finds the devices that a person speaks of. Every thing must be found before anything is sent: an order is never
/// half done.
package struct SpokenTargets {
    /// One device, and the activator that is meant if the words name one.
    package struct Target: Equatable, Sendable {
        package let device: ControlledDevice
        package let activator: Activator?
    }

    /// The devices that can be meant.
    package let devices: [ControlledDevice]

    package init(devices: [ControlledDevice]) { self.devices = devices }

    /// The targets of an order, each once, in the order in which they were said.
    package func targets(of order: PlainWords) throws(PlainWordsError) -> [Target] {
        var targets: [Target] = []
        for (thing, isEvery) in zip(order.things, order.isEvery) {
            for target in try find(thing, isEvery: isEvery) where !targets.contains(target) {
                targets.append(target)
            }
        }
        return targets
    }

    /// What is to be sent, all of it or nothing.
    package func orders(of order: PlainWords) throws -> [Order] {
        try targets(of: order).map { target in
            let activator = try target.activator ?? target.device.activator(for: order.setting)
            return try Order(target.device, activator, to: order.setting)
        }
    }

    /// The locks that "everything" did not mean.
    package func leftAlone(by order: PlainWords) -> [ControlledDevice] {
        zip(order.things, order.isEvery).contains { $0.isEmpty && $1 } ? devices.filter(\.isLock) : []
    }

    /// The devices of a type, in any case, singular or plural.
    package func devices(ofType type: String) throws(SelectionError) -> [ControlledDevice] {
        let words = SpokenTargets.stems(type)
        let found = devices.filter {
            $0.type == type || !words.isEmpty && SpokenTargets.stems($0.type) == words
        }
        guard found.isEmpty else { return found }
        let types = Array(Set(devices.map(\.type))).sorted()
        let near = Orthography.suggestions(for: type, among: types)
        throw .unknown(
            type, kind: "type of device", near: near, all: near.isEmpty ? Array(types.prefix(8)) : [])
    }

    private func find(_ thing: [String], isEvery: Bool) throws(PlainWordsError) -> [Target] {
        let words = thing.map(SpokenTargets.stem)
        let spoken = thing.joined(separator: " ")
        if isEvery {
            // "Everything off" must open no door: a lock is switched only by its name or kind.
            if words.isEmpty {
                return devices.filter { !$0.isLock && $0.canBeSwitched }.map {
                    Target(device: $0, activator: nil)
                }
            }
            let ofType = devices.filter { SpokenTargets.stems($0.type) == words }
            let found =
                ofType.isEmpty ? devices.filter { contains(SpokenTargets.stems($0.name), words) } : ofType
            guard !found.isEmpty else { throw .unknown(spoken, near: near(spoken)) }
            return found.map { Target(device: $0, activator: nil) }
        }
        // From the strictest to the most forgiving; the first that fits anything decides, and must fit one.
        var candidates = devices.map {
            (words: SpokenTargets.stems($0.name), target: Target(device: $0, activator: nil))
        }
        for device in devices {
            for activator in device.activators {
                let name = SpokenTargets.stems(activator.name)
                guard !name.isEmpty else { continue }
                let target = Target(device: device, activator: activator)
                candidates.append((SpokenTargets.stems(device.name) + name, target))
                candidates.append((name + SpokenTargets.stems(device.name), target))
            }
        }
        let joined = words.joined()
        let steps: [([String]) -> Bool] = [
            { $0 == words },
            { $0.joined() == joined },
            { $0.sorted() == words.sorted() },
            { self.contains($0, words) },
            { Orthography.distance($0.joined(), joined, limit: max(1, min(3, joined.count / 5))) != nil },
        ]
        for step in steps {
            let matches = candidates.filter { step($0.words) }.map(\.target)
            let whole = matches.filter { $0.activator == nil }
            let found = whole.isEmpty ? matches : whole
            if found.count == 1 || Set(found.map(\.key)).count == 1, let target = found.first {
                return [target]
            }
            if found.count > 1 { throw .ambiguous(spoken, found.map(\.device.name)) }
        }
        throw .unknown(spoken, near: near(spoken))
    }

    private func near(_ spoken: String) -> [String] {
        Orthography.suggestions(for: spoken, among: devices.map(\.name))
    }

    /// True if `part` are some of `words`, and there is anything to compare.
    private func contains(_ words: [String], _ part: [String]) -> Bool {
        !part.isEmpty && part.allSatisfy(words.contains)
    }

    private static func stems(_ text: String) -> [String] { Orthography.words(text).map(stem) }

    /// "lights", "light's" and "light" are one; "glass" stays.
    private static func stem(_ word: String) -> String {
        var word = word
        if word.hasSuffix("'s") { word.removeLast(2) }
        word.removeAll { $0 == "'" }
        return word.count > 3 && word.hasSuffix("s") && !word.hasSuffix("ss") ? String(word.dropLast()) : word
    }
}

extension SpokenTargets.Target {
    fileprivate var key: String { "\(device.id)/\(activator?.id ?? "")" }
}
