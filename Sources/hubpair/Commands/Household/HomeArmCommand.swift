import ArgumentParser
import FoundationEssentials
import HubClient
import Identity
import JSON
import Pairing

/// `hubpair home arm`: arms rules without switching anything.
struct HomeArmCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "arm",
        abstract: "Arm the rules of a scene, without running it.",
        discussion: """
            Rules that no scene arms are always armed. Without a scene it is the one that arms rules, if \
            there is only one. Members and owners do; the hub's messages say who did.

            EXAMPLES:
              hubpair home arm
              hubpair home arm Away
            """)
    @OptionGroup var home: HouseholdOptions
    @Flag(help: .json) var json = false
    @Argument(help: "The hub's scene that arms them.") var scene: String?

    func run() async throws {
        try await home.use { session in
            let arm = ArmRules(session.household)
            let scene = try scene(of: try await arm.state(), session)
            try ArmedLines(try await arm.arm(in: scene), session).write(asJSON: json)
        }
    }

    private func scene(of state: ArmedState, _ session: HomeSession) throws -> String {
        let scenes = state.scenes
        let hint =
            scenes.isEmpty
            ? "an owner makes one: 'hubpair home rule add NAME APPLIANCE --when on --alarm --in SCENE'"
            : scenes.prefix(8).map { "'hubpair home arm \(shellQuoted($0))'" }.joined(separator: ", or ")
        if let scene {
            guard let known = scenes.first(where: { $0.lowercased() == scene.lowercased() }) else {
                throw Failure(.notFound, "no rule is armed in \(quoted(scene))", hint: hint)
            }
            return known
        }
        guard let only = scenes.first else {
            throw Failure(.notFound, "\(session.hub.name) has no rule that a scene arms", hint: hint)
        }
        guard scenes.count == 1 else {
            throw UsageMistake("\(scenes.count) scenes arm rules: which one?", hint: hint)
        }
        return only
    }
}

/// `hubpair home disarm`: disarms what a scene has armed.
struct HomeDisarmCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disarm",
        abstract: "Disarm all rules that are not always armed.",
        discussion: """
            Nothing is switched. Members and owners do; the hub's messages say who did.

            EXAMPLES:
              hubpair home disarm
              hubpair home disarm --hub Garden
            """)
    @OptionGroup var home: HouseholdOptions
    @Flag(help: .json) var json = false

    func run() async throws {
        try await home.use { session in
            let state = try await ArmRules(session.household).disarm()
            try ArmedLines(state, session).write(asJSON: json)
        }
    }
}

/// `hubpair home armed`: which rules are armed now.
struct HomeArmedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "armed",
        abstract: "Say which rules are armed, since when, and who armed them.",
        discussion: """
            Which scene ran decides that, and not how the appliances stand now. If no rule is armed the exit \
            code is 1.

            EXAMPLES:
              hubpair home armed
              hubpair home armed --json
            """)
    @OptionGroup var home: HouseholdOptions
    @Flag(help: .json) var json = false

    func run() async throws {
        try await home.use { session in
            let state = try await ArmRules(session.household).state()
            try ArmedLines(state, session).write(asJSON: json)
            if !state.rules.contains(where: \.isArmed) { throw ExitStatus.nothingFound }
        }
    }
}

/// What is armed, for people and for scripts.
struct ArmedLines {
    let state: ArmedState
    private let session: HomeSession

    init(_ state: ArmedState, _ session: HomeSession) { (self.state, self.session) = (state, session) }

    func write(asJSON json: Bool) throws {
        if json { return try JSONLine.write(state.rules.map(line)) }
        let always = state.rules.filter { $0.scenes == nil }.map(\.name)
        if !state.armed.isEmpty {
            try Console.output(words: "armed: \(SafeText.escaped(ArmedLines.words(state)))")
        } else if state.rules.count > always.count {
            try Console.output(words: "disarmed\(SafeText.escaped(ArmedLines.cause(state)))")
        }
        if !always.isEmpty {
            try Console.output(words: "always armed: \(SafeText.escaped(always.joined(separator: ", ")))")
        }
        if state.rules.isEmpty { Console.note("\(session.hub.name) has no rules") }
    }

    /// `Front door, Motion (scene Away, since today 08:10, by Anna)`
    static func words(_ state: ArmedState) -> String {
        state.armed.map { shortened($0.name) }.joined(separator: ", ") + cause(state)
    }

    private static func cause(_ state: ArmedState) -> String {
        let parts = [
            state.scene.map { "scene \(shortened($0))" },
            state.since.map { "since \(LocalTime($0).text(seenAt: Date()))" },
            state.author.map { "by \(shortened($0.name))" },
        ].compactMap(\.self)
        return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
    }

    private func line(_ rule: ArmedState.Rule) -> JSONValue {
        session.line([
            "rule": .string(rule.name), "armed": .boolean(rule.isArmed),
            "in": rule.scenes.map { JSONValue.array($0.map(JSONValue.string)) } ?? .null,
            "scene": .text(state.scene), "since": .text(state.since?.timestamp),
            "by": .text(state.author?.device), "by_name": .text(state.author?.name),
        ])
    }
}
