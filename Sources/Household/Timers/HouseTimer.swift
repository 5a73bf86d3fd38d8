package import FoundationEssentials
import Identity
package import JSON

/// An order that waits for its time: a state that an activator is to have then, and perhaps how long it
/// keeps it. An activator has one at most; a new one takes its place.
///
///     {"device": "6b4d5c", "activator": "6b4d5d", "state": false, "due": time, "lasts": seconds,
///      "and": proviso, "by": fingerprint, "name": string}
///
/// `lasts` is missing for what stays so, `and`, a ``RuleProviso``, for what is done in any case; `by` and
/// `name` are of the device that made it.
package struct HouseTimer: Equatable, Sendable {
    /// A week: longer ones are scenes with a time.
    package static let maximumSeconds: Int64 = 604_800
    /// More would only fill the file.
    package static let maximumCount: Int64 = 1000
    /// Only what ends something is done later than this: a sprinkler is shut off whenever the hub is back.
    package static let maximumLateness = 600.0

    package let device: String
    package let activator: String
    package let state: JSONValue
    package let due: Date
    package let lasts: Int64?
    /// What must hold when it is due: a lawn that is wet is not watered.
    package let proviso: RuleProviso?
    package let by: String
    package let name: String

    package init(
        device: String, activator: String, state: JSONValue, due: Date, lasts: Int64?,
        proviso: RuleProviso? = nil, by: String, name: String
    ) {
        (self.device, self.activator, self.state, self.due) = (device, activator, state, due)
        (self.lasts, self.proviso, self.by, self.name) = (lasts, proviso, by, name)
    }

    /// The timer that a request wants.
    ///
    ///     {"state": true, "in": seconds, "lasts": seconds, "and": proviso} / {"state": true, "at": time}
    package init(
        device: String, activator: String, body: [UInt8], by: String, name: String, now: Date
    ) throws(HouseholdError) {
        guard HouseholdNames.isPathID(device), HouseholdNames.isPathID(activator) else {
            throw .badBody("an appliance's id cannot stand in a path")
        }
        guard let members = try? JSONReader.read(JSONValue.self, from: body, duplicateKeys: .refused).asObject
        else { throw .badBody("the body is not a timer") }
        switch members["state"] {
        case .boolean?, .integer(0...1)?: break
        case .number(let level)? where (0...1).contains(level): break
        default: throw .badBody("state: neither true, false nor a level from 0 to 1")
        }
        let due: Date
        switch (members["in"], members["at"]?.asString) {
        case (.integer(let seconds)?, nil) where (0...HouseTimer.maximumSeconds).contains(seconds):
            due = now.addingTimeInterval(Double(seconds))
        case (nil, let text?):
            guard let date = Date(timestamp: text), date >= now.addingTimeInterval(-1),
                date.timeIntervalSince(now) <= Double(HouseTimer.maximumSeconds)
            else { throw .badBody("at: not a time of the next seven days, like 2026-11-21T10:22:03Z") }
            due = date
        default: throw .badBody("in: not a number of seconds, up to \(HouseTimer.maximumSeconds)")
        }
        let lasts: Int64?
        switch members["lasts"] {
        case nil, .null?: lasts = nil
        case .integer(let seconds)? where (1...HouseTimer.maximumSeconds).contains(seconds): lasts = seconds
        default: throw .badBody("lasts: not a number of seconds, up to \(HouseTimer.maximumSeconds)")
        }
        let proviso: RuleProviso?
        switch members["and"] {
        case nil, .null?: proviso = nil
        case .string(let text)?:
            guard let read = RuleProviso(text) else { fallthrough }
            proviso = read
        default: throw .badBody("and: not DEVICE/ACTIVATOR and a condition")
        }
        self.init(
            device: device, activator: activator, state: members["state"] ?? .null, due: due, lasts: lasts,
            proviso: proviso, by: by, name: name)
    }

    /// True if it ends something: off, shut, level 0.
    private var ends: Bool {
        switch state {
        case .boolean(false), .integer(0), .number(0): true
        default: false
        }
    }

    package enum Verdict: Equatable, Sendable {
        case waits
        case runs
        /// It is not done any more.
        case missed
    }

    /// What is to be done with it now.
    package func verdict(at now: Date) -> Verdict {
        let late = now.timeIntervalSince(due)
        if late < 0 { return .waits }
        return late <= HouseTimer.maximumLateness || ends ? .runs : .missed
    }

    /// What follows once it was carried out; nil: nothing.
    package func next(at now: Date) -> HouseTimer? {
        guard let lasts else { return nil }
        let opposite: JSONValue = if case .boolean(let isOn) = state { .boolean(!isOn) } else { .number(0) }
        return HouseTimer(
            device: device, activator: activator, state: opposite,
            due: now.addingTimeInterval(Double(lasts)), lasts: nil, by: by, name: name)
    }

    /// As answers have it.
    package func json(at now: Date) -> JSONValue {
        var members: [String: JSONValue] = [
            "device": .string(device), "activator": .string(activator), "state": state,
            "due": .string(due.timestamp), "by": .string(by), "name": .string(name),
            "left": .integer(Int64(max(0, due.timeIntervalSince(now)).rounded(.up))),
        ]
        members["lasts"] = lasts.map(JSONValue.integer)
        members["and"] = proviso.map { .string($0.description) }
        return .object(members)
    }
}
