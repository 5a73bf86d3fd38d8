import ArgumentParser
import Home
import HubClient
import Identity

/// `hubpair home add`: an appliance that the hub is to control.
struct HomeAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add an appliance to a hub.",
        discussion: """
            At a terminal it asks for what is missing: the manufacturer, the kind, and what the hub \
            needs to know of such an appliance. For scripts every answer is an argument or an option.

            EXAMPLES:
              hubpair home add
              hubpair home add philips hue --info name=Lamp
            """)
    @OptionGroup var home: HomeOptions
    @Flag(help: .json) var json = false
    @Argument(help: "The manufacturer. (default: it asks)") var manufacturer: String?
    @Argument(help: "The manufacturer's kind of appliance. (default: it asks)") var plugin: String?
    @Option(
        help: ArgumentHelp(
            "An answer to what the hub asks for; repeatable. (default: it asks)", valueName: "field=value"
        ))
    var info: [String] = []

    func run() async throws {
        let given = try InfoAnswers(info)
        try await home.use { try await add(given, to: $0) }
    }

    private func add(_ given: InfoAnswers, to session: HomeSession) async throws {
        let server = session.home
        let collections = try await server.collections()
        session.noteUse()
        let collection = try choice(
            manufacturer, collections, kind: "manufacturer", place: "'hubpair home add'")
        let plugins = try await server.plugins(of: collection)
        let plugin = try choice(self.plugin, plugins, kind: "kind of appliance", place: "the manufacturer")
        let description = try await server.plugin(plugin, of: collection)
        var (answers, missing) = try given.check(against: description)
        let before = try await session.devices()
        if let name = answers["name"] { try refuseTaken(name, in: before) }
        guard missing.isEmpty || Question.canBeAnswered else {
            let fields = missing.prefix(16).map { "\(shortened($0.name)) (\(shortened($0.explanation)))" }
            Console.report(
                "missing: " + fields.joined(separator: "; "),
                hint: "give each with --info, like --info \(shortened(missing[0].name))=VALUE",
                exit: .usage)
            throw ExitStatus.usage
        }
        for (field, explanation) in missing {
            answers[field] = try ask(for: field, explanation, before)
        }
        try await server.perform(.add(collection: collection, plugin: plugin, info: answers))
        let known = Set(before.map(\.id))
        let added = try await session.devices().filter { !known.contains($0.id) }
        guard let device = added.first(where: { $0.name == answers["name"] }) ?? added.first else {
            Console.report(
                "\(session.hub.name) took the appliance, and does not list it",
                hint: "'hubpair home' lists the appliances", exit: .tryAgain)
            throw ExitStatus.tryAgain
        }
        if json { return try JSONLine.write(HomeDeviceLine(device, of: session)) }
        Console.note("\(quoted(device.name)) (\(shortened(device.type))) is added to \(session.hub.name)")
    }

    /// The offer of the hub that the option names, or that the person chooses at the terminal.
    private func choice(_ text: String?, _ offers: [String], kind: String, place: String) throws
        -> String
    {
        guard !offers.isEmpty else {
            Console.report(
                "the hub offers no \(kind)", hint: "on the hub: does its server have plugins?",
                exit: .nothingFound)
            throw ExitStatus.nothingFound
        }
        if let text { return try Selection(text).offer(among: offers, kind: kind) }
        let list = offers.prefix(32).map(shortened).joined(separator: ", ")
        guard Question.canBeAnswered else {
            Console.report(
                "the \(kind) is missing", hint: "give it behind \(place): \(list)", exit: .usage)
            throw ExitStatus.usage
        }
        return try Question.ask("\(kind) (\(list)):") {
            try Selection($0).offer(among: offers, kind: kind)
        }
    }

    private func ask(for field: String, _ explanation: String, _ devices: [ControlledDevice]) throws
        -> String
    {
        try Question.ask("\(shortened(field)) (\(shortened(explanation))):") {
            let answer = try InfoField.check($0, for: field, explanation: explanation)
            if field == "name" { try refuseTaken(answer, in: devices) }
            return answer
        }
    }
}
