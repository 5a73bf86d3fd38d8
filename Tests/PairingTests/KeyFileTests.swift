import FoundationEssentials
import TestSupport
import Testing

@testable import Pairing

@Suite struct ApprovedDevicesVectorTests {
    struct Accepted: Decodable, Sendable, CustomTestStringConvertible {
        struct Device: Decodable, Sendable {
            let name: String
            let pin: String
            let status: String
            let approved: String?
            let expires: String?
        }
        let name: String
        let text: String
        let devices: [Device]
        var testDescription: String { name }
    }

    static let vectors = Vectors<Accepted>.read("approved-devices")

    @Test(arguments: vectors.accepted)
    func accepted(vector: Accepted) throws {
        let devices = try ApprovedDevices(parsing: Array(vector.text.utf8)).devices
        #expect(devices.count == vector.devices.count)
        for (device, expected) in zip(devices, vector.devices) {
            #expect(Array(device.name.description.utf8) == Array(expected.name.utf8))
            #expect(device.pin.bytes == bytes(hex: expected.pin))
            #expect(device.status.rawValue == expected.status)
            #expect(device.approved?.timestamp == expected.approved)
            #expect(device.expires?.timestamp == expected.expires)
        }
        let file = try KeyFile(parsing: Array(vector.text.utf8))
        #expect(file.serialized == Array(vector.text.utf8))
    }

    @Test(arguments: vectors.rejected)
    func rejected(vector: Vectors<Accepted>.Rejected) throws {
        let error = try #require(throws: KeyFileError.self) {
            try ApprovedDevices(parsing: Array(vector.text.utf8))
        }
        #expect(Self.identifier(of: error) == vector.error)
    }

    static func identifier(of error: KeyFileError) -> String {
        switch error {
        case .tooLarge: "too-large"
        case .notUTF8: "not-utf8"
        case .byteOrderMark: "byte-order-mark"
        case .torn: "torn"
        case .invalidHeader: "invalid-header"
        case .invalidLine: "invalid-line"
        case .pairOutsideGroup: "pair-outside-group"
        case .duplicateGroup: "duplicate-group"
        case .duplicateKey: "duplicate-key"
        case .invalidEscape: "invalid-escape"
        case .controlCharacter: "control-character"
        case .missingFormat: "missing-format"
        case .newerFormat: "newer-format"
        case .missingKey: "missing-key"
        case .invalidValue: "invalid-value"
        case .unknownGroup: "unknown-group"
        case .wrongFingerprint: "wrong-fingerprint"
        }
    }
}

@Suite struct KeyFileTests {
    static let text = """
        # above

        [keyfile]
        format=1

        # about the first
        [device one]
        name = Küche \\s
        # inside
        unknown[de]=kept

        # about the second
        [device two]
        name=two

        """

    @Test func everythingUnknownSurvivesAChange() throws {
        var file = try KeyFile(parsing: Array(Self.text.utf8))
        file.set("name", to: "new", in: "device two")
        file.set("status", to: "approved", in: "device one")
        let expected = Self.text
            .replacing("name=two", with: "name=new")
            .replacing("unknown[de]=kept\n", with: "unknown[de]=kept\nstatus=approved\n")
        #expect(String(decoding: file.serialized, as: UTF8.self) == expected)
    }

    @Test func settingTheSameValueChangesNothing() throws {
        var file = try KeyFile(parsing: Array(Self.text.utf8))
        file.set("format", to: "1", in: "keyfile")
        #expect(String(decoding: file.serialized, as: UTF8.self) == Self.text)
    }

    @Test func aRemovedGroupLeavesTheCommentOfTheNext() throws {
        var file = try KeyFile(parsing: Array(Self.text.utf8))
        file.removeGroup("device one")
        let text = String(decoding: file.serialized, as: UTF8.self)
        #expect(!text.contains("one]") && !text.contains("kept") && !text.contains("inside"))
        #expect(text.contains("# about the second\n[device two]\nname=two\n"))
        #expect(try KeyFile(parsing: Array(text.utf8)) == file)
    }

    @Test(arguments: [
        "plain", "", " leading", "trailing ", " ", "  ", "a\tb", "\ttab", "line\nbreak", "\r", "back\\slash",
        "\\s",
        "=", "[x]", "# no comment", "\u{301}combining", "😀", "a;b",
    ])
    func valuesSurvive(value: String) throws {
        var file = KeyFile()
        file.set("key", to: value, in: "group")
        let read = try KeyFile(parsing: file.serialized).value("key", in: "group")
        #expect(read.map { Array($0.utf8) } == Array(value.utf8))
    }

    /// Files of lines as people write them, changed at random: the bytes that are kept beside the lines stay
    /// those of the lines, so the file that is read from them goes on in the same way; and what was not named
    /// in a change is still there.
    @Test(arguments: 1...200) func whatIsKeptBesideTheLinesFollowsThem(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let names = (1...4).map { "device \($0)" }
        var text = ["", "# above\n"].randomElement(using: &random)!
        for name in names.shuffled(using: &random).prefix(Int.random(in: 0...4, using: &random)) {
            text += ["[\(name)]\n", " [\(name)]\n", "[\(name)] \n", "[\(name)]\r\n"].randomElement(
                using: &random)!
            for key in ["a", "b", "ü[de]"].shuffled(using: &random).prefix(
                Int.random(in: 0...3, using: &random))
            {
                text += ["", "\n", "# a comment\n", " \r\n"].randomElement(using: &random)!
                text += ["\(key)=1\n", "\(key) = 1\n", " \(key)=1\n", "\(key)=\n", "\(key)=x \r\n"]
                    .randomElement(using: &random)!
            }
        }
        var file = try KeyFile(parsing: Array(text.utf8))
        #expect(Array(text.utf8) == file.serialized)
        for _ in 0..<6 {
            let before = Self.lines(file)
            var again = try KeyFile(parsing: file.serialized)
            #expect(again.groupNames == file.groupNames)
            let name = names.randomElement(using: &random)!
            let key = ["a", "b", "c"].randomElement(using: &random)!
            if Int.random(in: 0..<4, using: &random) == 0 {
                file.removeGroup(name)
                again.removeGroup(name)
                #expect(!file.hasGroup(name))
                // Nothing is added.
                try Self.expect(before, hold: Self.lines(file))
            } else {
                let value = [nil, "", "2", " \\"].randomElement(using: &random)!
                file.set(key, to: value, in: name)
                again.set(key, to: value, in: name)
                #expect(file.value(key, in: name) == value)
                let others = before.filter { !$0.drop(while: { $0 == " " }).hasPrefix(key) }
                try Self.expect(Self.lines(file), hold: others)
            }
            #expect(file.serialized == again.serialized)
        }
    }

    private static func expect(_ lines: [String], hold others: [String]) throws {
        var rest = lines[...]
        for line in others {
            let place = try #require(rest.firstIndex(of: line), "\(line) is gone")
            rest = rest[(place + 1)...]
        }
    }

    // Not of the text: CR LF is one Character.
    private static func lines(_ file: KeyFile) -> [String] {
        file.serialized.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func notUTF8AndTooLarge() {
        #expect(throws: KeyFileError.notUTF8) { try KeyFile(parsing: [0x5B, 0xFF, 0x5D, 0x0A]) }
        let large = [UInt8](repeating: 0x0A, count: KeyFile.maximumByteCount + 1)
        #expect(throws: KeyFileError.tooLarge(large.count)) { try KeyFile(parsing: large) }
    }
}

@Suite struct VerdictTests {
    static let now = Date(timeIntervalSince1970: 1_795_256_523)

    @Test(arguments: [
        (ApprovedDevice.Status.approved, nil, DeviceVerdict.approved),
        (.approved, now.addingTimeInterval(1), .approved),
        (.approved, now, .expired(since: now)),
        (.pending, nil, .pending),
        (.revoked, now.addingTimeInterval(1), .revoked),
    ])
    func verdict(status: ApprovedDevice.Status, expires: Date?, expected: DeviceVerdict) throws {
        let pin = Pin(subjectPublicKeyInfo: Data([1]))
        var devices = ApprovedDevices()
        #expect(devices.verdict(for: pin, at: Self.now) == .unknown)
        devices.insert(
            ApprovedDevice(name: try PeerName("x"), pin: pin, status: status, expires: expires, role: nil))
        #expect(devices.verdict(for: pin, at: Self.now) == expected)
        #expect(try ApprovedDevices(parsing: devices.serialized).verdict(for: pin, at: Self.now) == expected)
    }

    private static let boot = "6f0e4a0c-3c5b-4f0e-9d0e-2b1f3c4d5e6f"
    private static let otherBoot = "00000000-3c5b-4f0e-9d0e-2b1f3c4d5e6f"

    private static func at(_ wall: Double, boot: String = boot, _ seconds: Double) -> Moment {
        Moment(
            wall: now.addingTimeInterval(wall), boot: BootTime(id: boot, milliseconds: Int64(seconds * 1000)))
    }

    /// An approval that expires 100 s from now, and a clock that is set.
    @Test(arguments: [
        // Nothing is known: the wall clock decides.
        (nil, at(99, 9), true), (nil, at(100, 9), false), (nil, at(-1e9, 9), true),
        // The same boot: on from what is known by the boot clock, however the wall clock is set.
        (at(0, 1000), at(-1e9, 1099), true), (at(0, 1000), at(-1e9, 1100), false),
        (at(0, 1000), at(99, 1001), true), (at(0, 1000), at(100, 1001), false),
        (at(100, 1000), at(0, 1000), false), (at(500, 1000), at(-1e9, 999), false),
        // Another boot: what is known has been, and a clock that is behind it decides nothing.
        (at(50, boot: otherBoot, 9999), at(50, 1), true), (at(50, boot: otherBoot, 9999), at(49, 1), false),
        (at(100, boot: otherBoot, 1), at(99, 9), false),
        // No boot clock.
        (Moment(wall: now), Moment(wall: now.addingTimeInterval(-1)), false),
        (Moment(wall: now), at(1, 1), true),
    ])
    func aClockThatIsSetBack(known: Moment?, asked: Moment, isApproved: Bool) throws {
        let pin = Pin(subjectPublicKeyInfo: Data([1]))
        let expires = Self.now.addingTimeInterval(100)
        let expected = isApproved ? DeviceVerdict.approved : .expired(since: expires)
        var devices = ApprovedDevices()
        devices.insert(ApprovedDevice(name: try PeerName("x"), pin: pin, status: .approved, expires: expires))
        devices.insert(
            ApprovedDevice(
                name: try PeerName("y"), pin: Pin(subjectPublicKeyInfo: Data([2])), status: .approved))
        let device = try #require(devices.device(pin))
        #expect(device.verdict(at: asked, latest: known) == expected)
        // And as the keyfile keeps it.
        if let known { devices.see(known) }
        let read = try ApprovedDevices(parsing: devices.serialized)
        #expect(read.seen == known && read.device(pin)?.verdict(at: asked) == expected)
        #expect(read.devices.last?.verdict(at: asked) == .approved)
    }

    @Test func whatElseTheKeyfileKnowsOfTheTime() throws {
        let pin = Pin(subjectPublicKeyInfo: Data([1]))
        var devices = ApprovedDevices()
        devices.insert(
            ApprovedDevice(
                name: try PeerName("x"), pin: pin, status: .approved, approved: Self.now,
                expires: Self.now.addingTimeInterval(100)))
        let read = try #require(try ApprovedDevices(parsing: devices.serialized).device(pin))
        #expect(read.verdict(at: Self.now) == .approved)
        #expect(read.verdict(at: Self.now.addingTimeInterval(-1)) != .approved)
    }
}

/// A file that was read before, and is read again with changes: as if it were new.
@Suite struct KeptGroupTests {
    private static let lines = [
        "[keyfile]", "format=1", "[device A]", "[device B]", "[device C]", "[device D]", "name=a", "name=b",
        "pin=x", "", "# word", " [device E]", "[device F] ", "name=\\x", "torn", "\u{1}", "[device", "a=b\r",
    ]

    @Test func readAsIfItWereNew() {
        var numbers = SystemRandomNumberGenerator()
        var (kept, refused) = (0, 0)
        for _ in 0..<3_000 {
            func some() -> String { KeptGroupTests.lines.randomElement(using: &numbers) ?? "" }
            var before = (0..<Int.random(in: 0...12)).map { _ in some() }
            before = before.indices.map { Int.random(in: 0..<4) > 0 ? before[$0] : "[device \($0)]" }
            guard let known = try? KeyFile(parsing: bytes(before)) else { continue }
            var after = before
            for _ in 0..<Int.random(in: 0...3) {
                let place = Int.random(in: 0...after.count)
                switch Int.random(in: 0..<3) {
                case 0: after.insert(some(), at: place)
                case 1 where place < after.count: after.remove(at: place)
                case _ where place < after.count: after[place] = some()
                default: break
                }
            }
            var positions: [Int?] = []
            let again = Result { () throws(KeyFileError) in
                try KeyFile(parsing: bytes(after), keeping: known, &positions)
            }
            let new = Result { () throws(KeyFileError) in try KeyFile(parsing: bytes(after)) }
            switch (again, new) {
            case (.success(let one), .success(let other)):
                #expect(one == other && one.groups == other.groups && one.starts == other.starts)
                #expect(one.positions == other.positions && positions.count == one.groups.count)
                for (group, position) in zip(one.groups, positions) {
                    guard let position else { continue }
                    kept += 1
                    #expect(known.groups[position] == group)
                }
            case (.failure(let one), .failure(let other)):
                refused += 1
                #expect(one == other)
            default: Issue.record("\(before) \(after)")
            }
        }
        #expect(kept > 100 && refused > 100)
    }

    /// So many that the last ones read are kept.
    @Test func manyDevices() throws {
        func pin(_ number: Int) throws -> Pin {
            try #require(Pin(bytes: (0..<32).map { UInt8(truncatingIfNeeded: number >> ($0 % 4 * 8)) }))
        }
        var file = ApprovedDevices()
        func add(_ numbers: Range<Int>) throws {
            for number in numbers {
                file.insert(
                    ApprovedDevice(
                        name: try PeerName("D\(number)"), pin: try pin(number), status: .approved,
                        approved: Date(timeIntervalSince1970: 1_800_000_000 + Double(number))))
            }
        }
        try add(0..<1_000)
        #expect(try ApprovedDevices(parsing: file.serialized) == file)
        let read = try ApprovedDevices(parsing: file.serialized)
        #expect(read.devices.map(\.pin) == file.devices.map(\.pin))
        try add(1_000..<1_003)
        file.remove(try pin(500))
        file.insert(
            ApprovedDevice(name: try PeerName("Revoked"), pin: try pin(7), status: .revoked))
        file.see(Moment(wall: Date(timeIntervalSince1970: 1_900_000_000)))
        let again = try ApprovedDevices(parsing: file.serialized)
        #expect(again == file)
        #expect(again.devices.count == 1_002 && again.latest == file.latest)
        #expect(again.devices.map(\.name) == file.devices.map(\.name))
        #expect(try again.device(pin(7))?.status == .revoked)
        #expect(try again.device(pin(500)) == nil)
        #expect(again.devices.allSatisfy { $0.latest == file.seen })
        var damaged = file.serialized
        damaged.removeLast()
        #expect(throws: KeyFileError.torn) { try ApprovedDevices(parsing: damaged) }
    }

    private func bytes(_ lines: [String]) -> [UInt8] { Array(lines.map { $0 + "\n" }.joined().utf8) }
}
