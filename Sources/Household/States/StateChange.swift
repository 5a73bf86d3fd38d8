package import FoundationEssentials
package import Home
import Identity
package import JSON

/// That an activator has got another state.
///
///     {"device": string, "activator": string, "state": value, "before": value, "time": time}
///
/// `state` is null once the appliance is gone from the server. `before` is missing at the first sight of an
/// activator. `time` is when the hub saw it, in UTC with milliseconds.
package struct StateChange: Equatable, Sendable {
    package let device: String
    package let activator: String
    /// As the server gave it; null: there is no such activator any more.
    package let state: JSONValue
    /// The state known before; nil: none was.
    package let before: JSONValue?
    /// When the hub saw it.
    package let time: Date

    package init(device: String, activator: String, state: JSONValue, before: JSONValue?, time: Date) {
        (self.device, self.activator, self.time) = (device, activator, time)
        (self.state, self.before) = (state, before)
    }

    package var key: StateKey { StateKey(device: device, activator: activator) }

    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "device": .string(device), "activator": .string(activator), "state": state,
            "time": .string(time.timestampWithMilliseconds),
        ]
        if let before { members["before"] = before }
        return .object(members)
    }
}

/// The states of all activators at one time.
package struct KnownStates: Equatable, Sendable, JSONWritable {
    /// The last change of each.
    package private(set) var changes: [StateKey: StateChange]

    package init(_ changes: [StateChange] = []) {
        self.changes = Dictionary(changes.map { ($0.key, $0) }) { _, last in last }
    }

    package func state(_ key: StateKey) -> JSONValue? { changes[key]?.state }

    /// What has changed when these are the appliances now: by device and activator.
    ///
    /// - Parameter unanswered: appliances whose states are unknown now, and have not changed.
    package func changes(
        to devices: [ControlledDevice], unanswered: Set<String> = [], at time: Date
    ) -> [StateChange] {
        var found: [StateChange] = []
        var seen = Set<StateKey>(minimumCapacity: changes.count)
        var known = 0
        for device in devices {
            for activator in device.activators {
                let key = StateKey(device: device.id, activator: activator.id)
                // A server that gives an id twice has given the state already.
                guard seen.insert(key).inserted else { continue }
                let before = changes[key]?.state
                if before != nil { known += 1 }
                guard before != activator.state else { continue }
                found.append(
                    StateChange(
                        device: key.device, activator: key.activator, state: activator.state,
                        before: before, time: time))
            }
        }
        // Mostly all are there.
        let rest = known < changes.count ? changes : [:]
        for (key, last) in rest where !seen.contains(key) && !unanswered.contains(key.device) {
            found.append(
                StateChange(
                    device: key.device, activator: key.activator, state: .null, before: last.state,
                    time: time))
        }
        return found.sorted { $0.key < $1.key }
    }

    /// Takes changes in.
    package mutating func take(_ changes: [StateChange]) {
        for change in changes { self.changes[change.key] = change.state == .null ? nil : change }
    }

    /// All states, by device and activator, as an array of ``StateChange/json``; without building it, for a
    /// house has thousands of them, and most are of few moments.
    package func write(to bytes: inout [UInt8]) {
        var last: (time: Date, text: String)?
        JSONMembers.write(each: changes.values.sorted { $0.key < $1.key }, to: &bytes) { change, members in
            let text =
                last.flatMap { $0.time == change.time ? $0.text : nil }
                ?? change.time.timestampWithMilliseconds
            last = (change.time, text)
            members.add("activator", change.activator)
            if let before = change.before { members.add("before", before) }
            members.add("device", change.device)
            members.add("state", change.state)
            members.add("time", text)
        }
    }
}
