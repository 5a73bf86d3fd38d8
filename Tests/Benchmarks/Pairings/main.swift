import Addresses
import FoundationEssentials
import HubService
import Pairing

// usage: PairingsBenchmark DIRECTORY ROUNDS COUNT...
//
// Makes a hub with COUNT approved devices below DIRECTORY for every COUNT. Each round pairs one new device
// with each hub, so that a busy machine slows all of them; issuing the code is not timed. Prints a line for
// each hub: devices, milliseconds of a pairing (median, 95th percentile), nanoseconds of a look-up, bytes
// of the keyfile.

/// A hub with many devices.
final class CrowdedHub {
    let state: HubState
    let hub: Hub
    let register: DeviceRegister
    let pairing: PairDevice
    let count: Int
    var pairings: [Duration] = []
    private let pins: [Pin]

    init(_ directory: String, count: Int) throws {
        self.count = count
        state = HubState(option: "\(directory)/\(count)", environment: [:], isRoot: false, home: "/")
        hub = try SetUpHub(.init(), defaultName: PeerName("Bench"), state: state).run().hub
        var devices = ApprovedDevices()
        pins = (0..<count).map { Pin(subjectPublicKeyInfo: Data("device \($0)".utf8)) }
        for (number, pin) in pins.enumerated() {
            devices.insert(
                ApprovedDevice(
                    name: try PeerName("Device \(number)"), pin: pin, status: .approved, approved: Date()))
        }
        try ProtectedDirectory(path: state.path).replace(ApprovedDevices.fileName, with: devices.serialized)
        register = DeviceRegister(state: state)
        pairing = PairDevice(state: state, hub: hub, register: register)
    }

    func pair(_ number: Int) async throws {
        let issued = try IssueCode(.once, lifetime: 600, state: state, now: Date()).run(
            addressHint: { _ in nil }, draw: { _, _ in }, handOut: {})
        guard let code = issued.codes.first else { fatalError("no code") }
        let attempt = PairAttempt(
            secret: code.secret, name: try PeerName("New \(number)"), nonce: .random(),
            device: Pin(subjectPublicKeyInfo: Data("new \(number)".utf8)))
        let body = attempt.request(to: hub.pin).serialized
        guard let source = NetworkAddress("192.0.2.7") else { fatalError("no address") }
        let start = ContinuousClock.now
        let answer = await pairing.answer(body, devicePin: attempt.device, source: source)
        let end = ContinuousClock.now
        guard answer.status == 200 else { fatalError(answer.event ?? "no reason") }
        guard try register.verdict(for: attempt.device, at: Date()) == .approved else {
            fatalError("not let in")
        }
        pairings.append(start.duration(to: end))
    }

    func report() throws {
        let sorted = pairings.sorted()
        let lookups = 20_000
        let now = Date()
        let start = ContinuousClock.now
        for number in 0..<lookups { _ = try register.verdict(for: pins[number % pins.count], at: now) }
        let lookup = start.duration(to: .now) / lookups
        let size =
            try FileManager.default.attributesOfItem(atPath: "\(state.path)/approved-devices")[.size] ?? 0
        print(
            count, milliseconds(sorted[sorted.count / 2]), milliseconds(sorted[sorted.count * 95 / 100]),
            Int(lookup / .nanoseconds(1)), size)
    }

    private func milliseconds(_ duration: Duration) -> Double {
        (duration / .microseconds(1)).rounded() / 1000
    }
}

let arguments = CommandLine.arguments
guard arguments.count > 3, let rounds = Int(arguments[2]) else { fatalError("DIRECTORY ROUNDS COUNT...") }
let hubs = try arguments.dropFirst(3).compactMap { Int($0) }.map { try CrowdedHub(arguments[1], count: $0) }
for hub in hubs { try await hub.pair(-1) }  // reads the files
for hub in hubs { hub.pairings = [] }
for round in 0..<rounds {
    for hub in hubs { try await hub.pair(round) }
}
for hub in hubs { try hub.report() }
