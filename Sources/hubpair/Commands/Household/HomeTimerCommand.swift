import ArgumentParser
import FoundationEssentials
import Glibc
import Home
import HubClient
import Identity
import JSON

/// `hubpair home timer`: an order that waits for its time, or is taken back then.
struct HomeTimerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "timer",
        abstract: "Set an appliance for 10 minutes, in 10 minutes or until 22:00.",
        usage:
            "hubpair home timer [<appliance> [on|off|40%|21 --for <time> | --in <time> | --until <time> | "
            + "--clear]] [--activator <activator>] [--yes] [--hub <hub>] [--config <directory>] [--json]",
        discussion: """
            The hub keeps it over restarts. --for and --until set the appliance now, and off then; --in sets \
            it then. An appliance has one timer for each activator; a new one takes its place. Without an \
            appliance those that wait are listed.

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
        help: ArgumentHelp("Now, and off after so long: 20m.", valueName: "time"),
        transform: durationValue(atMost: longest, like: "20m"))
    var lasts: Duration?
    @Option(
        name: .customLong("in"), help: ArgumentHelp("After so long: 10m.", valueName: "time"),
        transform: durationValue(atMost: longest, like: "10m"))
    var later: Duration?
    @Option(help: ArgumentHelp("Now, and off at this time of the day: 22:00.", valueName: "time"))
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
        guard (setting == nil) == (times == 0) else {
            throw ValidationError(
                setting == nil
                    ? "missing: what to set it to. Say on, off or a level"
                    : "missing: the time. Say --for 20m, --in 10m or --until 22:00")
        }
        guard device == nil || setting != nil || clear else {
            throw ValidationError("missing: what to set it to. Say hubpair home timer Lamp on --for 20m")
        }
        if let until, TimeToday.seconds(until: until) == nil {
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
            guard !appliance.onlyTells else { throw OnlyTells(device: appliance.name) }
            let order = try Order(appliance, named, to: said, rooms.units)
            try guardian.confirm([order], devices)
            try await set(order, timers, session, rooms.units)
        }
    }

    private func set(
        _ order: Order, _ timers: KeepTimers, _ session: HomeSession, _ units: StateUnits
    ) async throws {
        let seconds =
            (lasts ?? later).map { Int64($0.inSeconds.rounded(.up)) }
            ?? until.flatMap(TimeToday.seconds(until:)) ?? 0
        if later != nil {
            let timer = try await timers.put(
                order.state, device: order.device, activator: order.activator, after: seconds)
            return try say(timer, order.name, session)
        }
        let end: JSONValue = if case .boolean(let isOn) = order.state { .boolean(!isOn) } else { .number(0) }
        // The end is kept before it begins: nothing runs for ever because the network broke off between.
        let timer = try await timers.put(
            end, device: order.device, activator: order.activator, after: seconds)
        do {
            try await HomeOrders(session: session, timeout: confirmation.timeout, units: units)
                .runAndReport([order], asJSON: false)
        } catch {
            try? await timers.remove(device: order.device, activator: order.activator)
            throw error
        }
        try say(timer, order.name, session)
    }

    private func say(_ timer: KeepTimers.Timer, _ name: String, _ session: HomeSession) throws {
        if json { return try JSONLine.write(row(timer, name, session)) }
        Console.note("\(SafeText.escaped(name)) \(words(timer))")
    }

    private func row(_ timer: KeepTimers.Timer, _ name: String, _ session: HomeSession) -> JSONValue {
        var line = session.householdJSON
        (line["device"], line["activator"]) = (.string(timer.device), .string(timer.activator))
        (line["name"], line["state"]) = (.string(name), timer.state)
        (line["due"], line["author"]) = (.string(timer.due.timestamp), .string(timer.name))
        return .object(line)
    }

    private func words(_ timer: KeepTimers.Timer) -> String {
        let state =
            switch timer.state {
            case .boolean(let isOn): isOn ? "on" : "off"
            default: timer.state.asDouble.map { Setting.level($0).text } ?? timer.state.text
            }
        return "is set to \(state) at \(LocalTime(timer.due).text(seenAt: Date()))"
    }

    private func remove(
        _ named: Activator?, of device: ControlledDevice, _ timers: KeepTimers
    ) async throws {
        let found = try await timers.all().filter {
            $0.device == device.id && (named == nil || $0.activator == named?.id)
        }
        guard !found.isEmpty else { throw NoTimer(device: device.name) }
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
        if json { return try JSONLine.write(named.map { row($0.timer, $0.name, session) }) }
        if timers.isEmpty {
            return Console.note("nothing waits; 'hubpair home timer Lamp on --for 10m' sets one")
        }
        for (timer, name) in named { try Console.output("\(SafeText.escaped(name)) \(words(timer))") }
    }
}

/// A time of this or the next day, by this computer's clock.
enum TimeToday {
    /// How long it is until `HH:MM`; nil for what is no time.
    static func seconds(until text: String) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ (1...2).contains($0.utf8.count) }),
            let hour = Int32(parts[0]), let minute = Int32(parts[1]), (0...23).contains(hour),
            (0...59).contains(minute)
        else { return nil }
        var now = time(nil)
        var day = tm()
        guard localtime_r(&now, &day) != nil else { return nil }
        (day.tm_hour, day.tm_min, day.tm_sec, day.tm_isdst) = (hour, minute, 0, -1)
        var end = mktime(&day)
        if end <= now {
            day.tm_mday += 1
            day.tm_isdst = -1
            end = mktime(&day)
        }
        return end > now ? Int64(end - now) : nil
    }
}

private struct NoTimer: UserError {
    let device: String

    var description: String { "\(quoted(device)) has no timer" }
    var hint: String? { "'hubpair home timer' lists those that wait" }
    var kind: UserErrorKind { .notFound }
}
