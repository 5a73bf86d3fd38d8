import Foundation
import Identity
import Pairing
import Testing

@testable import HubClient

/// The keyfile `known-hubs` on disk: one step for each change.
@Suite struct KnownHubsFileTests {
    private struct Failure: Error {}

    private let device: ScratchDevice
    private var file: KnownHubsFile { KnownHubsFile(in: device.configuration) }
    private var directory: String { device.path + "/config" }

    init() throws { device = try ScratchDevice() }

    private func stock() throws -> AddedHub {
        AddedHub(name: try PeerName("Stock"), address: "10.0.0.3:8000", kind: .stock, id: nil)
    }

    @Test func withoutADirectory() throws {
        #expect(try file.read() == KnownHubs())
        #expect(throws: FileError.missing(path: directory)) { try file.change { _, _ in } }
        #expect(throws: (any Error).self) {
            try ManageHubs(configuration: device.configuration).forget(PeerSelector("Stock"))
        }
        #expect(!FileManager.default.fileExists(atPath: directory))
    }

    @Test func whatHasNotChangedIsNotWritten() throws {
        try file.change(createsDirectory: true) { _, _ in }
        #expect(!FileManager.default.fileExists(atPath: directory + "/known-hubs"))
        let hub = try stock()
        try file.change { known, _ in known.add(hub) }
        try file.change { known, _ in known.use(added: hub.name) }
        let backup = readFile(directory + "/known-hubs.bak")
        try file.change { known, _ in known.use(added: hub.name) }
        #expect(readFile(directory + "/known-hubs.bak") == backup)
        #expect(try file.read().defaultAdded == hub.name)
    }

    @Test func anErrorLeavesTheFile() throws {
        let hub = try stock()
        try file.change(createsDirectory: true) { known, _ in known.add(hub) }
        #expect(throws: Failure.self) {
            try file.change { known, _ in
                known.forgetAdded(hub.name)
                throw Failure()
            }
        }
        #expect(try file.read().added == [hub])
    }
}
