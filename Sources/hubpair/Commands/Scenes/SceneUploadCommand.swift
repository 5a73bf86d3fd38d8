import ArgumentParser
import HubClient
import Identity
import Pairing

/// `hubpair home scene upload`: what hubpair 0.1 kept on this computer.
struct SceneUploadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upload",
        abstract: "Take the scenes that an earlier hubpair kept on this computer to the hub.",
        discussion: """
            They stand in the file 'scenes' of this computer's configuration. Those of a hub go to that hub; \
            those of a stock hub that is guarded now to the one that --hub names. What the hub has is taken \
            out of the file, which stays as scenes.bak; a scene of the hub that is called the same stays.

            EXAMPLES:
              hubpair home scene upload
              hubpair home scene upload evening --hub House
            """)
    @OptionGroup var home: HouseholdOptions
    @Argument(help: ArgumentHelp("These alone. (default: all of the hub)", valueName: "name"))
    var names: [String] = []

    func run() async throws {
        let old = OldScenes(configuration: home.configuration.configuration)
        let names = try names.map { try PeerName(known: $0) }
        try await home.use { session in
            let all = try old.all()
            if let name = names.first(where: { name in !all.contains { $0.name == name } }) {
                throw SceneError.unknown(name, near: all.map(\.name.description))
            }
            let ofHub = all.filter { scene in
                // A hub that was a stock one before has the same appliances, if the person says so by name.
                scene.hub == session.hub.fingerprint || (scene.hub == nil && home.hub != nil)
            }
            let chosen = names.isEmpty ? ofHub : all.filter { names.contains($0.name) }
            if let other = chosen.first(where: { !ofHub.contains($0) }) {
                throw UsageMistake(
                    "\(other.name) is of another hub", hint: "name the hub that has its appliances with --hub"
                )
            }
            if chosen.isEmpty { return Console.note("\(old.path) has no scene of \(session.hub.name)") }
            var failure: ExitStatus?
            for scene in chosen {
                guard try await session.household.changing({ try await upload(scene, session) }) else {
                    Console.report(
                        "\(session.hub.name) has a scene \(scene.name) already",
                        hint: "'hubpair home scene remove \(quoted(scene.name.description))' removes it",
                        exit: .usage)
                    failure = .usage
                    continue
                }
                try old.remove(scene.name)
                Console.note("\(scene.name) is kept on \(session.hub.name) now, for everybody")
            }
            if let failure { throw failure }
        }
    }

    /// - Returns: false if the hub has one that is called the same.
    private func upload(_ scene: OldScenes.Scene, _ session: HomeSession) async throws -> Bool {
        let scenes = SharedScenes(session.household)
        let name = scene.name.description
        guard try await scenes.all().allSatisfy({ $0.name.lowercased() != name.lowercased() }) else {
            return false
        }
        try await scenes.put(SharedScene(name: name, states: scene.states.map(\.cut)))
        return true
    }
}
