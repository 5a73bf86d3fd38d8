package import FoundationEssentials
package import Home
import Identity
import Pairing

/// What the appliances of each hub were called when they were last seen, for completion in a shell: it must
/// not wait for the network. A file of its own, `appliances`, that may be deleted at any time:
///
///     [keyfile]
///     format=1
///
///     [hub K7QF-2M9D-X0TW-8RHC]
///     name.1=Kitchen lamp
///     type.1=Light
///     state.1=on
///     seen=2026-11-27T10:22:03Z
///
/// Types and states are told of a hub that does not answer, with their age. Rooms and rules stand beside
/// them, as `room.1` and `rule.1`.
///
/// A stock hub's group is `[stock NAME]`. Names that no terminal shows as they are, are left out, as are
/// those above the limits: they are the server's, and may be anything.
package struct ApplianceNames: Sendable {
    package static let fileName = "appliances"
    /// The most names of one hub.
    static let maximumCount = 1_000
    /// The most bytes of a name.
    static let maximumByteCount = 255

    private let configuration: DeviceConfiguration

    package init(configuration: DeviceConfiguration) { self.configuration = configuration }

    /// What has a name in the file; the raw value is its key.
    package enum Kind: String, Sendable {
        case appliance = "name"
        case type, room, rule

        fileprivate func key(_ index: Int) -> String { "\(rawValue).\(index + 1)" }
        /// True if a look at the appliances says nothing of it.
        fileprivate var isBesideAppliances: Bool {
            switch self {
            case .appliance, .type: false
            case .room, .rule: true
            }
        }
        fileprivate init?(key: String) {
            self.init(rawValue: String(key.prefix { $0 != "." }))
        }
    }

    /// The names of one hub's appliances, or of all hubs'; none if the file is missing or has a fault.
    package func names(_ kind: Kind = .appliance, of hub: SavedHub? = nil) -> [String] {
        guard let known = try? configuration.knownHubs(),
            let directory = try? ProtectedDirectory(path: configuration.path),
            let file = ApplianceNames.read(directory)
        else { return [] }
        return (hub.map { [$0] } ?? ApplianceNames.hubs(known)).compactMap(ApplianceNames.group)
            .flatMap { ApplianceNames.names(kind, in: $0, of: file) }
    }

    /// How a hub was when it was last looked at.
    package struct Memory: Equatable, Sendable {
        package let seen: Date
        package let appliances: [(name: String, type: String, state: String)]

        package static func == (one: Memory, other: Memory) -> Bool {
            one.seen == other.seen && one.appliances.elementsEqual(other.appliances, by: ==)
        }
    }

    /// States are written again after this time, in seconds, though nothing has changed.
    private static let memoryUnit: Double = 60

    /// How this hub was when it was last looked at; nil if nobody has noted it.
    package func memory(of hub: SavedHub) -> Memory? {
        guard let group = ApplianceNames.group(hub),
            let directory = try? ProtectedDirectory(path: configuration.path),
            let file = ApplianceNames.read(directory), file.hasGroup(group)
        else { return nil }
        let pairs = file.pairs(in: group)
        guard let seen = pairs["seen"].flatMap({ Date(timestamp: $0) }) else { return nil }
        let names = ApplianceNames.names(.appliance, in: group, of: file)
        return Memory(
            seen: seen,
            appliances: names.enumerated().map { index, name in
                (name, pairs["type.\(index + 1)"] ?? "-", pairs["state.\(index + 1)"] ?? "-")
            })
    }

    /// Remembers what a hub's appliances are called, and how they are, now. Nothing is written if nothing has
    /// changed, and a file that cannot be written is no reason to say anything.
    ///
    /// - Parameter rooms: what its rooms are called now; nil: as it is noted.
    package func note(
        _ devices: [ControlledDevice], rooms: [String]? = nil, of hub: SavedHub, now: Date = Date()
    ) {
        guard let group = ApplianceNames.group(hub) else { return }
        let kept = devices.filter { ApplianceNames.isKept($0.name) }.prefix(ApplianceNames.maximumCount)
        var pairs: [(key: String, value: String)] = []
        for (index, device) in kept.enumerated() {
            let values = [device.type, device.means(StateUnits()) ?? "-"].map { text in
                ApplianceNames.isKept(text) ? text : "-"
            }
            pairs.append((Kind.appliance.key(index), device.name))
            pairs.append((Kind.type.key(index), values[0]))
            pairs.append(("state.\(index + 1)", values[1]))
        }
        for (index, name) in (rooms ?? []).filter(ApplianceNames.isKept)
            .prefix(ApplianceNames.maximumCount).enumerated()
        {
            pairs.append((Kind.room.key(index), name))
        }
        try? ProtectedDirectory(path: configuration.path).withLock { directory in
            var pairs = pairs
            var file = ApplianceNames.read(directory) ?? KeyFile.empty(comment: ApplianceNames.comment)
            var before = file.pairs(in: group)
            let seen = before.removeValue(forKey: "seen").flatMap { Date(timestamp: $0) }
            let others = before.filter { key, _ in
                guard let kind = Kind(key: key), kind.isBesideAppliances else { return false }
                return rooms == nil || kind != .room
            }
            pairs += others.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            let isFresh = seen.map { abs(now.timeIntervalSince($0)) < ApplianceNames.memoryUnit } ?? false
            guard !isFresh || before != Dictionary(pairs, uniquingKeysWith: { $1 }) else { return }
            file.replaceGroup(group, with: pairs + [("seen", now.timestamp)])
            try directory.replace(ApplianceNames.fileName, with: file.serialized)
        }
    }

    /// Remembers what a hub's rooms or rules are called. Nothing is written if nothing has changed, and a
    /// file that cannot be written is no reason to say anything.
    ///
    /// - Parameter adding: to those that are noted.
    package func note(_ names: [String], as kind: Kind, of hub: SavedHub, adding: Bool = false) {
        guard kind.isBesideAppliances, let group = ApplianceNames.group(hub) else { return }
        try? ProtectedDirectory(path: configuration.path).withLock { directory in
            var file = ApplianceNames.read(directory) ?? KeyFile.empty(comment: ApplianceNames.comment)
            let before = file.hasGroup(group) ? file.pairs(in: group) : [:]
            let noted = adding ? ApplianceNames.names(kind, in: group, of: file) : []
            let all = (noted + names.filter { !noted.contains($0) }).filter(ApplianceNames.isKept)
            var pairs = before.filter { Kind(key: $0.key) != kind }
            for (index, name) in all.prefix(ApplianceNames.maximumCount).enumerated() {
                pairs[kind.key(index)] = name
            }
            guard pairs != before else { return }
            file.replaceGroup(group, with: pairs.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
            try directory.replace(ApplianceNames.fileName, with: file.serialized)
        }
    }

    /// Forgets the names of hubs that are not known any more. Call it under the directory's lock.
    static func forgetHubs(notIn known: KnownHubs, in directory: borrowing ProtectedDirectory) {
        guard var file = read(directory) else { return }
        let groups = Set(hubs(known).compactMap(group))
        let others = file.groupNames.filter { $0 != "keyfile" && !groups.contains($0) }
        guard !others.isEmpty else { return }
        for other in others { file.removeGroup(other) }
        // In both versions: they were to be forgotten.
        try? directory.replaceBoth(fileName, with: file.serialized)
    }

    private static func hubs(_ known: KnownHubs) -> [SavedHub] {
        known.hubs.map(SavedHub.paired) + known.added.map(SavedHub.added)
    }

    private static let comment = "Names for completion in a shell; may be deleted."

    private static func read(_ directory: borrowing ProtectedDirectory) -> KeyFile? {
        guard let bytes = try? directory.read(fileName), let file = try? KeyFile(parsing: bytes),
            (try? file.checkFormat()) != nil
        else { return nil }
        return file
    }

    private static func names(_ kind: Kind, in group: String, of file: KeyFile) -> [String] {
        guard file.hasGroup(group) else { return [] }
        let pairs = file.pairs(in: group)
        var names: [String] = []
        while names.count < maximumCount, let name = pairs[kind.key(names.count)] { names.append(name) }
        return names.filter(isKept)
    }

    private static func isKept(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= maximumByteCount && SafeText.escaped(name) == name
    }

    /// The group of a hub; nil if its name cannot be one's.
    private static func group(_ hub: SavedHub) -> String? {
        if let fingerprint = hub.fingerprint { return "hub \(fingerprint)" }
        let name = hub.name.description
        return name.contains { $0 == "[" || $0 == "]" } ? nil : "stock \(name)"
    }
}
