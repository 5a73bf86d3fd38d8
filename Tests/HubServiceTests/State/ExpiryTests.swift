import FoundationEssentials
import GatewayRules
import Logging
import Pairing
import PinnedTLS
import Synchronization
import Testing

@testable import HubService

/// An approval that has run out stays so, whatever becomes of the clocks.
@Suite struct ExpiryTests {
    /// The clocks of a host, which a test sets; in whole seconds, as the keyfile has them.
    private final class Clocks: Sendable {
        private let time: Mutex<Moment>

        init() {
            let wall = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
            time = Mutex(Moment(wall: wall, boot: Clocks.boot("6f0e4a0c-3c5b-4f0e-9d0e-2b1f3c4d5e6f", 1000)))
        }

        var now: Moment { time.withLock { $0 } }

        static func boot(_ id: String, _ seconds: Double) -> BootTime? {
            BootTime(id: id, milliseconds: Int64(seconds * 1000))
        }

        /// Time passes.
        func pass(_ seconds: Double) {
            time.withLock { time in
                let boot = time.boot.flatMap {
                    BootTime(id: $0.id, milliseconds: $0.milliseconds + Int64(seconds * 1000))
                }
                time = Moment(wall: time.wall.addingTimeInterval(seconds), boot: boot)
            }
        }

        /// Somebody sets the wall clock.
        func set(_ seconds: Double) {
            time.withLock { $0 = Moment(wall: $0.wall.addingTimeInterval(seconds), boot: $0.boot) }
        }

        func restart() {
            time.withLock {
                $0 = Moment(wall: $0.wall, boot: Clocks.boot("00000000-3c5b-4f0e-9d0e-2b1f3c4d5e6f", 5))
            }
        }
    }

    private let hub: PairingHub
    private let guest = Pin(subjectPublicKeyInfo: Data("guest".utf8))
    private let friend = Pin(subjectPublicKeyInfo: Data("friend".utf8))
    private let clocks = Clocks()

    init() throws {
        hub = try PairingHub()
        var devices = ApprovedDevices()
        devices.insert(
            ApprovedDevice(
                name: try PeerName("Guest"), pin: guest, status: .approved,
                expires: clocks.now.wall.addingTimeInterval(3600)))
        devices.insert(ApprovedDevice(name: try PeerName("Friend"), pin: friend, status: .approved))
        try hub.restore("approved-devices", Data(devices.serialized))
    }

    /// A hub as after a start of `serve`, and what it has looked at first.
    private func serve(_ body: (DeviceAccess) async throws -> Void) async throws {
        let register = DeviceRegister(state: hub.state)
        let clocks = clocks
        let devices = DeviceAccess(
            register, log: ServeLog(Logger(label: "test") { _ in RecordedLog() }), clock: { clocks.now })
        try await body(devices)
    }

    /// What `ExpiryWatch` does when it looks.
    private func look(_ devices: DeviceAccess) async throws -> ExpiryWatch.Outlook {
        let (expiries, seen) = try devices.register.expiries()
        let (now, known) = devices.time()
        let outlook = ExpiryWatch.Outlook(expiries, seen: seen, known: known, at: now)
        if let note = outlook.note { try await hub.pairing(clock: { now }).see(note) }
        return outlook
    }

    private func comesIn(_ pin: Pin, _ devices: DeviceAccess) -> Bool {
        if case .approved = devices.access(of: pin) { true } else { false }
    }

    @Test func whileTheHubRuns() async throws {
        try await serve { devices in
            #expect(comesIn(guest, devices))
            clocks.pass(3599)
            #expect(comesIn(guest, devices))
            clocks.set(-86_400)
            #expect(comesIn(guest, devices))
            let device = try #require(try devices.register.device(guest))
            #expect(devices.secondsLeft(of: device) == 1)
            clocks.pass(1)
            #expect(!comesIn(guest, devices) && comesIn(friend, devices))
            #expect(devices.secondsLeft(of: device) == 0)
        }
    }

    @Test(arguments: [false, true])
    func overARestart(ofTheHost: Bool) async throws {
        try await serve { devices in
            clocks.pass(3600)
            let outlook = try await look(devices)
            #expect(outlook.hasExpired && outlook.next == nil)
            #expect(try await !look(devices).hasExpired)  // once
        }
        clocks.set(-7200)
        if ofTheHost { clocks.restart() }
        try await serve { devices in
            #expect(!comesIn(guest, devices) && comesIn(friend, devices))
            // The version before says the same.
            try hub.restore("approved-devices", hub.content("approved-devices.bak"))
            #expect(!comesIn(guest, devices))
            // The clock is right again, and the time is over.
            clocks.set(7200)
            #expect(!comesIn(guest, devices))
        }
        // The owner's word still counts.
        #expect(
            try AdministerDevices(state: hub.state).approve(PeerSelector(guest.fingerprint.description))
                .changed)
        try await serve { #expect(comesIn(guest, $0)) }
    }

    @Test func aClockThatIsBehindAfterARestart() async throws {
        try await serve { devices in
            // Noted once a day while something may expire.
            let first = try await look(devices)
            #expect(first.note != nil && !first.hasExpired && first.next == 3600)
            #expect(try await look(devices).note == nil)
        }
        clocks.restart()
        clocks.set(-60)
        try await serve { devices in
            #expect(!comesIn(guest, devices) && comesIn(friend, devices))
            let behind = try await look(devices)
            #expect(behind.note == nil && !behind.hasExpired && behind.next == ExpiryWatch.retry)
            clocks.set(60)
            #expect(comesIn(guest, devices))
        }
    }

    @Test func aHubWhereNothingExpiresWritesNothing() async throws {
        var devices = ApprovedDevices()
        devices.insert(ApprovedDevice(name: try PeerName("Friend"), pin: friend, status: .approved))
        try hub.restore("approved-devices", Data(devices.serialized))
        try await serve { devices in
            let outlook = try await look(devices)
            #expect(outlook.note == nil && outlook.next == nil)
        }
    }

    /// `serve` looks by itself, and closes what is open, also if nothing can be written.
    @Test func serveNotesItself() async throws {
        try await HubInTest.run { server in
            let guest = TLSIdentity.random()
            let obstacle = "\(server.path)/.\(ApprovedDevices.fileName).bak.new"
            try server.enter(guest, name: "Guest", .approved)
            let client = try await server.connect(as: guest)
            try await client.write("GET /hubpair/v1/device HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await client.response().body.contains("approved"))
            // Only now, so that it is approved however long that took.
            try server.enter(guest, name: "Guest", .approved, expires: Date(timeIntervalSinceNow: 2))
            try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
            #expect(try await client.rest() == "")
            try FileManager.default.removeItem(atPath: obstacle)
            // A look follows every change of the keyfile.
            _ = try AdministerDevices(state: server.state).rename(
                PeerSelector(guest.pin.fingerprint.description), to: try PeerName("Visitor"))
            var looks = 0
            while try HubState.devices(in: server.state.open())?.seen == nil, looks < 12_000 {
                try await Task.sleep(for: .milliseconds(10))
                looks += 1
            }
            #expect(looks < 12_000)
        }
    }
}
