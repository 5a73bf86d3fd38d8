import ArgumentParser
import Glibc
import Home
import Household
import HubClient
import Identity
import Pairing

/// `hubpair home listen`: spoken orders, by a recogniser of the user's choice.
struct HomeListenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Switch appliances by voice.",
        discussion: """
            A program hears: it gets the names of the appliances, rooms and scenes, and writes sentences, \
            which are those of 'hubpair home say'. Two come with hubpair: for pocketsphinx, in English, and \
            for faster-whisper. Locks are asked about, and never set by voice.

            EXAMPLES:
              hubpair home listen
              hubpair home listen order.wav --dry-run
              hubpair home listen --recognizer ./my-recognizer
            """)
    @OptionGroup var home: HomeOptions
    @Argument(
        help: ArgumentHelp(
            "A file with speech, instead of the microphone; '-' is standard input.", valueName: "file"),
        completion: .file(extensions: ["wav"]))
    var file: String?
    @Option(
        help: ArgumentHelp(
            "The program that hears. (default: the first installed of pocketsphinx and faster-whisper)",
            valueName: "program"),
        completion: .file())
    var recognizer: String?
    @Flag(help: "Only say what was heard.") var dryRun = false
    @OptionGroup var confirmation: ConfirmationOption

    func run() async throws { try await home.use(within: confirmation, listen) }

    private func listen(_ session: HomeSession) async throws {
        if let file, file != "-", access(file, R_OK) != 0 {
            throw Failure(.noInput, "cannot read \(quoted(file)): \(Failure.words(errno).lowercased())")
        }
        let program = try recognizer ?? Recognizer.installed()
        async let rooms = session.rooms(isNeeded: false).rooms.map(\.name)
        async let scenes = session.sharedScenes().map(\.name)
        let names = try await session.devices().map(\.name) + rooms + scenes
        let recognizer = try Recognizer(
            program, file: file, names: names, maximumByteCount: SpokenGrammar.maximumByteCount)
        var statuses: [ExitStatus] = []
        while let sentence = try recognizer.next() {
            let status = try await obey(sentence, session)
            if !statuses.contains(status) { statuses.append(status) }
        }
        if let file, statuses.isEmpty {
            Console.note("nobody speaks in \(quoted(file))")
            throw ExitStatus.nothingFound
        }
        let worst = ExitStatus.worst(of: statuses)
        if worst != .done { throw worst }
    }

    /// Carries out what was heard, if it is an order that may be given by voice.
    private func obey(_ sentence: String, _ session: HomeSession) async throws -> ExitStatus {
        guard sentence.contains(where: { !$0.isWhitespace }) else {
            Console.note("not understood")
            return .nothingFound
        }
        try Console.output(words: "heard: \(SafeText.escaped(shortened(sentence)))")
        if dryRun { return .done }
        do {
            // As it is now: a step begins at the present state.
            async let house = session.rooms(isNeeded: false)
            async let scenes = session.sharedScenes()
            let devices = try await session.devices()
            let rooms = try await house
            let targets = SpokenTargets(
                devices: rooms.kinds.applied(to: devices), rooms: rooms.rooms,
                scenes: await scenes.map(\.name), units: rooms.units,
                language: SpokenLanguage.ofEnvironment)
            let locks = Set(targets.devices.filter(\.isLock).map(\.id))
            func refuseLocks(_ orders: [Order]) throws {
                // A stranger at an open window must not open the door.
                guard orders.contains(where: { locks.contains($0.device) }) else { return }
                throw Failure(
                    .notPermitted, "locks are not set by voice",
                    hint: "'hubpair home say' and 'hubpair home set LOCK on' set them")
            }
            switch try targets.meaning(of: sentence) {
            case .answer(let answer):
                let verdict = answer.verdict.map { $0 == .unknown ? "not known" : $0.rawValue }
                let lines = [verdict].compactMap { $0 } + answer.rows.map { SafeText.escaped($0.line) }
                try Console.output(words: lines.isEmpty ? "nothing" : lines.joined(separator: "\n"))
                return .done
            case .scene(let name):
                try refuseLocks(await scenes.first { $0.name == name }?.states.map(\.order) ?? [])
                let ran = try await SharedSceneRun.outcomes(session, name)
                return try SharedSceneRun(json: false).report(ran, session)
            case .orders(let understood):
                try refuseLocks(understood.orders)
                let run = HomeOrders(session: session, timeout: confirmation.timeout, units: rooms.units)
                let results = await run.run(understood.orders)
                try run.report(results)
                run.nameFailures(results)
                return ExitStatus.worst(of: results.map(\.status))
            }
        } catch {
            let error = HubFailure.named(error, hub: session.hub.name)
            Console.report(error)
            return ExitStatus(of: error)
        }
    }
}
