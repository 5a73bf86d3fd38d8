import ArgumentParser
import Home
import HubClient
import Identity

/// Appliances that an order means by their room or type.
struct ManyAppliances: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Those in this room, or in the rooms of this area; repeatable.", valueName: "room"),
        completion: NameCompletion.rooms)
    var room: [String] = []
    @Option(
        help: "Those of this type, as 'hubpair home' lists it; case and plural do not matter; repeatable.",
        completion: NameCompletion.types)
    var type: [String] = []

    var isEmpty: Bool { room.isEmpty && type.isEmpty }

    /// The orders that bring all of them to a setting. What stays out of it is said: locks and the like if no
    /// type names them, and what cannot be set so.
    func orders(to setting: SaidSetting, _ session: HomeSession, _ guardian: OrderGuard) async throws
        -> [Order]
    {
        let rooms = try await room.isEmpty ? session.units(for: setting) : session.rooms()
        let places = try room.map { try rooms.devices(in: $0) }
        let devices = rooms.kinds.applied(to: try await session.devices())
        let targets = SpokenTargets(devices: devices)
        // `lamps` are lights.
        let types = type.map { StrayArgument.lights.contains($0.lowercased()) ? "lights" : $0 }
        let chosen = Set(try types.flatMap { try targets.devices(ofType: $0) }.map(\.id))
        let meant = targets.devices.filter { device in
            (places.isEmpty || places.contains { $0.contains(device.id) })
                && (type.isEmpty || chosen.contains(device.id))
        }
        if type.isEmpty { sayLeftAlone(meant.filter(\.staysOutOfEverything)) }
        let wanted = meant.filter { !type.isEmpty || !$0.staysOutOfEverything }
        let orders = try wanted.filter { !isOnlyTelling($0) }.compactMap { device -> Order? in
            do throws(SettingError) {
                return try Order(device, to: setting, rooms.units)
            } catch {
                switch error {
                // The number is wrong, not the appliance.
                case .beyondUnit, .otherUnit: throw error
                default: break
                }
                let isSwitch = setting == .setting(.on) || setting == .setting(.off)
                let words = isSwitch ? "switched" : "set to \(setting.text)"
                Console.note("\(quoted(device.name)) cannot be \(words), and is left alone")
                return nil
            }
        }
        try guardian.confirm(orders, devices)
        return orders
    }

    private func isOnlyTelling(_ device: ControlledDevice) -> Bool {
        if device.onlyTells { Console.note("\(quoted(device.name)) only tells, and is left alone") }
        return device.onlyTells
    }
}

/// What `hubpair home on` and `hubpair home off` take, and do.
struct SwitchOptions: ParsableArguments {
    @OptionGroup var home: HomeOptions
    @Flag(help: .json) var json = false
    @OptionGroup var confirmation: ConfirmationOption
    @OptionGroup var guardian: OrderGuard
    @OptionGroup var appliances: ManyAppliances
    @Flag(help: "All appliances but locks, blinds, heatings and sensors.") var all = false
    @Flag(help: "On every hub, one after the other.") var allHubs = false

    /// - Parameter word: `on` or `off`.
    func check(_ word: String) throws {
        try home.check(allHubs: allHubs)
        guard all == appliances.isEmpty else {
            throw ValidationError(
                "'home \(word)' takes --room, --type or --all. "
                    + "Say hubpair home \(word) --room Kitchen, or hubpair home \(word) --type Light")
        }
    }

    func run(_ setting: Setting) async throws {
        try await home.choice.useEach(within: confirmation, allHubs: allHubs) { session in
            let orders = try await appliances.orders(to: .setting(setting), session, guardian)
            if orders.isEmpty { return Console.note("there is nothing to switch \(setting.text)") }
            try await HomeOrders(session: session, timeout: confirmation.timeout).runAndReport(
                orders, asJSON: json)
        }
    }
}
