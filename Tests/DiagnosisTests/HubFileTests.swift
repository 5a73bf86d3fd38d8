import FoundationEssentials
import HubService
import Pairing
import Testing

@testable import Diagnosis

/// The doctor reads whatever `serve` needs.
@Suite struct HubFileTests {
    private static func verdicts(_ break: (String) throws -> Void) async throws -> [String: Finding.Verdict] {
        let path = FileManager.default.temporaryDirectory.path() + "hubpair-doctor-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let state = HubState(option: path, environment: [:], isRoot: false, home: "/")
        _ = try SetUpHub(.init(), defaultName: try PeerName("Kitchen"), state: state).run()
        try `break`(path)
        var verdicts: [String: Finding.Verdict] = [:]
        for check in CheckHubFiles(state: state).checks { verdicts[check.id] = await check.run().verdict }
        return verdicts
    }

    @Test func aWholeHubHasNoFault() async throws {
        var verdicts = try await Self.verdicts { _ in }
        #expect(verdicts.count == 4)
        #expect(verdicts.removeValue(forKey: "hub-public-certificate")?.status == .skipped)
        #expect(verdicts.values.allSatisfy { $0.status == .ok })
    }

    @Test(arguments: [
        (90.0, 30.0, Finding.Status.ok), (90, 14.5, .ok), (90, 13.5, .warning), (90, -0.1, .problem),
        (6, 2, .ok), (6, 0.5, .warning), (1, 0.5, .ok), (1, 0.1, .warning),
    ])
    func aPublicCertificateRunsOut(whole: Double, left: Double, status: Finding.Status) {
        let (day, now) = (86_400.0, Date(timeIntervalSince1970: 1_795_000_000))
        let end = now.addingTimeInterval(left * day)
        let verdict = CheckHubFiles.publicCertificate(
            for: "kitchen.example.org", from: end.addingTimeInterval(-whole * day), until: end, now: now)
        #expect(verdict.status == status && verdict.seen.contains("kitchen.example.org"))
        #expect((verdict.mend == nil) == (status == .ok))
    }

    @Test(arguments: [
        (HubSettings.fileName, "hub-files"), (Tickets.fileName, "hub-files"),
        (FailedAttempts.fileName, "hub-files"), (ApprovedDevices.fileName, "hub-devices"),
        (HubState.keyFileName, "hub-certificate"), (HubState.certificateFileName, "hub-certificate"),
    ])
    func junkIsSeen(name: String, check: String) async throws {
        let verdicts = try await Self.verdicts {
            try ProtectedDirectory(path: $0).replace(name, with: Array("junk".utf8))
        }
        let verdict = try #require(verdicts[check])
        #expect(verdict.status == .problem && verdict.mend != nil)
        #expect(check == "hub-certificate" || verdict.seen.contains("/\(name): "))
    }

    @Test(arguments: [
        (HubSettings.fileName, "hub-files"), (Tickets.fileName, "hub-files"),
        (ApprovedDevices.fileName, "hub-devices"), (HubState.keyFileName, "hub-certificate"),
    ])
    func whatIsGoneIsSeen(name: String, check: String) async throws {
        let verdicts = try await Self.verdicts { try FileManager.default.removeItem(atPath: "\($0)/\(name)") }
        #expect(verdicts[check]?.status == .problem)
    }
}
