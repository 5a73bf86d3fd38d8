import ArgumentParser
import Home
import Household
import HubClient
import Identity
import JSON
import Pairing

/// `hubpair home rule`: of what the house tells its people.
struct HomeRuleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rule",
        abstract: "Say of what the house tells its people: alarms and notifications.",
        discussion: """
            For owners of the hub, which keeps the rules. A rule makes a message when a state crosses its \
            line, and 'hubpair messages' shows it.

            EXAMPLES:
              hubpair home rule
              hubpair home rule add Leak 'Water sensor' --when on --alarm
              hubpair home rule remove Leak
            """,
        subcommands: [List.self, Add.self, Remove.self], defaultSubcommand: List.self)
}

extension HomeRuleCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the rules.",
            discussion: """
                EXAMPLES:
                  hubpair home rule
                  hubpair home rule list --json
                """)
        @OptionGroup var home: HouseholdOptions
        @Flag(help: .json) var json = false

        func run() async throws { try await home.use(list) }

        private func list(_ session: HomeSession) async throws {
            async let rooms = session.rooms(isNeeded: false)
            let rules = try await KeepRules(session.household).all()
            session.note(rules.map(\.name), as: .rule)
            let units = try await rooms.units
            if json { return try JSONLine.write(rules.map { $0.json(session, units) }) }
            if rules.isEmpty {
                return Console.note(
                    "\(session.hub.name) has no rules yet; "
                        + "'hubpair home rule add NAME APPLIANCE --when on' makes one")
            }
            // A rule may outlive its appliance, and the server may be away.
            let devices = (try? await session.devices()) ?? []
            try Table(
                columns: ["RULE", "KIND", "WHEN", "ARMED IN", "TEXT", Authors.title],
                rows: rules.map { rule in
                    let device = devices.first { $0.id == rule.device }
                    let activator = device?.activators.first { $0.id == rule.activator }
                    let name = device.map { shortened($0.name) } ?? shortened(rule.device)
                    let what = activator.map { "\(name): \(shortened($0.name))" } ?? name
                    let besides = rule.proviso.flatMap { RuleProviso($0)?.words(devices) }
                    return [
                        rule.name, shortened(rule.kind),
                        "\(what) \(shortened(rule.words(units)))" + (besides.map { ", and \($0)" } ?? ""),
                        rule.scenes?.joined(separator: ", ") ?? "always", rule.text, rule.authors.cell,
                    ]
                }, limits: [40, 12, 60, 40, 80]
            ).write()
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Make a rule, or replace the one of that name.",
            discussion: """
                EXAMPLES:
                  hubpair home rule add Leak 'Water sensor' --when on --alarm
                  hubpair home rule add Warm Thermometer --when 'above 25 °C'
                  hubpair home rule add Door 'Front door' --when off --alarm --in Away
                  hubpair home rule add Hall Motion --when on --and 'Lamp off' --run Hi
                """)
        @OptionGroup var home: HouseholdOptions
        @Flag(help: .json) var json = false
        @Option(
            help: ArgumentHelp(
                "on, off, 'above 0.8', 'below 20%', or 'above 25' in the unit of 'home unit'.",
                valueName: "condition"))
        var when: String
        @Flag(help: "An alarm, which stays open until somebody acknowledges it.") var alarm = false
        @Option(help: "What people read. (default: the appliance and its state)") var text: String?
        @Option(
            name: .customLong("in"),
            help: ArgumentHelp(
                "Armed in this scene of the hub; repeatable. (default: always)", valueName: "scene")
        )
        var scenes: [String] = []
        @Option(
            name: .customLong("run"),
            help: ArgumentHelp("The hub's scene that it runs.", valueName: "scene"))
        var sceneToRun: String?
        @Option(
            help: ArgumentHelp(
                "What must hold besides: an appliance and a condition, like 'Hall light off'.",
                valueName: "state"))
        var and: String?
        @Option(
            help: ArgumentHelp(
                "The activator. (default: the main one; for a number the one for a level)",
                valueName: "activator"))
        var activator: String?
        @Argument(help: "The rule's name, 1 to 63 bytes.") var name: String
        @Argument(help: .appliance, completion: NameCompletion.appliances) var device: String

        func run() async throws {
            let name = try PeerName(name)
            let said = try SaidCondition(when)
            try await home.use { session in
                async let rooms = session.rooms()
                let devices = try await session.devices()
                let device = try Selection(self.device).device(in: devices)
                let units = try await rooms.units
                let target = try target(of: device, said, units)
                let unit = units[device.id, target.id]
                let condition = try said.condition(on: target, of: device.name, unit)
                let words = condition.amount(in: unit) == nil ? when : condition.words(in: unit)
                let scenes = try self.scenes.map { try HouseholdNames.newGroup($0, of: .scene) }
                let rule = SharedRule(
                    Rule(
                        name: name, device: device.id, activator: target.id, condition: condition,
                        kind: alarm ? .alarm : .notification,
                        text: text ?? "\(shortened(device.name)): \(shortened(target.name)) is \(words)",
                        scenes: scenes.isEmpty ? nil : scenes,
                        run: try sceneToRun.map { try HouseholdNames.newGroup($0, of: .scene) },
                        proviso: try and.map { try proviso($0, devices, units) }))
                try await KeepRules(session.household).put(rule)
                session.note([rule.name], as: .rule, adding: true)
                if json { return try JSONLine.write(rule.json(session, units)) }
                Console.note("the rule \(quoted(rule.name)) stands on \(session.hub.name)")
                try await warn(of: rule, session)
            }
        }

        /// `Hall light off`: the condition is what the words end with.
        private func proviso(
            _ text: String, _ devices: [ControlledDevice], _ units: StateUnits
        ) throws -> RuleProviso {
            let words = text.split(separator: " ").map(String.init)
            for count in 1...3 where count < words.count {
                guard let said = try? SaidCondition(words.suffix(count).joined(separator: " ")) else {
                    continue
                }
                let name = words.dropLast(count).joined(separator: " ")
                let device = try Selection(name).device(in: devices)
                let line = said.isLine ? try units.activator(of: device) : device.main
                guard let line else { continue }
                let condition = try said.condition(on: line, of: device.name, units[device.id, line.id])
                if let proviso = RuleProviso(
                    device: device.id, activator: line.id, condition: condition)
                {
                    return proviso
                }
            }
            throw UsageMistake(
                "\(quoted(text)) is no appliance and its state", hint: "give one like 'Hall light off'")
        }

        private func target(of device: ControlledDevice, _ said: SaidCondition, _ units: StateUnits) throws
            -> Activator
        {
            if let activator { return try Selection(activator).activator(of: device) }
            if said.isLine { return try units.activator(of: device) }
            guard let main = device.main else {
                throw UsageMistake(
                    "\(quoted(device.name)) has no main activator",
                    hint: "name one with --activator: "
                        + device.activators.prefix(8).map { quoted($0.name) }.joined(separator: ", "))
            }
            return main
        }

        /// Scenes need not exist yet; a slip in a name would leave the rule silent.
        private func warn(of rule: SharedRule, _ session: HomeSession) async throws {
            let named = (rule.scenes ?? []) + [rule.run].compactMap(\.self)
            guard !named.isEmpty else { return }
            let known = Set(try await SharedScenes(session.household).all().map { $0.name.lowercased() })
            for name in named where !known.contains(name.lowercased()) {
                Console.note("warning: the hub has no scene \(quoted(name)) yet")
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove a rule.",
            discussion: """
                EXAMPLES:
                  hubpair home rule remove Leak
                  hubpair home rule remove 'Front door' --hub Garden
                """)
        @OptionGroup var home: HouseholdOptions
        @Argument(help: "The rule's name.", completion: NameCompletion.rules) var name: String

        func run() async throws {
            try await home.change { session in
                let rules = KeepRules(session.household)
                let name = try Selection(self.name).offer(
                    among: try await rules.all().map(\.name), kind: "rule")
                try await rules.remove(name)
                Console.note("the rule \(quoted(name)) is removed")
            }
        }
    }
}

extension RuleProviso {
    fileprivate func words(_ devices: [ControlledDevice]) -> String {
        let device = devices.first { $0.id == self.device }
        let part = device?.activators.first { $0.id == activator }?.name
        let names = [device?.name ?? self.device, part].compactMap(\.self).map { shortened($0) }
        return "\(names.joined(separator: ": ")) \(condition)"
    }
}

extension SharedRule {
    /// The condition, in the unit of its activator.
    fileprivate func words(_ units: StateUnits) -> String {
        RuleCondition(condition)?.words(in: units[device, activator]) ?? condition
    }

    fileprivate func json(_ session: HomeSession, _ units: StateUnits) -> JSONValue {
        var line: [String: JSONValue] = ["rule": .string(name)]
        line.add(RuleCondition(condition)?.amount(in: units[device, activator]))
        return session.line(line, fields, authors.members)
    }
}
