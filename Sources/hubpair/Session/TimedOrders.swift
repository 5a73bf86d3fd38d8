import FoundationEssentials
import Glibc
import Home
import HubClient
import Identity
import JSON
import Pairing

/// Orders with a time: the hub keeps what is still to be done.
struct TimedOrders {
    let session: HomeSession
    let timeout: Duration
    var units = StateUnits()

    /// Gives them, or keeps them for later.
    ///
    /// - Returns: the timers that wait now, and what came of the orders that were given at once.
    func give(
        _ orders: [Order], _ time: SpokenTime.Kind
    ) async throws -> (kept: [(timer: KeepTimers.Timer, name: String)], results: [HomeOrders.Result]) {
        let timers = KeepTimers(session.household)
        var kept: [(timer: KeepTimers.Timer, name: String)] = []
        let (seconds, isLater) = (TimedOrders.seconds(of: time), time.isNotNow)
        // The end is kept before it begins: nothing runs for ever because the network broke off between.
        for order in orders {
            let state = isLater ? order.state : TimedOrders.end(of: order)
            let timer = try await timers.put(
                state, device: order.device, activator: order.activator, after: seconds)
            kept.append((timer, order.name))
        }
        if isLater { return (kept, []) }
        let results = await HomeOrders(session: session, timeout: timeout, units: units).run(orders)
        for (result, timer) in zip(results, kept) where result.status != .done {
            // What may still follow is taken back all the same.
            guard case .failed = result.outcome else { continue }
            try? await timers.remove(device: timer.timer.device, activator: timer.timer.activator)
        }
        return (zip(results, kept).filter { $0.0.status == .done }.map(\.1), results)
    }

    /// `hubpair home timer` for an order with a time, without a question.
    func command(_ order: Order, _ time: SpokenTime.Kind, _ devices: [ControlledDevice]) -> String {
        let setting = OrderGuard.words(order.state)
        var words = ["home", "timer", order.device, setting]
        if let device = devices.first(where: { $0.id == order.device }) {
            words[2] = device.name
            let isMeant =
                (try? Order(device, to: SaidSetting(setting), units))?.activator == order.activator
            let activator = device.activators.first { $0.id == order.activator }
            if !isMeant, let activator { words += ["--activator", activator.name] }
        }
        let span = Duration.seconds(TimedOrders.seconds(of: time)).written
        words += [time.isNotNow ? "--in" : "--for", span, "--yes"]
        return "hubpair " + words.map { shellWord($0, plain: "%") }.joined(separator: " ")
    }

    /// What the ends of the orders are: nobody sees it when a door that was locked "for an hour" unlocks.
    static func ends(_ orders: [Order], _ time: SpokenTime.Kind) -> [Order] {
        guard !time.isNotNow else { return [] }
        return orders.map { order in
            Order(
                device: order.device, activator: order.activator, name: order.name, state: end(of: order))
        }
    }

    /// How it was before, or the opposite of what is ordered.
    private static func end(of order: Order) -> JSONValue {
        if case .boolean(let isOn) = order.state { return .boolean(!isOn) }
        guard let before = order.before?.asDouble, (0...1).contains(before),
            before != order.state.asDouble
        else { return .number(0) }
        return .number(before)
    }

    /// How long it is until then.
    private static func seconds(of time: SpokenTime.Kind) -> Int64 {
        switch time {
        case .later(let seconds), .lasting(let seconds): seconds
        case .until(let hour, let minute, let isEither), .at(let hour, let minute, let isEither):
            seconds(until: hour, minute, isEither)
        }
    }

    /// The same; of both halves of the day the one that comes first, if nobody has said which.
    private static func seconds(until hour: Int, _ minute: Int, _ isEither: Bool) -> Int64 {
        min(seconds(until: hour, minute), seconds(until: isEither ? (hour + 12) % 24 : hour, minute))
    }

    /// How long it is until this time of the day comes, by this computer's clock.
    private static func seconds(until hour: Int, _ minute: Int) -> Int64 {
        var now = time(nil)
        var day = tm()
        guard localtime_r(&now, &day) != nil else { return 0 }
        (day.tm_hour, day.tm_min, day.tm_sec, day.tm_isdst) = (Int32(hour), Int32(minute), 0, -1)
        var end = mktime(&day)
        if end <= now {
            (day.tm_mday, day.tm_isdst) = (day.tm_mday + 1, -1)
            end = mktime(&day)
        }
        return Int64(max(0, end - now))
    }

    /// The time `HH:MM`; nil for anything else.
    static func clock(_ text: String) -> SpokenTime.Kind? {
        guard let parts = SaidTime.clock(text)?.split(separator: ":"), let hour = Int(digits: parts[0]),
            let minute = Int(digits: parts[1])
        else { return nil }
        return .until(hour: hour, minute: minute)
    }

    func row(_ timer: KeepTimers.Timer, _ name: String) -> JSONValue {
        session.line([
            "device": .string(timer.device), "activator": .string(timer.activator), "name": .string(name),
            "state": timer.state, "due": .string(timer.due.timestamp), "author": .string(timer.name),
        ])
    }

    /// Says what waits.
    static func tell(_ kept: [(timer: KeepTimers.Timer, name: String)]) {
        for (timer, name) in kept { Console.note("\(SafeText.escaped(name)) \(words(timer))") }
    }

    static func words(_ timer: KeepTimers.Timer) -> String {
        let state =
            switch timer.state {
            case .boolean(let isOn): isOn ? "on" : "off"
            default: timer.state.asDouble.map { Setting.level($0).text } ?? timer.state.text
            }
        return "is set to \(state) at \(LocalTime(timer.due).text(seenAt: Date()))"
    }
}

extension UsageMistake {
    /// A time with something else than one order.
    static var timeOfSeveral: UsageMistake {
        UsageMistake(
            "a time goes with one order alone",
            hint: "say 'turn the fan on for 10 minutes', and the rest in a sentence of its own")
    }
}
