import FoundationEssentials
import GatewayRules
import Glibc
import Logging
import NIOPosix
import Pairing
import Synchronization
import TestSupport
import Testing

@testable import HubService

/// A look-up says what a fresh read of the file says, whatever was done to the file, and with one system
/// call.
@Suite struct DeviceRegisterTests {
    /// In memory, where thousands of changes fall between two ticks of the file's clock, and on a disk.
    @Test(arguments: ["/dev/shm", "/tmp"], 1...6)
    func aLookUpSaysWhatTheFileSays(base: String, seed: Int) async throws {
        let place = try DamagedState(base: base, seed: UInt64(seed))
        let register = DeviceRegister(state: place.state)
        let log = ServeLog(Logger(label: "test") { _ in RecordedLog() })
        let isToldAndAsked = seed % 3 != 0
        // With the thread, which takes events out of the queue too; with the queue alone; with neither.
        let watch =
            seed % 2 == 0
            ? StateWatch.start(
                place.state.path, for: register, on: MultiThreadedEventLoopGroup.singleton.next(), log: log
            ) {} : nil
        if watch == nil, isToldAndAsked { _ = try register.startWatching {} }
        let (access, glance) = (DeviceAccess(register, log: log), DeviceGlance(register))
        var known: [Pin: DeviceAccess.Found] = [:]
        for number in 0..<1_200 {
            let what = try place.change(register)
            // A loop that asks before others have emptied the queue, or after.
            for pin in number % 2 == 0 ? place.pins : [] {
                let seen = access.access(of: pin, glance, found: &known[pin])
                let expected = Result { try place.freshlyRead(pin) }
                try #require(
                    DamagedState.isSame(seen, expected),
                    "\(base), seed \(seed), change \(number), \(what): \(seen), not \(expected)")
            }
            for pin in place.pins {
                let found = Result { try register.device(pin) }
                let expected = Result { try place.freshlyRead(pin) }
                try #require(
                    DamagedState.isSame(found, expected),
                    "\(base), seed \(seed), change \(number), \(what): \(found), not \(expected)")
                let seen = access.access(of: pin, glance, found: &known[pin])
                try #require(
                    DamagedState.isSame(seen, expected),
                    "\(base), seed \(seed), change \(number), \(what): \(seen), not \(expected)")
            }
        }
        await watch?.stop()
    }

    /// What one loop has found holds until another empties the queue, and never without the kernel's word.
    @Test func whatWasFoundHoldsUntilSomethingHappens() async throws {
        let hub = try PairingHub()
        let register = DeviceRegister(state: hub.state)
        let glance = DeviceGlance(register)
        // The watch of a file that was replaced says goodbye, and once a second the file itself is looked at.
        func found() throws -> UInt64? {
            for _ in 0..<1_000 {
                let (_, version) = try register.deviceAndVersion(hub.hub.pin)
                if glance.holds(version) { return version }
            }
            return nil
        }
        #expect(try found() == nil)
        _ = try register.startWatching {}
        let first = try #require(try found())
        try hub.restore("approved-devices", hub.content("approved-devices"))
        #expect(!glance.holds(first))
        _ = register.takeNews(mountsHaveChanged: false)
        #expect(!glance.holds(first))
        let second = try #require(try found())
        register.noteMounts()
        #expect(!glance.holds(second))
        register.stopWatching()
        #expect(try found() == nil)
    }

    /// Whoever is told of a change looks devices up, also where a look-up is the first to see that another
    /// path may lead to the directory.
    @Test func whoIsToldLooksDevicesUp() throws {
        let hub = try PairingHub()
        let register = DeviceRegister(state: hub.state)
        let told = Mutex(0)
        _ = try register.startWatching {
            _ = try? register.device(hub.hub.pin)
            told.withLock { $0 += 1 }
        }
        _ = try register.device(hub.hub.pin)
        let before = told.withLock { $0 }
        register.noteMounts()
        _ = try register.device(hub.hub.pin)
        #expect(told.withLock { $0 } > before)
        register.stopWatching()
    }

    @Test func withoutTheKernelsWordTheFileIsLookedAt() async throws {
        let hub = try PairingHub()
        let register = DeviceRegister(state: hub.state)
        // Gone again, as if the system gave none.
        _ = try register.startWatching {}
        register.stopWatching()
        #expect(try register.device(hub.hub.pin) == nil)
        var devices = ApprovedDevices()
        devices.insert(ApprovedDevice(name: try PeerName("x"), pin: hub.hub.pin, status: .approved))
        try hub.restore("approved-devices", Data(devices.serialized))
        #expect(try register.device(hub.hub.pin)?.status == .approved)
    }

    @Test func aFileSystemOfOtherHostsIsNotWatched() throws {
        // sysfs stands for it: not on the list.
        #expect(LocalFileSystem.holds("/sys") == false)
        #expect(LocalFileSystem.holds("/dev/shm") == true)
        #expect(LocalFileSystem.holds("/nowhere") == nil)
    }
}

/// A state directory below a symbolic link, and what may be done to it.
private final class DamagedState {
    let state: HubState
    let pins: [Pin]
    private let root: String
    private var random: SplitMix64
    private var held: Int32 = -1
    private var variants: [[UInt8]] = []

    init(base: String, seed: UInt64) throws {
        root = "\(base)/hubpair-register-\(UUID().uuidString)"
        random = SplitMix64(seed: seed)
        for name in ["one", "two"] {
            let hub = HubState(
                option: "\(root)/\(name)/state", environment: [:], isRoot: false, home: "/")
            _ = try SetUpHub(.init(), defaultName: try PeerName("Hub"), state: hub).run()
        }
        symlink("one", "\(root)/way")
        state = HubState(option: "\(root)/way/state", environment: [:], isRoot: false, home: "/")
        pins = (0..<2).map { Pin(subjectPublicKeyInfo: Data("device \($0)".utf8)) }
        // Of one length: only the bytes tell them apart.
        for name in ["aaaa", "bbbb", "cccc"] {
            for status in [ApprovedDevice.Status.approved, .revoked, .pending] {
                var devices = ApprovedDevices()
                devices.insert(ApprovedDevice(name: try PeerName(name), pin: pins[0], status: status))
                variants.append(devices.serialized)
            }
        }
    }

    deinit {
        close(held)
        try? FileManager.default.removeItem(atPath: root)
    }

    private var directory: String { state.path }
    private var file: String { "\(directory)/approved-devices" }

    func freshlyRead(_ pin: Pin) throws -> ApprovedDevice? {
        try HubState.existing(
            ApprovedDevices.fileName, in: try state.open(), ApprovedDevices.init(parsing:)
        ).device(pin)
    }

    static func isSame(
        _ access: RequestRouter.Access, _ expected: Result<ApprovedDevice?, any Error>
    ) -> Bool {
        switch (access, expected) {
        case (.approved(let device), .success(let other)): device.status == .approved && device == other
        case (.refused(let device, _), .success(let other)): device.status != .approved && device == other
        case (.unknown, .success(nil)), (.unreadable, .failure): true
        default: false
        }
    }

    static func isSame(
        _ one: Result<ApprovedDevice?, any Error>, _ other: Result<ApprovedDevice?, any Error>
    ) -> Bool {
        switch (one, other) {
        case (.success(let one), .success(let other)): one == other
        case (.failure, .failure): true
        default: false
        }
    }

    private func variant() -> [UInt8] { variants[Int.random(in: 0..<variants.count, using: &random)] }

    private func write(_ bytes: [UInt8], to path: String, _ flags: Int32) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0o600)
        guard descriptor >= 0 else { return }
        _ = pwrite(descriptor, bytes, bytes.count, 0)
        close(descriptor)
    }

    /// Does something; what it was.
    func change(_ register: DeviceRegister) throws -> String {
        let bytes = variant()
        let number = Int.random(in: 0..<26, using: &random)
        switch number {
        case 0: truncate(file, off_t(Int.random(in: 0...bytes.count, using: &random)))
        case 1: if held >= 0 { ftruncate(held, off_t(Int.random(in: 0...bytes.count, using: &random))) }
        case 2:
            close(held)
            held = open(file, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        case 3: if held >= 0 { _ = pwrite(held, bytes, bytes.count, 0) }
        case 4, 5: write(bytes, to: file, 0)
        case 6: write(bytes, to: file, O_TRUNC)
        case 7: chmod(file, [0o600, 0o644, 0o400].randomElement(using: &random) ?? 0)
        case 8: chmod(directory, [0o700, 0o755].randomElement(using: &random) ?? 0)
        case 9: rename(directory, "\(root)/away")
        case 10: rename("\(root)/away", directory)
        case 11: unlink(file)
        case 12: rename("\(root)/aside", file)
        case 13: rename(file, "\(root)/aside")
        case 14: symlink("approved-devices.bak", file)
        case 15:
            symlink(Bool.random(using: &random) ? "one" : "two", "\(root)/new-way")
            rename("\(root)/new-way", "\(root)/way")
        case 16, 17:
            unlink("\(root)/other-name")
            link(file, "\(root)/other-name")
        case 18: chmod("\(root)/other-name", Bool.random(using: &random) ? 0o600 : 0o640)
        case 19: rename("\(root)/one", "\(root)/one-away")
        case 20: rename("\(root)/one-away", "\(root)/one")
        case 21: write(bytes, to: "\(root)/other-name", 0)
        case 22: try own(bytes, register)
        default: mend(bytes)
        }
        return "kind \(number)"
    }

    /// As it should be, so that not all that follows is done to something broken.
    private func mend(_ bytes: [UInt8]) {
        if access("\(root)/one", F_OK) != 0 { rename("\(root)/one-away", "\(root)/one") }
        if access(directory, F_OK) != 0 { rename("\(root)/away", directory) }
        chmod(directory, 0o700)
        write(bytes, to: "\(root)/mended", O_TRUNC)
        rename("\(root)/mended", file)
    }

    /// What the process writes itself, with or without somebody else in between.
    private func own(_ bytes: [UInt8], _ register: DeviceRegister) throws {
        guard let directory = try? state.open(), let old = try? directory.stamp(of: ApprovedDevices.fileName)
        else { return }
        // A link or a directory in the file's place: then nothing is written.
        guard (try? directory.replace(ApprovedDevices.fileName, with: bytes)) != nil else { return }
        let stamp = try directory.stamp(of: ApprovedDevices.fileName)
        let device = try ApprovedDevices(parsing: bytes).device(pins[0])
        switch Int.random(in: 0..<4, using: &random) {
        case 0: write(variant(), to: file, 0)
        case 1: mend(variant())
        case 2: chmod(file, 0o644)
        default: break
        }
        register.adopt([pins[0]: device], from: old, to: stamp)
    }
}
