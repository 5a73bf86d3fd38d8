import ArgumentParser
import Home
import HubClient
import Identity

/// `hubpair home timer`: an order that waits for its time, or is taken back then.
struct HomeTimerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "timer",
        abstract: "Set an appliance for 10 minutes, in 10 minutes or until 22:00.",
        usage:
            "hubpair home timer [<appliance> [on|off|40%|21]] [--for <time>] [--in <time>] [--until <time>] "
            + "[--clear] [--activator <activator>] [--yes] [--hub <hub>] [--config <directory>] [--json]",
        discussion: """
            The hub keeps it over restarts. --for and --until set the appliance now, and take that back \
            then; --in sets it then. An appliance has one timer for each activator; a new one takes its \
            place. Without an appliance those that wait are listed.

            EXAMPLES:
              hubpair home timer Sprinkler on --for 20m
              hubpair home timer 'Desk lamp' off --in 10m
              hubpair home timer 'Terrace light' on --until 22:00
              hubpair home timer Sprinkler --clear
            """)
    /// As the hub has it.
    private static let longest = Duration.seconds(604_800)

    @OptionGroup var home: HouseholdOptions
    @Flag(help: .json) var json = false
    @OptionGroup var guardian: OrderGuard
    @OptionGroup var confirmation: ConfirmationOption
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("Now, and back after so long: 20m.", valueName: "time"),
        transform: durationValue(atMost: longest, like: "20m", bare: (61, "m")))
    var lasts: Duration?
    @Option(
        name: .customLong("in"), help: ArgumentHelp("After so long: 10m.", valueName: "time"),
        transform: durationValue(atMost: longest, like: "10m", bare: (61, "m")))
    var later: Duration?
    @Option(help: ArgumentHelp("Now, and back at this time of the day: 22:00.", valueName: "time"))
    var until: String?
    @Flag(help: "Take the timer away.") var clear = false
    @Option(help: ArgumentHelp("The activator. (default: the main one)", valueName: "activator"))
    var activator: String?
    @Argument(help: .appliance, completion: NameCompletion.appliances) var device: String?
    @Argument(help: ArgumentHelp("on, off, a level or a number in its unit.", valueName: "setting"))
    var setting: String?

    func validate() throws {
        let times = [lasts != nil, later != nil, until != nil].count { $0 }
        guard times <= 1 else {
            throw ValidationError("--for, --in and --until exclude each other. Leave one in")
        }
        guard !clear || device != nil && setting == nil && times == 0 else {
            throw ValidationError("--clear takes an appliance, and nothing else")
        }
        // One appliance at a time: nobody sees which of all were meant.
        guard !clear || !["all", "alle", "everything", "alles"].contains(device?.lowercased()) else {
            throw ValidationError("--clear takes one appliance. Say hubpair home timer APPLIANCE --clear")
        }
        if times == 0, let device, let setting, let span = SaidTime.span(setting)?.written {
            throw ValidationError(
                "missing: what to set it to. Say "
                    + "\(SuggestedLine(["home", "timer"], [device, "on", "--for", span]))")
        }
        guard (setting == nil) == (times == 0) else {
            throw ValidationError(
                setting == nil
                    ? "missing: what to set it to. Say on, off or a level"
                    : "missing: the time. Say --for 20m, --in 10m or --until 22:00")
        }
        guard device == nil || setting != nil || clear else {
            throw ValidationError("missing: what to set it to. Say hubpair home timer Lamp on --for 20m")
        }
        if let until, TimedOrders.clock(until) == nil {
            throw ValidationError("\(quoted(until)) is no time of the day. Say one like 22:00")
        }
    }

    func run() async throws {
        let said = try setting.map { try SaidSetting($0) }
        try await home.use { session in
            let timers = KeepTimers(session.household)
            guard let device else {
                return try list(try await timers.all(), try await session.devices(), session)
            }
            let rooms = try await session.rooms(isNeeded: false)
            let devices = rooms.kinds.applied(to: try await session.devices())
            let appliance = try Selection(device).device(in: devices)
            let named = try activator.map { try Selection($0).activator(of: appliance) }
            guard let said else { return try await remove(named, of: appliance, timers) }
            try appliance.checkIsSettable()
            let order = try Order(appliance, named, to: said, rooms.units)
            let ends = time.map { TimedOrders.ends([order], $0) } ?? []
            try guardian.confirm([order] + ends, devices)
            try await give(order, session, rooms.units)
        }
    }

    private var time: SpokenTime.Kind? {
        if let lasts { return .lasting(Int64(lasts.inSeconds.rounded(.up))) }
        if let later { return .later(Int64(later.inSeconds.rounded(.up))) }
        return until.flatMap(TimedOrders.clock)
    }

    private func give(_ order: Order, _ session: HomeSession, _ units: StateUnits) async throws {
        guard let time else { return }
        let timed = TimedOrders(session: session, timeout: confirmation.timeout, units: units)
        let (kept, results) = try await timed.give([order], time)
        let run = HomeOrders(session: session, timeout: confirmation.timeout, units: units)
        if json {
            try JSONLine.write(kept.map { timed.row($0.timer, $0.name) })
        } else {
            try run.report(results)
            TimedOrders.tell(kept)
        }
        run.nameFailures(results)
        let worst = ExitStatus.worst(of: results.map(\.status))
        if worst != .done { throw worst }
    }

    private func remove(
        _ named: Activator?, of device: ControlledDevice, _ timers: KeepTimers
    ) async throws {
        let found = try await timers.all().filter {
            $0.device == device.id && (named == nil || $0.activator == named?.id)
        }
        guard !found.isEmpty else {
            throw Failure(
                .notFound, "\(quoted(device.name)) has no timer",
                hint: "'hubpair home timer' lists those that wait")
        }
        for timer in found { try await timers.remove(device: timer.device, activator: timer.activator) }
        Console.note("\(quoted(device.name)) has no timer now")
    }

    private func list(
        _ timers: [KeepTimers.Timer], _ devices: [ControlledDevice], _ session: HomeSession
    ) throws {
        let named = timers.map { timer in
            let device = devices.first { $0.id == timer.device }
            let part = device?.activators.first { $0.id == timer.activator }?.name
            let names = [device?.name ?? timer.device, part].compactMap(\.self).map { shortened($0) }
            return (timer: timer, name: names.joined(separator: ": "))
        }
        if json {
            let timed = TimedOrders(session: session, timeout: confirmation.timeout)
            return try JSONLine.write(named.map { timed.row($0.timer, $0.name) })
        }
        if timers.isEmpty {
            return Console.note("nothing waits; 'hubpair home timer Lamp on --for 10m' sets one")
        }
        for (timer, name) in named {
            try Console.output(words: "\(SafeText.escaped(name)) \(TimedOrders.words(timer))")
        }
    }
}
