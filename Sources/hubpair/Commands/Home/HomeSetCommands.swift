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
            "hubpair home set <appliance> [<activator>] on|off|0.4|40%|21 [--room <room> ...] "
            + "[--type <type> ...] [--hub <hub>] [--insecure] [--timeout <time>] [--yes] "
            + "[--config <directory>] [--json]",
        discussion: """
            Without <activator> the main one is set. Of a lamp with a switch and a brightness, on and \
            off go to the switch, and a level to the brightness. The state is read back, and said. With \
            --room or --type only the setting is given, for all of them. Where 'hubpair home unit' has said \
            what the levels count, a number is one of these: degrees, minutes.

            EXAMPLES:
              hubpair home set Lamp on
              hubpair home set --room Kitchen --type Light 40%
              hubpair home set Lamp dimmer 0.4
              hubpair home set Thermostat 21
            """)
    @OptionGroup var home: HomeOptions
    @Flag(help: .json) var json = false
    @OptionGroup var confirmation: ConfirmationOption
    @OptionGroup var guardian: OrderGuard
    @OptionGroup var appliances: ManyAppliances
    @Argument(help: .appliance, completion: NameCompletion.appliances) var device: String
    @Argument(
        help: ArgumentHelp("The activator to set. (default: the main one)", valueName: "activator"),
        completion: .list(["on", "off"]))
    var second: String?
    @Argument(
        help: ArgumentHelp(
            "on, off, a level from 0 to 1, a percentage, or a number in its unit.", valueName: "setting"),
        completion: .list(["on", "off"]))
    var third: String?

    /// What locks, doors and blinds do, in sentences.
    private static let verbs = [
        "lock": "lock", "unlock": "unlock", "open": "open", "close": "close", "raise": "raise",
        "lower": "lower", "up": "raise", "down": "lower",
    ]

    func validate() throws {
        guard (second == nil) != appliances.isEmpty else {
            throw ValidationError(
                appliances.isEmpty
                    ? "missing: what to set it to"
                    : "with --room or --type only the setting is given. "
                        + "Say hubpair home set --room Kitchen 40%")
        }
    }

    func run() async throws {
        guard let second else {
            let setting = try SaidSetting(device)
            return try await home.use(within: confirmation) { session in
                let orders = try await appliances.orders(to: setting, session, guardian)
                if orders.isEmpty { return Console.note("there is nothing to set to \(setting.text)") }
                let units = try await session.units(for: setting).units
                try await HomeOrders(session: session, timeout: confirmation.timeout, units: units)
                    .runAndReport(orders, asJSON: json)
            }
        }
        if third == nil, (try? SaidSetting(second)) == nil, (try? SaidSetting(device)) != nil {
            throw UsageMistake(
                "the appliance comes first, and then what to set it to", meant: ["home", "set"],
                [second, device])
        }
        if let third, let both = SaidSetting(second, third) {
            return try await home.use(within: confirmation, holding: device) {
                try await set(nil, to: both, $0)
            }
        }
        if third == nil, let verb = HomeSetCommand.verbs[second.lowercased()] {
            throw UsageMistake(
                "\(quoted(second)) is a word of 'hubpair home say'", meant: ["home", "say"],
                [verb, device])
        }
        if third == nil, second.lowercased() == "toggle" {
            throw UsageMistake("\(quoted(second)) is not a value", hint: CommandSynonyms.toggle)
        }
        let setting = try SaidSetting(third ?? second)
        try await home.use(within: confirmation, holding: device) {
            try await set(third == nil ? nil : second, to: setting, $0)
        }
    }

    /// - Parameter named: the activator, as it was named.
    private func set(_ named: String?, to setting: SaidSetting, _ session: HomeSession) async throws {
        async let rooms = session.units(for: setting)
        let listed = try await session.devices()
        let units = try await rooms.units
        let devices = try await rooms.kinds.applied(to: listed)
        let (device, activator): (ControlledDevice, Activator)
        do {
            device = try Selection(self.device).device(in: devices)
            activator =
                try named.map { try Selection($0).activator(of: device) }
                ?? setting.activator(of: device, units)
        } catch let error as SelectionError {
            if let named, let mistake = forgottenQuotes(named, among: devices) { throw mistake }
            if let mistake = allMistake(setting) ?? manyMistake(named, setting, devices) { throw mistake }
            throw try await isRoom(session) ? roomMistake(setting) : error
        }
        try device.checkIsSettable()
        let order = try Order(device, activator, to: setting, units)
        try guardian.confirm([order], devices)
        try await HomeOrders(session: session, timeout: confirmation.timeout, units: units).runAndReport(
            [order], asJSON: json)
    }

    /// True if the name is that of a room.
    private func isRoom(_ session: HomeSession) async throws -> Bool {
        try await session.rooms(isNeeded: false).rooms.contains {
            $0.name.lowercased() == device.lowercased()
        }
    }

    private func roomMistake(_ setting: SaidSetting) -> UsageMistake {
        let line = SuggestedLine(
            ["home", "set"], ["--room", device, third ?? second ?? setting.text])
        return UsageMistake(
            "\(quoted(device)) is a room, and no appliance", hint: "for all that is in it: \(line)")
    }

    /// `home set all off`
    private func allMistake(_ setting: SaidSetting) -> UsageMistake? {
        let word = third ?? second ?? setting.text
        guard ["all", "everything", "alle", "alles"].contains(device.lowercased()),
            ["on", "off"].contains(word.lowercased())
        else { return nil }
        return UsageMistake(
            "\(quoted(device)) is no appliance",
            hint: "all but locks, blinds, heatings and sensors: "
                + "\(SuggestedLine(["home", word.lowercased()], ["--all"]))")
    }

    /// `home set lights on`, `home set 'Desk lamp' 'Hall light' on`: more than one are meant.
    private func manyMistake(
        _ named: String?, _ setting: SaidSetting, _ devices: [ControlledDevice]
    ) -> UsageMistake? {
        let word = third ?? second ?? setting.text
        if let named {
            let names = [device, named].compactMap { try? Selection($0).device(in: devices).name }
            guard names.count == 2 else { return nil }
            return UsageMistake(
                "\(quoted(named)) is an appliance, too",
                hint: "one at a time: \(SuggestedLine(["home", "set"], [names[0], word]))")
        }
        // `lamps` are lights.
        let type = StrayArgument.lights.contains(device.lowercased()) ? "lights" : device
        guard Selection(type).isType(among: devices) else { return nil }
        return UsageMistake(
            "\(quoted(device)) is a type, and no appliance",
            hint: "for all of it: \(SuggestedLine(["home", "set"], ["--type", type, word]))")
    }

    /// `home set Device 0 on`: the error for a name of two words without quotation marks.
    private func forgottenQuotes(_ second: String, among devices: [ControlledDevice]) -> UsageMistake? {
        guard let third, let meant = try? Selection("\(device) \(second)").device(in: devices) else {
            return nil
        }
        return UsageMistake(
            "\(quoted(device)) and \(quoted(second)) are two words",
            hint: "put a name with spaces in quotes: "
                + "\(SuggestedLine(["home", "set"], [meant.name, third]))")
    }
}

/// `hubpair home on`: every appliance of a room or a type.
struct HomeOnCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "on",
        abstract: "Switch on all appliances of a room or a type.",
        discussion: """
            Locks, blinds, heatings and sensors are left alone, since on may open them; '--type Lock' means \
            locks.

            EXAMPLES:
              hubpair home on --room Kitchen
              hubpair home on --type Light --room Upstairs
            """)
    @OptionGroup var options: SwitchOptions

    func validate() throws { try options.check("on") }
    func run() async throws { try await options.run(.on) }
}

/// `hubpair home off`: every appliance, or every one of a room or a type.
struct HomeOffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "off",
        abstract: "Switch off all appliances of a room or a type, or all there are.",
        discussion: """
            --all and --room leave locks alone, since off may open them, and blinds, heatings and sensors. \
            '--type Lock' means locks.

            EXAMPLES:
              hubpair home off --all
              hubpair home off --room Kitchen
              hubpair home off --type lights
            """)
    @OptionGroup var options: SwitchOptions

    func validate() throws { try options.check("off") }
    func run() async throws { try await options.run(.off) }
}

/// Names the appliances, mostly locks, that an order for many appliances leaves alone.
func sayLeftAlone(
    _ locks: [ControlledDevice], _ reason: String = "left alone, since it is not named"
) {
    guard !locks.isEmpty else { return }
    Console.note("\(reason): \(listed(locks.map { quoted($0.name) }, most: 8))")
}
