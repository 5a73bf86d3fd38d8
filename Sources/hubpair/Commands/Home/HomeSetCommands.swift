import ArgumentParser
import Home
import HubClient
import Identity

/// `hubpair home set`: one activator of one appliance.
struct HomeSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set an appliance to on, off, or a level.",
        usage:
            "hubpair home set <appliance> [<activator>] on|off|0.4|40% [--hub <hub>] [--insecure] "
            + "[--timeout <time>] [--config <directory>] [--json]",
        discussion: """
            Without <activator> the main one is set. Of a lamp with a switch and a brightness, on and \
            off go to the switch, and a level to the brightness. The state is read back, and said.

            EXAMPLES:
              hubpair home set Lamp on
              hubpair home set 'Kitchen light' 40%
              hubpair home set Lamp dimmer 0.4
            """)
    @OptionGroup var home: HomeOptions
    @Flag(help: .json) var json = false
    @OptionGroup var confirmation: ConfirmationOption
    @Argument(help: .appliance, completion: NameCompletion.appliances) var device: String
    @Argument(help: ArgumentHelp("The activator to set. (default: the main one)", valueName: "activator"))
    var second: String
    @Argument(help: ArgumentHelp("on, off, a level from 0 to 1, or a percentage.", valueName: "setting"))
    var third: String?

    func run() async throws {
        if third == nil, (try? Setting(second)) == nil, (try? Setting(device)) != nil {
            throw UsageMistake(
                "the appliance comes first, and then what to set it to", meant: ["home", "set"],
                [second, device], of: HomeSetCommand.self)
        }
        let setting = try Setting(third ?? second)
        try await home.use { try await set(to: setting, $0) }
    }

    private func set(to setting: Setting, _ session: HomeSession) async throws {
        let devices = try await session.devices()
        let (device, activator): (ControlledDevice, Activator)
        do {
            device = try Selection(self.device).device(in: devices)
            activator =
                try third == nil
                ? device.activator(for: setting) : Selection(second).activator(of: device)
        } catch let error as SelectionError {
            throw forgottenQuotes(among: devices) ?? error
        }
        try await HomeOrders(session: session, timeout: confirmation.timeout).runAndReport(
            [Order(device, activator, to: setting)], asJSON: json)
    }

    /// `home set Device 0 on`: the error for a name of two words without quotation marks.
    private func forgottenQuotes(among devices: [ControlledDevice]) -> UsageMistake? {
        guard let third, let meant = try? Selection("\(device) \(second)").device(in: devices) else {
            return nil
        }
        return UsageMistake(
            "\(quoted(device)) and \(quoted(second)) are two words",
            hint: "put a name with spaces in quotes: "
                + "\(SuggestedLine(["home", "set"], [meant.name, third], of: HomeSetCommand.self))")
    }
}

/// `hubpair home off`: every appliance, or every one of a type.
struct HomeOffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "off",
        abstract: "Switch off all appliances of a type, or all there are.",
        discussion: """
            --all leaves locks alone, since off may open them, and blinds, heatings and sensors. '--type \
            Lock' means locks.

            EXAMPLES:
              hubpair home off --all
              hubpair home off --type lights
            """)
    @OptionGroup var home: HomeOptions
    @Flag(help: .json) var json = false
    @OptionGroup var confirmation: ConfirmationOption
    @Option(
        help: "The type, as 'hubpair home' lists it; its case, and a plural, do not matter; repeatable.")
    var type: [String] = []
    @Flag(help: "All appliances but locks, blinds, heatings and sensors.") var all = false

    func validate() throws {
        guard all == type.isEmpty else {
            throw ValidationError(
                "'home off' takes either --type or --all. "
                    + "Say hubpair home off --all, or hubpair home off --type Light")
        }
    }

    func run() async throws { try await home.use(switchOff) }

    private func switchOff(_ session: HomeSession) async throws {
        let targets = SpokenTargets(devices: try await session.devices())
        let chosen = Set(try type.flatMap { try targets.devices(ofType: $0) }.map(\.id))
        let meant = targets.devices.filter { all ? !$0.staysOutOfEverything : chosen.contains($0.id) }
        if all { sayLeftAlone(targets.devices.filter(\.staysOutOfEverything)) }
        let able = meant.filter(\.canBeSwitched)
        for device in meant where !device.canBeSwitched {
            Console.note("\(quoted(device.name)) cannot be switched, and is left alone")
        }
        let orders = try able.map { device in
            try Order(device, device.activator(for: .off), to: .off)
        }
        if orders.isEmpty { return Console.note("there is nothing to switch off") }
        try await HomeOrders(session: session, timeout: confirmation.timeout).runAndReport(
            orders, asJSON: json)
    }
}

/// Names the appliances, mostly locks, that an order for many appliances leaves alone.
func sayLeftAlone(
    _ locks: [ControlledDevice], _ reason: String = "left alone, since it is not named"
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
