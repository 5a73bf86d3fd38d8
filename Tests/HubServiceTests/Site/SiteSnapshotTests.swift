import FoundationEssentials
import Pairing
import TestSupport
import Testing

@testable import HubService

@Suite struct SiteSnapshotTests {
    /// Whatever happens to a file, the site has it to the byte, and every piece of a change leaves one that
    /// can be read.
    @Test(arguments: [UInt64](1...20)) func filesComeOutAsTheyWentIn(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var devices = ApprovedDevices()
        // The first gate fills the site while nobody sees it.
        var snapshot = SiteSnapshot(head: 0, parts: [:])
        let first = try snapshot.change(to: [SharedFile(ApprovedDevices.fileName, devices.serialized)])
        snapshot = snapshot.applying(first.parts, head: 1)
        for step in 0..<60 {
            for _ in 0...Int.random(in: 0...8, using: &random) {
                let pin = Pin(subjectPublicKeyInfo: Data("\(Int.random(in: 0..<40, using: &random))".utf8))
                if Int.random(in: 0..<4, using: &random) == 0 {
                    devices.remove(pin)
                } else {
                    let statuses: [ApprovedDevice.Status] = [.approved, .revoked, .pending]
                    devices.insert(
                        ApprovedDevice(
                            name: try PeerName("Gerät \(step)"), pin: pin,
                            status: try #require(statuses.randomElement(using: &random)),
                            approved: Date(timeIntervalSince1970: Double(step) * 1000)))
                }
            }
            let change = try snapshot.change(
                to: [SharedFile(ApprovedDevices.fileName, devices.serialized)])
            var pieces = snapshot
            for piece in change.pieces(of: Int.random(in: 1...5, using: &random), byteCount: 400) {
                pieces = pieces.applying(piece.parts, head: pieces.head + 1)
                _ = try ApprovedDevices(parsing: pieces.contents[ApprovedDevices.fileName] ?? [])
            }
            snapshot = snapshot.applying(change.parts, head: Int64(step) + 2)
            #expect(pieces.parts == snapshot.parts)
            #expect(snapshot.contents[ApprovedDevices.fileName] == devices.serialized)
            // Nothing to do is nothing to tell.
            let again = try snapshot.change(
                to: [SharedFile(ApprovedDevices.fileName, devices.serialized)])
            #expect(again.parts.isEmpty)
        }
    }

    @Test func oneDeviceMoreIsASmallChange() throws {
        var devices = ApprovedDevices()
        func enter(_ number: Int) throws {
            devices.insert(
                ApprovedDevice(
                    name: try PeerName("D\(number)"), pin: Pin(subjectPublicKeyInfo: Data("\(number)".utf8)),
                    status: .approved))
        }
        for number in 0..<1000 { try enter(number) }
        func change(of snapshot: SiteSnapshot) throws -> SiteChange {
            try snapshot.change(to: [SharedFile(ApprovedDevices.fileName, devices.serialized)])
        }
        let empty = SiteSnapshot(head: 0, parts: [:])
        let snapshot = empty.applying(try change(of: empty).parts, head: 1)
        try enter(1000)
        // With the blank line behind the last one.
        #expect(try change(of: snapshot).parts.count <= 2)
    }

    @Test func partsAreReadStrictly() {
        for good in ["0\n", "7\n[device X]\nname=x\n", "4294967295\n\n"] {
            #expect(SiteSnapshot.Part(parsing: Array(good.utf8))?.serialized == Array(good.utf8))
        }
        for bad in ["", "\n", "7", "07\n", "-1\n", "+1\n", "4294967296\n", "12345678901\n", "x\n"] {
            #expect(SiteSnapshot.Part(parsing: Array(bad.utf8)) == nil, "\(bad)")
        }
    }

    @Test func membersAreReadStrictly() {
        for good in [
            "https://etcd1:2379", "https://10.0.0.7:2379", "https://[fd00::7]:1", "https://a-b_c.d:65535",
        ] {
            #expect((try? SiteMember(good))?.text == good)
        }
        for bad in [
            "http://etcd1:2379", "https://etcd1", "https://etcd1:0", "https://etcd1:65536", "https://:2379",
            "https://a b:2379", "https://a:2379/x", "https://a@b:2379", "https://a:+1", "", "https://",
            "https://ä:2379", "https://" + String(repeating: "a", count: 300) + ":1",
        ] {
            #expect(throws: SiteError.self, "\(bad)") { try SiteMember(bad) }
        }
    }

    @Test func settingsSurviveTheirFile() throws {
        let settings = SiteSettings(
            members: [try SiteMember("https://etcd1:2379"), try SiteMember("https://[fd00::7]:2379")],
            hub: Pin(subjectPublicKeyInfo: Data("x".utf8)).fingerprint, cluster: .max, gate: "G1", stale: 0,
            credentials: SiteCredentials(
                authority: Array("-----BEGIN\nCA\n-----END\n".utf8), certificate: Array("C\n".utf8),
                key: Array("K\n".utf8)))
        #expect(try SiteSettings(parsing: settings.serialized) == settings)
        let text = String(decoding: settings.serialized, as: UTF8.self)
        for (old, new) in [
            ("https://etcd1", "http://etcd1"), ("stale=0", "stale=-1"), ("stale=0", "stale=604801"),
            ("gate=G1", "gate="), ("key=", "kye="), ("cluster=1", "cluster=x"),
        ] {
            let changed = text.replacing(old, with: new)
            #expect(changed != text)
            #expect(throws: KeyFileError.self, "\(new)") { try SiteSettings(parsing: Array(changed.utf8)) }
        }
    }
}
