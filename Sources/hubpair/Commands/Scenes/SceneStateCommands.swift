import ArgumentParser
import Home
import Household
import HubClient
import Identity
import JSON
import Pairing

/// `hubpair home scene set`: one appliance of a scene.
struct SceneSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Say how one appliance is to be in a scene, and leave the others.",
        discussion: """
            The appliance itself is not switched. One that is not in the scene comes into it. Values are \
            those of 'hubpair home set'.

            EXAMPLES:
              hubpair home scene set 'movie night' 'Reading lamp' 20%
              hubpair home scene set 'movie night' 'Reading lamp' power off
              hubpair home scene set evening Thermostat 21
            """)
    @OptionGroup var places: ScenePlaces
    @Argument(help: "The scene's name.") var name: String
    @Argument(help: .appliance, completion: NameCompletion.appliances) var device: String
    @Argument(help: ArgumentHelp("The activator. (default: the one that is meant)", valueName: "activator"))
    var second: String?
    @Argument(
        help: ArgumentHelp(
            "on, off, a level from 0 to 1, a percentage, or a number in its unit.", valueName: "setting"))
    var third: String?

    func validate() throws {
        guard second != nil else { throw ValidationError("missing: how it is to be in the scene") }
    }

    func run() async throws {
        guard let second else { return }
        let name = try PeerName(known: name)
        let both = third.flatMap { SaidSetting(second, $0) }
        let said = try both ?? SaidSetting(third ?? second)
        let activator = third == nil || both != nil ? nil : second
        try await SceneChange(places: places, name: name).run { session, states in
            async let rooms = session.units(for: said)
            let device = try Selection(device).device(in: try await session.devices())
            let chosen = try activator.map { try Selection($0).activator(of: device) }
            let units = try await rooms.units
            let order = try Order(device, chosen, to: said, units)
            let new = HubScene.State(
                device: order.device, activator: order.activator, name: order.name, state: order.state)
            let isSame = { (state: HubScene.State) in
                state.device == new.device && state.activator == new.activator
            }
            if let index = states.firstIndex(where: isSame) {
                states[index] = new
            } else {
                states.append(new)
            }
            let words = units.words(for: new.state, of: new.device, new.activator)
            return "in \(name): \(order.name) is \(shortened(words))"
        }
    }
}

/// `hubpair home scene out`: an appliance that a scene is to leave alone.
struct SceneOutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "out", abstract: "Take appliances out of a scene: it leaves them as they are.",
        discussion: """
            Also those that the house does not have any more.

            EXAMPLES:
              hubpair home scene out 'movie night' TV
              hubpair home scene out evening TV 'Coffee machine'
            """)
    @OptionGroup var places: ScenePlaces
    @Argument(help: "The scene's name.") var name: String
    @Argument(
        help: ArgumentHelp("The appliances.", valueName: "appliance"),
        completion: NameCompletion.appliances)
    var devices: [String]

    func run() async throws {
        let name = try PeerName(known: name)
        try await SceneChange(places: places, name: name).run { session, states in
            // As they are called now; those that are gone, as they were when the scene was made.
            let present = (try? await session.devices()) ?? []
            let members = states.map { state in
                let now = present.first { $0.id == state.device }?.name
                let then = state.name.map { String($0.prefix(upTo: $0.lastRange(of: ": ") ?? $0.endIndex)) }
                return (id: state.device, name: now ?? then ?? state.device)
            }
            var names: [String] = []
            for text in devices {
                let member = members.first { $0.id.utf8.elementsEqual(text.utf8) }
                let offers = members.reduce(into: [String]()) {
                    if !$0.contains($1.name) { $0.append($1.name) }
                }
                let chosen =
                    try member?.name
                    ?? Selection(text).offer(among: offers, kind: "appliance of the scene")
                let ids = Set(members.filter { member == nil ? $0.name == chosen : $0.id == text }.map(\.id))
                states.removeAll { ids.contains($0.device) }
                names.append(chosen)
            }
            guard !states.isEmpty else { throw SceneError.nothingLeft(name) }
            return "not in \(name) any more: " + names.map(quoted).joined(separator: ", ")
        }
    }
}

extension String {
    /// Where the last occurrence of a text begins; nil if there is none.
    fileprivate func lastRange(of text: String) -> Index? { ranges(of: text).last?.lowerBound }
}

/// A change of the states of one scene.
private struct SceneChange {
    let places: ScenePlaces
    let name: PeerName

    /// - Parameter change: changes the states, with the appliances of the scene's hub; what is said at the
    ///   end. It is called again if somebody else has changed the scene meanwhile.
    func run(_ change: (HomeSession, inout [HubScene.State]) async throws -> String) async throws {
        let (session, found) = try await SceneShelf(places).scene(called: name)
        try await session.use { session in
            let scenes = SharedScenes(session.household)
            let said = try await session.household.changing {
                // The version that is changed is the one that is there now.
                guard var scene = try await scenes.all().first(where: { $0.name == found.name }) else {
                    throw SceneError.unknown(name, near: [])
                }
                let words = try await change(session, &scene.states)
                try await scenes.put(scene)
                return words
            }
            Console.note("\(said), on \(session.hub.name) for everybody")
        }
    }
}
