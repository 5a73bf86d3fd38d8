import GatewayRules
import Home
import Identity
import JSON
import Pairing
import Synchronization

/// All hubs that this computer is paired with, for the page's part that shows all of them: each is asked over
/// its own connections, with this computer's role there.
///
///     path = "/hubpair/local/at/" fingerprint target      ; what is asked of that hub
///
/// Accepted: `/hubpair/local/at/K7QF-2M9D-X0TW-8RHC/devices/`. Rejected: a hub that this computer does not
/// know, or has forgotten since; a path without a target.
final class KnownRelays: Sendable {
    static let prefix = LocalPaths.prefix + "at/"

    struct Place {
        let relay: HubRelay
        let hub: SavedHub
        let target: String
    }

    /// What a hub says of its house is remembered once in this time.
    private static let memoryUnit = Duration.seconds(60)
    /// More is not remembered: it has more appliances than are.
    private static let maximumByteCount = 4 << 20

    private let configuration: DeviceConfiguration
    private let relays = Mutex<[Fingerprint: HubRelay]>([:])
    private let noted = Mutex<[Fingerprint: ContinuousClock.Instant]>([:])

    init(configuration: DeviceConfiguration) { self.configuration = configuration }

    /// Nil if the path names no hub that this computer is paired with.
    func place(_ path: String) throws -> Place? {
        let rest = path.dropFirst(KnownRelays.prefix.count)
        let name = rest.prefix { $0 != "/" }
        guard let fingerprint = Fingerprint(String(name)), rest.count > name.count,
            let hub = try configuration.knownHubs().hubs.first(where: { $0.fingerprint == fingerprint })
        else { return nil }
        let relay = relays.withLock { relays in
            if let relay = relays[fingerprint] { return relay }
            let relay = HubRelay { [configuration] in
                // Its address may have changed since.
                let useHub = try UseHub(configuration: configuration)
                return try await useHub.connect(to: useHub.find(PeerSelector("\(fingerprint)")))
            }
            relays[fingerprint] = relay
            return relay
        }
        return Place(relay: relay, hub: .paired(hub), target: String(rest.dropFirst(name.count)))
    }

    /// How many bytes of this answer are to be noted; none of most.
    func limit(_ request: HubRequest, of hub: SavedHub) -> Int {
        guard request.method == "GET", request.target == HubResource.root + ResourcePattern.states.rawValue,
            let fingerprint = hub.fingerprint
        else { return 0 }
        let last = noted.withLock { $0[fingerprint] }
        return last.map { .now - $0 < KnownRelays.memoryUnit } ?? false ? 0 : KnownRelays.maximumByteCount
    }

    /// Remembers how the house is, for a time when the hub is away. What is old already is not new by that.
    func note(_ body: [UInt8], of hub: SavedHub) {
        guard let fingerprint = hub.fingerprint, let report = try? JSONReader.read(Listed.self, from: body),
            report.isCurrent, let devices = report.devices
        else { return }
        noted.withLock { $0[fingerprint] = .now }
        ApplianceNames(configuration: configuration).note(devices, of: hub)
    }

    /// How this computer has seen the hub last; no appliances if it never has.
    func memory(of name: String) throws -> JSONValue {
        let known = try configuration.knownHubs().hubs
        guard let fingerprint = Fingerprint(name),
            let hub = known.first(where: { $0.fingerprint == fingerprint }),
            let memory = ApplianceNames(configuration: configuration).memory(of: .paired(hub))
        else { return .object(["appliances": .array([])]) }
        return .object([
            "seen": .string(memory.seen.timestamp),
            "appliances": .array(
                memory.appliances.map { name, type, state in
                    .object(["name": .string(name), "type": .string(type), "state": .string(state)])
                }),
        ])
    }

    /// Of a hub's answer to `GET states`.
    private struct Listed: JSONReadable {
        var devices: [ControlledDevice]?
        var isCurrent = false

        init(reading reader: inout JSONReader) throws(JSONFault) {
            try reader.object { key, reader throws(JSONFault) in
                switch key {
                case "devices": devices = try [ControlledDevice](reading: &reader)
                case "current": isCurrent = try reader.literal() == .boolean(true)
                default: try reader.skip()
                }
            }
        }
    }
}
