import ArgumentParser
import Home
import HubClient
import Identity

extension HomeCommand {
    /// `hubpair home set`: one activator of one appliance.
    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Set an appliance to on, off, or a level.",
            usage:
                "hubpair home set <appliance> [<activator>] on|off|0.4|40% "
                + "[--hub <hub>] [--timeout <seconds>] [--json]",
            discussion: """
                Without ACTIVATOR the main one is set; a level goes to the only one that has levels, if the \
                main one has none. The state is read back, and said.
                """)
        @OptionGroup var home: HomeOptions
        @Flag(help: .json) var json = false
        @OptionGroup var confirmation: ConfirmationOption
        @Argument(help: .appliance) var device: String
        @Argument(help: ArgumentHelp("The activator to set; else the main one.", valueName: "activator"))
        var second: String
        @Argument(help: ArgumentHelp("on, off, a level from 0 to 1, or a percentage.", valueName: "setting"))
        var third: String?

        func run() async throws {
            let setting = try Setting(third ?? second)
            try await home.use { try await set(to: setting, $0) }
        }

        private func set(to setting: Setting, _ session: HomeSession) async throws {
            let device = try Selection(device).device(in: await session.devices())
            let activator =
                try third == nil ? device.activator(for: setting) : Selection(second).activator(of: device)
            try await HomeOrders(session: session, timeout: confirmation.timeout).runAndReport(
                [Order(device, activator, to: setting)], asJSON: json)
        }
    }

    /// `hubpair home off`: every appliance, or every one of a type.
    struct Off: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "off",
            abstract: "Switch off all appliances of a type, or all there are.",
            discussion: "--all leaves locks alone: off may open them. '--type Lock' means them.")
        @OptionGroup var home: HomeOptions
        @Flag(help: .json) var json = false
        @OptionGroup var confirmation: ConfirmationOption
        @Option(
            help: "The type, as 'hubpair home' lists it; its case, and a plural, do not matter; repeatable.")
        var type: [String] = []
        @Flag(help: "All appliances but locks.") var all = false

        func validate() throws {
            guard all == type.isEmpty else {
                throw ValidationError("'home off' takes either --type or --all")
            }
        }

        func run() async throws { try await home.use(switchOff) }

        private func switchOff(_ session: HomeSession) async throws {
            let targets = SpokenTargets(devices: try await session.devices())
            let chosen = Swift.Set(try type.flatMap { try targets.devices(ofType: $0) }.map(\.id))
            let meant = targets.devices.filter { all ? !$0.isLock : chosen.contains($0.id) }
            if all { sayLeftAlone(targets.devices.filter(\.isLock)) }
            let able = meant.filter(\.canBeSwitched)
            for device in meant where !device.canBeSwitched {
                Console.note("\(quoted(device.name)) cannot be switched, and is left alone")
            }
            let orders = try able.compactMap { device in
                try device.main.map { try Order(device, $0, to: .off) }
            }
            if orders.isEmpty { return Console.note("there is nothing to switch off") }
            try await HomeOrders(session: session, timeout: confirmation.timeout).runAndReport(
                orders, asJSON: json)
        }
    }
}

/// Names the locks that an order for many appliances leaves alone.
func sayLeftAlone(
    _ locks: [ControlledDevice], _ reason: String = "left alone, since off may open it"
) {
    guard !locks.isEmpty else { return }
    let names = locks.prefix(8).map { quoted($0.name) }.joined(separator: ", ")
    Console.note(
        "\(reason): \(names)\(locks.count > 8 ? " and \(locks.count - 8) more" : "")")
}

/// A level below 0, as in `home set lamp -1`. ArgumentParser takes it for an option, and would say that an
/// argument is missing.
enum NegativeSetting {
    private static let optionsWithValue: Set<String> = ["--hub", "--timeout", "--config"]

    /// The error for the first negative level in the arguments of `home set`, if any.
    static func error(in arguments: [String]) -> SettingError? {
        guard arguments.starts(with: ["home", "set"]) else { return nil }
        var isValue = false
        for argument in arguments.dropFirst(2).prefix(while: { $0 != "--" }) {
            let next = argument.utf8.dropFirst().first ?? 0
            let isNumber = (0x30...0x39).contains(next) || next == UInt8(ascii: ".")
            if !isValue, isNumber, argument.utf8.first == UInt8(ascii: "-") { return .outOfRange(argument) }
            isValue = optionsWithValue.contains(argument)
        }
        return nil
    }
}
