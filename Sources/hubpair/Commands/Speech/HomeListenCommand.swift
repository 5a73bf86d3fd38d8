import ArgumentParser
import Glibc
import Home
import Household
import HubClient
import Identity
import Pairing

/// `hubpair home listen`: spoken orders, by Debian's pocketsphinx.
struct HomeListenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Switch appliances by voice, in English, with pocketsphinx.",
        discussion: """
            It listens for the house's own words: "turn on the kitchen light", "dim the reading lamp \
            to forty percent", "close the blinds", a scene by its name, "what is on". What it has not \
            heard clearly it leaves. Locks are asked about, and never set by voice. Nothing that is \
            said leaves this machine.

            EXAMPLES:
              hubpair home listen
              hubpair home listen --file order.wav
              hubpair home listen --dry-run
            """)
    @OptionGroup var home: HomeOptions
    @Option(
        help: ArgumentHelp(
            "A WAV file with speech, instead of the microphone; '-' is standard input.",
            valueName: "file"),
        completion: .file(extensions: ["wav"]))
    var file: String?
    @Flag(help: "Only say what was heard.") var dryRun = false
    @OptionGroup var confirmation: ConfirmationOption

    func run() async throws { try await home.use(within: confirmation, listen) }

    private func listen(_ session: HomeSession) async throws {
        let rooms = try await session.rooms(isNeeded: false)
        let house = ListeningHouse(
            rooms.kinds.applied(to: try await session.devices()), rooms: rooms,
            scenes: await session.sharedScenes())
        let recognizer = try Recognizer(house.words)
        defer { recognizer.close() }
        if !recognizer.unheard.isEmpty {
            Console.note(
                "not listened for, since pocketsphinx cannot pronounce it: "
                    + listed(recognizer.unheard.map(quoted), most: 8))
        }
        var statuses: [ExitStatus] = []
        func take(_ utterances: [[Int16]]) async throws {
            for utterance in utterances {
                let status = try await obey(recognizer.sentence(in: utterance), in: house, session)
                if !statuses.contains(status) { statuses.append(status) }
            }
        }
        var cut = Utterances()
        if let file {
            let samples = try SoundFile.samples(parsing: read(file))
            try await take(cut.take(samples) + cut.end())
            if statuses.isEmpty {
                Console.note("nobody speaks in \(quoted(file))")
                throw ExitStatus.nothingFound
            }
        } else {
            let microphone = try Microphone()
            Console.note("listening; Ctrl-C ends it")
            while let samples = microphone.next() { try await take(cut.take(samples)) }
            guard microphone.end() == 0 else { throw ListeningError.noMicrophone }
        }
        let worst = ExitStatus.worst(of: statuses)
        if worst != .done { throw worst }
    }

    /// The file, or one byte more than a sound may have.
    private func read(_ path: String) throws -> [UInt8] {
        let descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SoundNotRead(path: path, code: errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= SoundFile.maximumByteCount {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SoundNotRead(path: path, code: errno) }
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        return bytes
    }

    /// Carries out what was heard, if it is an order that may be given by voice.
    private func obey(_ sentence: String?, in house: ListeningHouse, _ session: HomeSession) async throws
        -> ExitStatus
    {
        let scenes = house.scenes
        guard let sentence else {
            Console.note("not understood")
            return .nothingFound
        }
        try Console.output("heard: \(sentence)")
        if dryRun { return .done }
        do {
            // As it is now: a step begins at the present state.
            let targets = SpokenTargets(
                devices: house.rooms.kinds.applied(to: try await session.devices()), rooms: house.rooms.rooms,
                scenes: scenes.map(\.name), units: house.rooms.units)
            let orders: [Order]
            switch try targets.meaning(of: sentence) {
            case .answer(let answer):
                let verdict = answer.verdict.map { $0 == .unknown ? "not known" : $0.rawValue }
                let lines = [verdict].compactMap { $0 } + answer.rows.map { SafeText.escaped($0.line) }
                try Console.output(lines.isEmpty ? "nothing" : lines.joined(separator: "\n"))
                return .done
            case .scene(let name):
                orders = scenes.first { $0.name == name }?.states.map(\.order) ?? []
            case .orders(let understood): orders = understood.orders
            }
            let locks = Set(targets.devices.filter(\.isLock).map(\.id))
            guard orders.allSatisfy({ !locks.contains($0.device) }) else { throw LockByVoice() }
            let run = HomeOrders(session: session, timeout: confirmation.timeout)
            let results = await run.run(orders)
            try run.report(results)
            run.nameFailures(results)
            return ExitStatus.worst(of: results.map(\.status))
        } catch {
            let error = HubFailure.named(error, hub: session.hub.name)
            Console.report(error)
            return ExitStatus(of: error)
        }
    }
}

/// What may be said in the house.
private struct ListeningHouse {
    let words: ListeningWords
    let rooms: HouseRooms
    let scenes: [SharedScene]

    init(_ devices: [ControlledDevice], rooms: HouseRooms, scenes: [SharedScene]) {
        (self.rooms, self.scenes) = (rooms, scenes)
        words = ListeningWords(devices: devices, rooms: rooms.rooms, scenes: scenes.map(\.name))
    }
}

private struct SoundNotRead: UserError {
    let path: String
    let code: Int32

    var description: String { "cannot read \(quoted(path)): \(String(cString: strerror(code)).lowercased())" }
    var kind: UserErrorKind { .noInput }
    var hint: String? { nil }
}

/// A stranger at an open window must not open the door.
private struct LockByVoice: UserError {
    var description: String { "locks are not set by voice" }
    var kind: UserErrorKind { .notPermitted }
    var hint: String? { "'hubpair home say' and 'hubpair home set' set them" }
}
