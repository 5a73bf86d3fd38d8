import FoundationEssentials
import GatewayRules
import Home
import Household
import JSON
import Pairing

/// The appliances of the house as the hub saw each last, in the server's order. It has every appliance that
/// the server had when it last listed all; one that does not answer stays as it was.
struct SeenAppliances: Sendable {
    struct Appliance: Sendable {
        var device: ControlledDevice
        /// When it was seen so.
        var time: Moment
    }

    /// What one server says of its own.
    struct Part: Sendable {
        /// Nil: the server behind the hub.
        var kind: JoinedKind?
        /// Those that answer it.
        var devices: [ControlledDevice]
        /// When it said so.
        var time: Moment
        /// Those that do not answer; they stay as they were.
        var unanswered: Set<String>

        /// True if it says the same, whenever it did.
        func says(_ other: Part) -> Bool {
            kind == other.kind && unanswered == other.unanswered && devices == other.devices
        }
    }

    private(set) var all: [Appliance] = []

    /// Takes over what was kept from before the hub started.
    ///
    /// - Parameter states: an appliance without a description is made of its states, and has its id for a
    ///   name: what is known is not left out.
    init(kept: [Appliance] = [], _ states: KnownStates = KnownStates()) {
        let changes = Dictionary(grouping: states.changes.values, by: \.device)
        all = kept.map { appliance in
            var appliance = appliance
            appliance.device = appliance.device.with(states)
            let last = changes[appliance.device.id]?.map(\.time).max()
            if let last, last > appliance.time.wall { appliance.time = Moment(wall: last) }
            return appliance
        }
        let described = Set(kept.map(\.device.id))
        for (id, changes) in changes.sorted(by: { $0.key < $1.key }) where !described.contains(id) {
            let time = changes.map(\.time).max() ?? .distantPast
            all.append(Appliance(device: ControlledDevice(id: id, changes), time: Moment(wall: time)))
        }
    }

    var ids: [String] { all.map(\.device.id) }

    /// The ids of those of one server.
    func ids(of kind: JoinedKind?) -> [String] { ids.filter { JoinedKind(thing: $0) == kind } }

    /// All servers have said what there is: the rest is forgotten. What stays, stays in its place.
    mutating func take(_ parts: [Part]) {
        var new: [Appliance] = []
        var taken: Set<String> = []
        for part in parts {
            let listed = part.devices.map { Appliance(device: $0, time: part.time) }
            if !part.unanswered.isEmpty {
                let known = Dictionary(listed.map { ($0.device.id, $0) }) { one, _ in one }
                for old in all where JoinedKind(thing: old.device.id) == part.kind {
                    let id = old.device.id
                    guard let kept = known[id] ?? (part.unanswered.contains(id) ? old : nil),
                        taken.insert(id).inserted
                    else { continue }
                    new.append(kept)
                }
            }
            new += listed.filter { taken.insert($0.device.id).inserted }
        }
        all = new
    }

    /// True if what does not change with each switch is the same: names, types, activators.
    func isDescribed(as other: [Appliance]) -> Bool {
        all.elementsEqual(other) { $0.device.isDescribed(as: $1.device) }
    }
}

extension ControlledDevice {
    /// An appliance of which the hub has states alone.
    fileprivate init(id: String, _ changes: [StateChange]) {
        // On or off says more than a level, and which one is the main one is not known.
        let isSwitch = { (change: StateChange) in if case .boolean = change.state { true } else { false } }
        let sorted = changes.sorted { $0.key < $1.key }
        let activators = (sorted.filter(isSwitch) + sorted.filter { !isSwitch($0) }).enumerated().map {
            Activator(
                id: $1.activator, rank: $0, name: $1.activator, kind: isSwitch($1) ? .bool : .float,
                state: $1.state, extra: [:])
        }
        self.init(id: id, name: id, type: "unknown", activators: activators, extra: [:])
    }

    /// The same with these states.
    fileprivate func with(_ states: KnownStates) -> ControlledDevice {
        ControlledDevice(
            id: id, name: name, type: type,
            activators: activators.map {
                Activator(
                    id: $0.id, rank: $0.rank, name: $0.name, kind: $0.kind,
                    state: states.state(StateKey(device: id, activator: $0.id)) ?? $0.state, extra: $0.extra)
            }, extra: extra)
    }

    fileprivate func isDescribed(as other: ControlledDevice) -> Bool {
        id == other.id && name == other.name && type == other.type
            && activators.elementsEqual(other.activators) {
                $0.id == $1.id && $0.rank == $1.rank && $0.name == $1.name && $0.kind == $1.kind
            }
    }
}
