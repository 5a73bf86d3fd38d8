import Addresses
import FoundationEssentials
import Glibc
import Pairing
import Testing

@testable import HubService

/// Two real processes on one state directory: as when a second `serve` is started by mistake.
@Suite struct PairProcessesTests {
    /// The file that tells the children of `process` which directory it is about: an environment variable set
    /// now would race with the other tests of this process.
    private static func note(of process: pid_t) -> String {
        FileManager.default.temporaryDirectory.path() + "hubpair-race-\(process)"
    }

    @Test func ofTwoProcessesThatRaceForACodeExactlyOneWins() async throws {
        let hub = try PairingHub()
        var secrets = ""
        for _ in 0..<200 { secrets += Data(try hub.code().bytes).base64EncodedString() + "\n" }
        try Data(secrets.utf8).write(to: URL(filePath: hub.path + "/codes"))
        let note = Self.note(of: getpid())
        try Data(hub.path.utf8).write(to: URL(filePath: note))
        defer { try? FileManager.default.removeItem(atPath: note) }
        async let one = #expect(processExitsWith: .success) { try await PairProcessesTests.race("one") }
        async let two = #expect(processExitsWith: .success) { try await PairProcessesTests.race("two") }
        _ = await (one, two)
        let statuses = try ["one", "two"].map { name in
            String(decoding: try #require(hub.content("statuses-\(name)")), as: UTF8.self).split(
                separator: "\n")
        }
        try #require(statuses.map(\.count) == [200, 200])
        for (first, second) in zip(statuses[0], statuses[1]) {
            #expect([first, second].sorted() == ["200", "409"])
        }
        let devices = try AdministerDevices(state: hub.state).list()
        #expect(devices.count == 200 && devices.allSatisfy { $0.status == .approved })
        #expect(
            Set(try Tickets(parsing: Array(try #require(hub.content("tickets")))).uses.map(\.number)).count
                == 200)
    }

    /// In a child: tries every code as a device of its own, and writes down what it was answered.
    private static func race(_ name: String) async throws {
        let content = try #require(FileManager.default.contents(atPath: note(of: getppid())))
        let path = String(decoding: content, as: UTF8.self)
        let state = HubState(option: path, environment: [:], isRoot: false, home: "/")
        let hub = try HubState.hub(in: state.open())
        let pairing = PairDevice(state: state, hub: hub, register: DeviceRegister(state: state))
        let source = try #require(NetworkAddress("192.0.2.7"))
        var statuses = ""
        let codes = try #require(FileManager.default.contents(atPath: path + "/codes"))
        for (number, line) in String(decoding: codes, as: UTF8.self).split(separator: "\n").enumerated() {
            let secret = try #require(Data(base64Encoded: String(line)).flatMap(TicketSecret.init(bytes:)))
            let attempt = PairAttempt(
                secret: secret, name: try PeerName("\(name) \(number)"), nonce: .random(),
                device: Pin(subjectPublicKeyInfo: Data("\(name) \(number)".utf8)))
            let body = attempt.request(to: hub.pin).serialized
            statuses += "\(await pairing.answer(body, devicePin: attempt.device, source: source).status)\n"
        }
        try Data(statuses.utf8).write(to: URL(filePath: "\(path)/statuses-\(name)"))
    }
}
