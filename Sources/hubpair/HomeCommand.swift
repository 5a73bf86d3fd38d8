import ArgumentParser
import HubClient
import HubControl
import Identity
import Pairing

/// `hubpair home`: the devices that a hub controls.
struct HomeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "home",
        abstract: "List the devices of a hub; show, set, add, rename, remove and watch them.",
        discussion: """
            DEVICE and ACTIVATOR are names, unambiguous beginnings of names, or ids. Exit codes: 1 if there is no such \
            device, 64 if a name fits two or a value is out of range, 65 if the answer cannot be understood, 69 if \
            nobody answers or the server fails, 75 if an order was not confirmed in time, 77 if the hub does not let \
            this device in. Of several orders that fail the gravest counts; what has been done stands.
            """,
        subcommands: [
            List.self, Show.self, Set.self, Off.self, Say.self, Watch.self, SceneCommand.self, Add.self,
            Rename.self,
            Remove.self,
        ],
        defaultSubcommand: List.self
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the devices and their states (the default).")
        @OptionGroup var home: HomeOptions
        @OptionGroup var json: JSONOption
        @Flag(help: "Of every hub, all asked at once; one that does not answer is named, and no failure.")
        var allHubs = false

        /// The most hubs that are asked at once: each takes a descriptor or two.
        private static let maximumAtOnce = 128

        func validate() throws {
            guard !allHubs || home.hub == nil else {
                throw ValidationError("--hub and --all-hubs exclude each other")
            }
            guard !allHubs || !home.insecure else {
                throw ValidationError("--insecure is said for one hub. Name it with --hub")
            }
        }

        func run() async throws {
            guard allHubs else {
                let session = try home.open()
                return try write(await session.devices(), of: session)
            }
            let reach = try ReachHubs(configuration: home.configuration.configuration)
            let sessions = try reach.all().map { HomeSession($0, reach: reach) }
            guard !sessions.isEmpty else { throw NoHubError.notPaired }
            try await askAll(sessions)
        }

        private func askAll(_ sessions: [HomeSession]) async throws {
            try await withThrowingTaskGroup(of: (Int, Result<[ControlledDevice], any Error>).self) { group in
                var next = 0
                func ask() {
                    guard next < sessions.count else { return }
                    let (index, session) = (next, sessions[next])
                    next += 1
                    group.addTask {
                        do {
                            return (index, .success(try await session.devices()))
                        } catch {
                            return (index, .failure(error))
                        }
                    }
                }
                for _ in 0..<List.maximumAtOnce { ask() }
                var answers: [Int: Result<[ControlledDevice], any Error>] = [:]
                var written = 0
                var failures: [ExitStatus] = []
                for try await (index, answer) in group {
                    ask()
                    answers[index] = answer
                    while let answer = answers.removeValue(forKey: written) {
                        switch answer {
                        case .success(let devices):
                            if written > failures.count, !json.isSet { try Console.output("") }
                            try write(devices, of: sessions[written])
                        case .failure(let error):
                            Console.report(error, subject: sessions[written].title)
                            failures.append(ExitStatus(of: error))
                        }
                        written += 1
                    }
                }
                if failures.count == sessions.count { throw ExitStatus.worst(of: failures) }
            }
        }

        private func write(_ devices: [ControlledDevice], of session: HomeSession) throws {
            if json.isSet {
                return try JSONLine.write(devices.lazy.map(session.json))
            }
            var lines = [Console.escaped(session.title)]
            if devices.isEmpty {
                Console.note("\(session.hub.name) has no devices yet; 'hubpair home add' adds one")
            } else {
                lines +=
                    HomeTable(devices, columns: Console.outputIsTerminal ? Console.size.columns : nil).lines
            }
            try Console.output(lines.joined(separator: "\n"))
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show a device with all that can be set on it.")
        @OptionGroup var home: HomeOptions
        @OptionGroup var json: JSONOption
        @Argument(help: "Its name, the beginning of it, or its id.") var device: String

        func run() async throws {
            let session = try home.open()
            let device = try Selection(device).device(in: await session.devices())
            if json.isSet { return try JSONLine.write(session.json(of: device)) }
            let fields = [
                ("name", device.name), ("type", device.type), ("id", device.id), ("hub", session.title),
            ]
            for (field, value) in fields {
                try Console.output(
                    field + String(repeating: " ", count: 6 - field.count) + Console.escaped(value))
            }
            try Console.output("")
            try Table(
                columns: ["ACTIVATOR", "TYPE", "STATE", "ID"],
                rows: device.activators.map {
                    [shortened($0.name), shortened($0.kind.word), shortened($0.stateText), shortened($0.id)]
                }
            ).write()
        }
    }
}
