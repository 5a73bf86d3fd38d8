package import Identity
package import JSON

/// Which scenes the house is in: those whose states all its appliances have.
package struct CurrentScene: Equatable, Sendable {
    /// The one that has run last; of those that have not run, the first in the file. Nil: none matches.
    package let name: PeerName?
    /// All that match, the latest run first.
    package let matching: [PeerName]

    /// - Parameter state: the last known state of an activator; nil: it is not known.
    package init(
        _ scenes: [HubScene], _ runs: SceneRuns,
        _ state: (_ device: String, _ activator: String) -> JSONValue?
    ) {
        // A scene that only arms rules matches everything: it counts if somebody has run it.
        let found = scenes.filter { (!$0.states.isEmpty || runs.number(of: $0.name) > 0) && $0.isSo(state) }
        matching = found.enumerated().sorted { one, other in
            let numbers = (runs.number(of: one.element.name), runs.number(of: other.element.name))
            return numbers.0 == numbers.1 ? one.offset < other.offset : numbers.0 > numbers.1
        }.map(\.element.name)
        name = matching.first
    }
}
