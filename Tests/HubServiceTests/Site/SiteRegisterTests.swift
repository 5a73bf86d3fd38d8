import Addresses
import FoundationEssentials
import Pairing
import Synchronization
import TestSupport
import Testing

@testable import HubService

/// A store in memory, which fails as etcd does: before a change, after it, or because another gate is faster.
private final class FaultyStore: SiteStore {
    private struct Content {
        var snapshot = SiteSnapshot(head: 1, parts: [:])
        var random: SplitMix64
        var isFaulty = false
    }

    private let content: Mutex<Content>

    init(seed: UInt64) { content = Mutex(Content(random: SplitMix64(seed: seed))) }

    var isFaulty: Bool {
        get { content.withLock { $0.isFaulty } }
        set { content.withLock { $0.isFaulty = newValue } }
    }

    func head() throws(SiteError) -> Int64 { try snapshot().head }

    func snapshot() throws(SiteError) -> SiteSnapshot {
        let (snapshot, fails) = content.withLock { content in
            (content.snapshot, content.isFaulty && Int.random(in: 0..<20, using: &content.random) == 0)
        }
        if fails { throw .noMajority("no leader") }
        return snapshot
    }

    func commit(_ change: SiteChange, on head: Int64) throws(SiteError) -> Int64? {
        let result = content.withLock { content in
            let fault = content.isFaulty ? Int.random(in: 0..<12, using: &content.random) : 9
            guard fault != 0 else { return Result<Int64?, SiteError>.failure(.noMajority("before")) }
            // Another gate changes something that is none of ours.
            if fault == 1 { content.snapshot.head += 1 }
            guard content.snapshot.head == head else { return .success(nil) }
            content.snapshot = content.snapshot.applying(change.parts, head: head + 1)
            return fault == 2 ? .failure(.noMajority("after")) : .success(head + 1)
        }
        return try result.get()
    }

    func watch(
        after revision: Int64, _ tell: @escaping @Sendable (SiteNews) -> Void
    ) throws(SiteError) -> any SiteStream { throw .noMajority("no watch") }

    func seen(after revision: Int64) throws(SiteError) -> SeenAtGates { throw .noMajority("no gates") }

    func note(_ seen: [Fingerprint: LastSeen.Entry?]) throws(SiteError) { throw .noMajority("no gates") }

    func gates() throws(SiteError) -> [(id: String, name: String)] { throw .noMajority("no gates") }

    func journals(
        after revision: Int64
    ) throws(SiteError) -> (pieces: [JournalOfGates.Piece], revision: Int64) { throw .noMajority("no gates") }

    func tell(_ piece: JournalOfGates.Piece, dropping dropped: [Int]) throws(SiteError) {
        throw .noMajority("no gates")
    }

    func fill(_ files: [SharedFile]) throws {
        let change = try content.withLock { $0.snapshot }.change(to: files)
        content.withLock { $0.snapshot = $0.snapshot.applying(change.parts, head: 2) }
    }
}

@Suite struct SiteRegisterTests {
    /// Two gates of one hub on one store.
    private final class Gates {
        let store: FaultyStore
        let first: PairingHub
        let path: String
        let states: [HubState]

        init(seed: UInt64) throws {
            store = FaultyStore(seed: seed)
            first = try PairingHub()
            path = first.path + "-other"
            try FileManager.default.copyItem(atPath: first.path, toPath: path)
            states = [
                first.state, HubState(option: path, environment: [:], isRoot: false, home: "/"),
            ]
            let directory = try first.state.open()
            var files: [SharedFile] = []
            for name in SiteSnapshot.files {
                if let bytes = try directory.read(name) { files.append(SharedFile(name, bytes)) }
            }
            try store.fill(files)
            let settings = SiteSettings(
                members: [], hub: first.hub.pin.fingerprint, cluster: 1, gate: "G", stale: 600,
                credentials: SiteCredentials(authority: [], certificate: [], key: []))
            for state in states { state.site.give(SiteRegister(store, settings)) }
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    /// Pairings, codes and revocations at two gates, of which many fail: a code has one winner, what was
    /// answered as done is done, and what failed is there whole or not at all.
    @Test(arguments: [UInt64](1...6)) func nothingIsHalfDone(seed: UInt64) async throws {
        let gates = try Gates(seed: seed)
        var random = SplitMix64(seed: seed &* 7919)
        let source = try #require(NetworkAddress("192.0.2.7"))
        let hub = gates.first.hub
        let pairings = gates.states.map { state in
            PairDevice(state: state, hub: hub, register: DeviceRegister(state: state))
        }
        var winners: [TicketID: Pin] = [:]
        var revoked: Set<Pin> = []
        var paired: Set<Pin> = []
        for round in 0..<40 {
            gates.store.isFaulty = true
            let maker = gates.states[Int.random(in: 0...1, using: &random)]
            let made = try? IssueCode(.once, lifetime: 600, state: maker, now: Date()).run(
                addressHint: { _ in nil }, draw: { _, _ in }, handOut: {}
            ).codes.first
            guard let secret = made?.secret else { continue }
            var attempts: [PairAttempt] = []
            for index in 0..<3 { attempts.append(try gates.first.attempt(secret, "D\(round)-\(index)")) }
            // Each asks until it is told: the same nonce, at whichever gate.
            for attempt in attempts {
                var status = 503
                while status == 503 {
                    let gate = Int.random(in: 0...1, using: &random)
                    let answer = await pairings[gate].answer(
                        attempt.request(to: hub.pin).serialized, devicePin: attempt.device, source: source)
                    status = answer.status
                    guard status == 200 else { continue }
                    try attempt.verify(try PairReply(parsing: answer.body), from: hub.pin)
                    #expect(winners.updateValue(attempt.device, forKey: secret.ticketID) == nil)
                    paired.insert(attempt.device)
                }
                #expect(status == 200 || status == 409)
            }
            if let victim = paired.subtracting(revoked).min(by: { $0.text < $1.text }), round % 3 == 0 {
                let administer = AdministerDevices(state: gates.states[Int.random(in: 0...1, using: &random)])
                if (try? administer.revoke(PeerSelector("\(victim.fingerprint)"))) != nil {
                    revoked.insert(victim)
                }
            }
            gates.store.isFaulty = false
            // Each gate's copy, once it was made: the same, and whole.
            for state in gates.states {
                let directory = try state.open()
                try directory.withSharedLock { directory in
                    let tickets = try #require(try HubState.tickets(in: directory))
                    let devices = try #require(try HubState.devices(in: directory))
                    #expect(tickets.lastNumber == devices.pairings)
                    for use in tickets.uses where winners[use.ticket] != nil {
                        #expect(winners[use.ticket] == use.device)
                    }
                    for pin in paired {
                        let status = devices.device(pin)?.status
                        #expect(revoked.contains(pin) ? status == .revoked : status != nil)
                    }
                }
            }
        }
        #expect(!winners.isEmpty && !revoked.isEmpty)
    }

    @Test func aCopyIsConfirmedOrLetsNobodyIn() throws {
        let gates = try Gates(seed: 1)
        let settings = SiteSettings(
            members: [], hub: gates.first.hub.pin.fingerprint, cluster: 1, gate: "G", stale: 600,
            credentials: SiteCredentials(authority: [], certificate: [], key: []))
        let register = SiteRegister(gates.store, settings)
        #expect(throws: SiteError.stale(600)) { try register.checkFresh() }
        let directory = try gates.first.state.open()
        let snapshot = try register.current()
        // What the site has said does not count until readers have it: a command may hold the lock.
        #expect(throws: SiteError.stale(600)) { try register.checkFresh() }
        #expect(try !register.hasCopied(snapshot, to: directory))
        try directory.withLock { try register.copy(snapshot, to: $0) }
        try register.checkFresh()
        #expect(try register.hasCopied(snapshot, to: directory))
        // What a process has confirmed counts for the next one, as long as it is not too old.
        for (age, isFresh) in [(10.0, true), (599, true), (700, false), (-3600, false)] {
            let copy = SiteCopy(
                revision: 2, seen: Moment(wall: Date().addingTimeInterval(-age), boot: nil))
            try directory.replace(SiteCopy.fileName, with: copy.serialized)
            let next = SiteRegister(gates.store, settings)
            next.recall(directory)
            #expect(((try? next.checkFresh()) != nil) == isFresh, "\(age)")
        }
    }

    @Test func whatNoGateHasWrittenTakesNoFilesPlace() throws {
        let gates = try Gates(seed: 2)
        let before = gates.first.content(ApprovedDevices.fileName)
        try gates.store.fill([SharedFile(ApprovedDevices.fileName, Array("[device X]\nname=x\n".utf8))])
        #expect(throws: SiteError.self) { try gates.first.state.open().withSharedLock { _ in } }
        #expect(gates.first.content(ApprovedDevices.fileName) == before)
    }

    /// A revocation at one gate and a newer approval at the other are both kept.
    @Test func twoRegistersBecomeOne() throws {
        func device(_ name: String, _ status: ApprovedDevice.Status, _ time: Double) throws -> ApprovedDevice
        {
            ApprovedDevice(
                name: try PeerName(name), pin: Pin(subjectPublicKeyInfo: Data(name.utf8)), status: status,
                approved: Date(timeIntervalSince1970: time))
        }
        var (site, own) = (ApprovedDevices(), ApprovedDevices())
        for each in [
            try device("both", .approved, 1), try device("revoked here", .approved, 5),
            try device("again there", .approved, 9), try device("revoked there", .revoked, 5),
        ] { site.insert(each) }
        for each in [
            try device("both", .approved, 1), try device("revoked here", .revoked, 5),
            try device("again there", .revoked, 5), try device("revoked there", .approved, 5),
            try device("new", .approved, 3), try device("asks", .pending, 3),
        ] { own.insert(each) }
        site.add(own)
        let result = Dictionary(uniqueKeysWithValues: site.devices.map { ($0.name.description, $0.status) })
        #expect(
            result == [
                "both": .approved, "revoked here": .revoked, "again there": .approved,
                "revoked there": .revoked, "new": .approved,
            ])
    }
}
