import ArgumentParser
import Glibc
import Home
import HubClient
import Identity
import JSON
import Pairing

/// `hubpair home say`: orders in plain words.
struct HomeSayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "say",
        abstract: "Switch appliances by a sentence, or by sentences on standard input.",
        discussion: """
            "turn the tv on and the fan off", "the lights in the hall to half", "make the lamp \
            brighter", "open the blinds", "everything off"; a scene by its name; "what is on?" is \
            answered, and changes nothing. A lock is set only by its full name.

            Without a sentence, or with '-', one is read from each line of standard input, as a speech \
            recogniser writes them, and answered at once. Nothing leaves this machine but the orders to \
            the hub; a sentence that was not understood as a whole changes nothing. $LANG is the language \
            of the sentences, English or German; English is always understood.

            EXAMPLES:
              hubpair home say turn the kitchen light off
              hubpair home say 'is the front door locked?'
              LANG=de_DE.UTF-8 hubpair home say mach das Licht im Flur an
            """)
    @OptionGroup var home: HomeOptions
    @Flag(help: .json) var json = false
    @OptionGroup var confirmation: ConfirmationOption
    @Argument(help: "The sentence, in quotation marks or without.") var sentence: [String] = []

    func run() async throws { try await home.use(within: confirmation, obey) }

    private func obey(_ session: HomeSession) async throws {
        if !sentence.isEmpty, sentence != ["-"] {
            let status = try await answer(sentence.joined(separator: " "), session)
            if status != .done { throw status }
            return
        }
        if isatty(STDIN_FILENO) == 1 { Console.note("say what to do, a sentence a line; Ctrl-D ends it") }
        var lines = InputLines(maximumByteCount: SpokenGrammar.maximumByteCount + 1)
        var statuses: [ExitStatus] = []
        while let line = try lines.next() {
            guard !line.isEmpty else { continue }
            let status = try await answer(line, session)
            if !statuses.contains(status) { statuses.append(status) }
        }
        let worst = ExitStatus.worst(of: statuses)
        if worst != .done { throw worst }
    }

    /// Carries out or answers one sentence. All of it is understood before the first order is sent.
    private func answer(_ sentence: String, _ session: HomeSession) async throws -> ExitStatus {
        let orders: [Order]
        var units = StateUnits()
        let language = SpokenLanguage.ofEnvironment
        // "For ten minutes" is the hub's; without it the sentence is an order of its own.
        let time =
            session.hub.isUnprotected
            ? nil : SpokenTime(sentence, language) ?? SpokenTime(sentence, .english)
        do {
            async let rooms = session.rooms(isNeeded: false)
            async let scenes = session.sharedScenes()
            let house = try await session.house()
            units = try await rooms.units
            let devices = try await rooms.kinds.applied(to: house.devices)
            let targets = SpokenTargets(
                devices: devices, rooms: try await rooms.rooms, scenes: await scenes.map(\.name),
                units: units, language: language)
            switch try targets.meaning(of: time?.rest ?? sentence) {
            case .answer where time != nil, .scene where time != nil:
                throw UsageMistake.timeOfSeveral
            case .answer(let answer):
                session.saySilent(house)
                try tell(answer, to: sentence, session, units)
                return .done
            case .scene(let name): return try await runScene(name, sentence, session)
            case .orders(let understood):
                orders = understood.orders
                sayLeftAlone(understood.leftAlone)
                sayLeftAlone(understood.unable, "left alone, since it knows only on and off")
                if let time {
                    return try await keep(time.kind, orders, devices, units, sentence, session)
                }
                try ask(orders, devices)
            }
        } catch let no as ExitStatus {
            return no
        } catch {
            let error = HubFailure.named(error, hub: session.hub.name)
            if json { try write(sentence, error: "\(error)") }
            Console.report(error)
            return ExitStatus(of: error)
        }
        let run = HomeOrders(session: session, timeout: confirmation.timeout, units: units)
        let results = await run.run(orders)
        if json {
            try write(sentence, results: results.map(run.json))
        } else {
            try run.report(results)
        }
        run.nameFailures(results)
        return ExitStatus.worst(of: results.map(\.status))
    }

    /// Orders with a time: what ends them is kept on the hub before they begin.
    private func keep(
        _ time: SpokenTime.Kind, _ orders: [Order], _ devices: [ControlledDevice], _ units: StateUnits,
        _ sentence: String, _ session: HomeSession
    ) async throws -> ExitStatus {
        // Of "the tv off and the lamp on for an hour" nobody knows what the hour is about.
        guard Set(orders.map(\.state.text)).count == 1 else { throw UsageMistake.timeOfSeveral }
        let timed = TimedOrders(session: session, timeout: confirmation.timeout, units: units)
        // What opens now is as without a time. Later nobody sees it: 'home timer --yes' is for scripts.
        let now = time.isNotNow || Question.canBeAnswered && !json ? orders : []
        try OrderGuard.ask(now + TimedOrders.ends(orders, time), devices) { asked in
            let meant = orders.filter { order in
                asked.contains { ($0.device, $0.activator) == (order.device, order.activator) }
            }
            return meant.map { timed.command($0, time, devices) }.joined(separator: "; ")
        }
        let (kept, results) = try await timed.give(orders, time)
        let run = HomeOrders(session: session, timeout: confirmation.timeout, units: units)
        if json {
            let timers = kept.map { timed.row($0.timer, $0.name) }
            try write(sentence, results: results.map(run.json), timers: timers)
        } else {
            try run.report(results)
            TimedOrders.tell(kept)
        }
        run.nameFailures(results)
        return ExitStatus.worst(of: results.map(\.status))
    }

    /// At a terminal, before what opens or unlocks. A recogniser that writes into a pipe cannot answer: there
    /// the full name, without which no lock is set, has to be enough.
    private func ask(_ orders: [Order], _ devices: [ControlledDevice]) throws {
        if Question.canBeAnswered, !json { try OrderGuard.ask(orders, devices) }
    }

    /// Runs a scene of the hub.
    private func runScene(
        _ scene: String, _ sentence: String, _ session: HomeSession
    ) async throws -> ExitStatus {
        let ran = try await SharedSceneRun.outcomes(session, scene)
        guard json else { return try SharedSceneRun(json: false).report(ran, session) }
        try write(sentence, scene: scene, results: ran.json(session))
        return ran.status
    }

    private func tell(
        _ answer: SpokenAnswer, to sentence: String, _ session: HomeSession, _ units: StateUnits
    ) throws {
        // What is known of old states alone is not known.
        let isOld = answer.rows.allSatisfy { session.silence(of: $0.device.id) != nil }
        let verdict = answer.verdict.map { isOld && !answer.rows.isEmpty ? .unknown : $0 }
        if json {
            let states = answer.rows.map { row -> JSONValue in
                var line = session.json
                line["device"] = .string(row.device.id)
                line["name"] = .string(row.device.name)
                line["activator"] = .text(row.activator?.id)
                line["state"] = row.activator?.state ?? .null
                if let activator = row.activator {
                    line.add(units.amount(activator.state, of: row.device.id, activator.id))
                }
                if let silence = session.silence(of: row.device.id) {
                    (line["answers"], line["age"]) = (.boolean(false), .count(silence.age))
                }
                return .object(line)
            }
            return try write(sentence, answer: verdict?.rawValue, states: states)
        }
        let word = verdict.map { $0 == .unknown ? "not known" : $0.rawValue }
        let lines =
            [word].compactMap { $0 }
            + answer.rows.map { row in
                let silence = session.silence(of: row.device.id).map { ", \($0.words)" } ?? ""
                return SafeText.escaped(row.line) + silence
            }
        if lines.isEmpty { return Console.note("nothing") }
        try Console.output(words: lines.joined(separator: "\n"))
    }

    private func write(
        _ sentence: String, error: String? = nil, scene: String? = nil, results: [JSONValue] = [],
        answer: String? = nil, states: [JSONValue] = [], timers: [JSONValue] = []
    ) throws {
        var line: [String: JSONValue] = [
            "sentence": .string(shortened(sentence)), "understood": .boolean(error == nil),
            "error": .text(error), "results": .array(results), "scene": .text(scene),
            "answer": .text(answer), "states": .array(states),
        ]
        if !timers.isEmpty { line["timers"] = .array(timers) }
        try JSONLine.write(.object(line))
    }
}

extension SpokenLanguage {
    /// The language of the environment; English if it is another one.
    static var ofEnvironment: SpokenLanguage {
        for name in ["LC_ALL", "LC_MESSAGES", "LANG"] {
            // The first that is set decides (POSIX, Environment Variables § 8.2).
            guard let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty else { continue }
            return SpokenLanguage(code: value) ?? .english
        }
        return .english
    }
}
