import Addresses
import FoundationEssentials
import HubClient
import Identity
import Pairing
import PinnedTLS
import Synchronization
import Testing

/// The device's side of the exchange against hubs that follow a script, over real TLS.
@Suite struct PairWithHubTests {
    let device: ScratchDevice
    var config: String { device.path + "/config" }

    init() throws { device = try ScratchDevice() }

    func pair(
        _ code: ScannedCode, place: HubPlace? = nil, name: String? = "Anna's tablet", alias: String? = nil,
        waits: Bool = true, stagger: Duration = HubConnector.stagger,
        report: (PairWithHub.Event) throws -> Void = { _ in }
    ) async throws -> PairOutcome {
        try await PairWithHub(
            configuration: device.configuration, code: code, place: place,
            deviceName: try name.map { try PeerName($0) }, alias: try alias.map { try PeerName($0) },
            waits: waits, interval: .milliseconds(1), stagger: stagger
        ).run(report)
    }

    func known() throws -> [KnownHub] { try device.configuration.knownHubs().hubs }

    @Test func aCodeLetsTheDeviceIn() async throws {
        let hub = try await FakeHub([.reply(.approved)], device: config)
        let outcome = try await pair(try hub.code())
        #expect(outcome.isApproved)
        #expect(outcome.change == .added)
        #expect(outcome.isDefault)
        let stored = try #require(try known().first)
        #expect(stored.pin == hub.identity.pin)
        #expect(stored.name == hub.name)
        #expect(stored.address == "\(try hub.address)")
        #expect(try device.configuration.knownHubs().defaultHub == stored.fingerprint)
        let identity = try #require(try DeviceIdentity.load(from: device.configuration))
        #expect(outcome.device == identity.pin.fingerprint)
        // The attempt was on disk when the request came in, and is gone now; the secret never was.
        let request = try #require(hub.requests.withLock { $0.first })
        let nonce = Data(request.nonce.bytes).base64EncodedString()
        #expect(hub.files.withLock { $0.first }?.contains("nonce=\(nonce)\n") == true)
        #expect(!readFile(config + "/pairing").contains(nonce))
        #expect(!device.everything.contains(Data(hub.secret.bytes).base64EncodedString()))
        #expect(!device.everything.contains(CrockfordBase32.encode(hub.secret.bytes)))
    }

    @Test func theIdentityStays() async throws {
        let hub = try await FakeHub([.reply(.approved)], device: config)
        let first = try await pair(try hub.code())
        let second = try await pair(try hub.code())
        #expect(first.device == second.device)
        #expect(second.change == .renewed)
        #expect(try known().count == 1)
    }

    @Test func aReplyThatIsNotProvenStoresNothing() async throws {
        let turns: [(FakeHub.Turn, (any Error) -> Bool)] = [
            (.spoiledProof, { ($0 as? PairReplyError) == .wrongProof }),
            (.otherID, { if case .otherHub? = $0 as? PairReplyError { true } else { false } }),
            (.otherDevice, { if case .otherDevice? = $0 as? PairReplyError { true } else { false } }),
            (.bytes(200, "{}"), { if case .noHub(_, 200)? = $0 as? PairError { true } else { false } }),
            (.bytes(404, "<html>"), { if case .noHub(_, 404)? = $0 as? PairError { true } else { false } }),
            (.bytes(302, ""), { if case .noHub(_, 302)? = $0 as? PairError { true } else { false } }),
        ]
        for (turn, isExpected) in turns {
            let hub = try await FakeHub([turn], device: config)
            do {
                _ = try await pair(try hub.code())
                Issue.record("\(turn) was taken")
            } catch {
                #expect(isExpected(error), "\(turn): \(error)")
            }
            #expect(!device.exists("known-hubs"))
        }
    }

    /// The same for an attacker in the middle of a typed code, without the secret.
    @Test func aTypedCodeGoesToNobodyElse() async throws {
        let hub = try await FakeHub([.reply(.approved)], device: config)
        let other = try await FakeHub([.spoiledProof], device: config)
        let code = ScannedCode.typed(TypedCode(secret: hub.secret))
        // The other hub does not know the secret, and refuses the proof.
        await #expect(throws: PairRefusal.self) {
            _ = try await pair(code, place: .address(try other.address))
        }
        #expect(!device.exists("known-hubs"))
        let outcome = try await pair(code, place: .address(try hub.address))
        #expect(outcome.hub.pin == hub.identity.pin)
    }

    @Test func anotherKeyGetsNoRequest() async throws {
        let hub = try await FakeHub([.reply(.approved)], device: config)
        let impostor = try await FakeHub([.reply(.approved)], device: config)
        let code = ScannedCode.pairing(
            try PairingCode(
                kind: .once, expires: .now.addingTimeInterval(600), secret: hub.secret, hub: hub.identity.pin)
        )
        let address = try impostor.address
        let reason = await reason { _ = try await pair(code, place: .address(address)) }
        #expect(reason == .otherKey(expected: hub.identity.pin.fingerprint, seen: impostor.identity.pin))
        #expect(impostor.requests.withLock { $0.isEmpty })
        #expect(!device.exists("pairing"))
        #expect(!device.exists("known-hubs"))
    }

    @Test(arguments: PairRefusal.Code.inOrder + [.unavailable])
    func aRefusalIsHandedOn(_ code: PairRefusal.Code) async throws {
        let hub = try await FakeHub([.refuse(code)], device: config)
        do {
            // With an address the network is not searched.
            _ = try await pair(try hub.code(), place: .address(try hub.address))
            Issue.record("paired")
        } catch let refusal as PairRefusal {
            #expect(refusal.code == code)
        }
        #expect(!device.exists("known-hubs"))
        // What will pass is asked again with the same nonce; what is final is forgotten.
        let isKept = readFile(config + "/pairing").contains("[attempt ")
        #expect(isKept == [.tooManyAttempts, .unavailable].contains(code))
    }

    @Test func aLostReplyIsAskedForAgain() async throws {
        let hub = try await FakeHub([.lose, .reply(.approved)], device: config)
        var retries = 0
        let outcome = try await pair(try hub.code()) { if case .retrying = $0 { retries += 1 } }
        #expect(outcome.isApproved)
        #expect(retries == 1)
        let requests = hub.requests.withLock { $0 }
        #expect(requests.count == 2)
        #expect(requests.first == requests.last)
    }

    /// A neighbour has used up the attempts of one address family; by the other the same request gets
    /// through.
    @Test func theOtherFamilyIsTriedWhenThereWereTooManyAttempts() async throws {
        let four = try await FakeHub([.refuse(.tooManyAttempts)], device: config)
        let six = try await FakeHub(
            [.reply(.approved)], device: config, identity: four.identity, secret: four.secret, host: "::1")
        var reached: [HubAddress] = []
        // However long the first handshake takes, the other address does not overtake it.
        let outcome = try await pair(
            try four.code(), place: .address(try six.address), stagger: .seconds(20)
        ) {
            if case .reached(let address) = $0 { reached.append(address) }
        }
        #expect(outcome.isApproved)
        #expect(try reached == [four.address, six.address])
        let requests = [four, six].map { $0.requests.withLock { $0 } }
        #expect(requests[0].count == 1)
        #expect(requests[0] == requests[1])
    }

    @Test func eachFamilyIsTriedOnce() async throws {
        let four = try await FakeHub([.refuse(.tooManyAttempts)], device: config)
        let six = try await FakeHub(
            [.refuse(.tooManyAttempts)], device: config, identity: four.identity, secret: four.secret,
            host: "::1")
        await #expect(throws: PairRefusal.self) {
            _ = try await pair(try four.code(), place: .address(try six.address))
        }
        #expect(four.requests.withLock { $0.count } == 1)
        #expect(six.requests.withLock { $0.count } == 1)
    }

    @Test func anAttemptIsTakenUpByTheNextRun() async throws {
        let hub = try await FakeHub([.lose, .lose, .lose, .reply(.approved)], device: config)
        #expect(await reason { _ = try await pair(try hub.code()) } == .closed)
        #expect(!device.exists("known-hubs"))
        var resumed: PeerName?
        let outcome = try await pair(try hub.code(), name: "Another name") {
            if case .resuming(let name) = $0 { resumed = name }
        }
        #expect(try resumed == PeerName("Anna's tablet"))
        #expect(try outcome.deviceName == PeerName("Anna's tablet"))
        let requests = hub.requests.withLock { $0 }
        #expect(requests.count == 4)
        #expect(requests.allSatisfy { $0 == requests[0] })
    }

    @Test func aCodeThatThisDeviceHasUsed() async throws {
        let hub = try await FakeHub(
            [.reply(.approved), .refuse(.ticketUsed)], then: [.status(.approved), .status(.revoked)],
            device: config)
        _ = try await pair(try hub.code())
        let again = try await pair(try hub.code())
        #expect(again.change == .none)
        #expect(again.isApproved)
        await #expect(throws: PairError.revoked) { _ = try await pair(try hub.code()) }
        #expect(try known().count == 1)
    }

    @Test func hubsOfOneName() async throws {
        let one = try await FakeHub([.reply(.approved)], device: config)
        let two = try await FakeHub([.reply(.approved)], device: config)
        _ = try await pair(try one.code())
        let outcome = try await pair(try two.code())
        #expect(try outcome.hub.name == PeerName("Kitchen hub 2"))
        #expect(outcome.hubName == two.name)
        #expect(!outcome.isDefault)
        // A name that the user chose is never mended, and nothing is sent.
        let three = try await FakeHub([.reply(.approved)], device: config)
        await #expect(throws: PeerSelectorError.self) {
            _ = try await pair(try three.code(), alias: "Kitchen hub 2")
        }
        #expect(three.requests.withLock { $0.isEmpty })
        // Pairing again keeps the name that the hub has here.
        #expect(try await pair(try two.code()).hub.name == outcome.hub.name)
        #expect(try await pair(try two.code(), alias: "Shed").hub.name == PeerName("Shed"))
    }

    /// A hub of version 0.1 has its name from before; so has a second one.
    @Test func aHubThatWasNamedByAnEarlierVersion() async throws {
        let old = "Herd \u{2764}\u{FE0F}"
        for name in [old, old + " 2"] {
            let hub = try await FakeHub([.reply(.approved)], name: old, device: config)
            #expect(try await pair(try hub.code()).hub.name == PeerName(known: name))
        }
        #expect(try known().map(\.name.description) == [old, old + " 2"])
    }

    @Test func aLongNameIsCutForItsNumber() async throws {
        let long = String(repeating: "ü", count: 31) + "a"
        for number in 1...3 {
            let hub = try await FakeHub([.reply(.approved)], name: long, device: config)
            let name = try await pair(try hub.code()).hub.name.description
            #expect(name == (number == 1 ? long : String(repeating: "ü", count: 30) + " \(number)"))
        }
    }

    @Test func aLostKeyIsNotReplaced() async throws {
        let hub = try await FakeHub([.reply(.approved)], device: config)
        _ = try await pair(try hub.code())
        try FileManager.default.removeItem(atPath: config + "/device-key.pem")
        await #expect(throws: DeviceIdentityError.self) { _ = try await pair(try hub.code()) }
        #expect(!device.exists("device-key.pem"))
    }

    /// The certificate only carries the key: it is made again.
    @Test func aLostCertificateIsMadeAgain() async throws {
        let identity = try DeviceIdentity.ensure(in: device.configuration)
        try FileManager.default.removeItem(atPath: config + "/device-certificate.pem")
        #expect(try DeviceIdentity.ensure(in: device.configuration).pin == identity.pin)
        let certificate = readFile(config + "/device-certificate.pem")
        #expect(identity.isBorne(byCertificatePEM: Array(certificate.utf8)))
    }

    /// To connect, key and certificate are read as they are. A certificate of another key is never shown,
    /// and no reason to stop: one is made of the key.
    @Test(arguments: ["device-certificate.pem", "device-key.pem"])
    func aCertificateOfAnotherKeyIsNotShown(_ exchanged: String) async throws {
        let hub = try await FakeHub([.reply(.approved)], device: config)
        _ = try await pair(try hub.code())
        let own = try #require(try DeviceIdentity.load(from: device.configuration))
        #expect(try UseHub(configuration: device.configuration).device == own.pin.fingerprint)
        let stranger = TLSIdentity.random()
        let text = exchanged == "device-key.pem" ? stranger.keyPEM : try stranger.certificatePEM()
        try Data(text.utf8).write(to: URL(filePath: "\(config)/\(exchanged)"))
        let shown = try UseHub(configuration: device.configuration).device
        #expect(shown == (exchanged == "device-key.pem" ? stranger : own).pin.fingerprint)
    }

    @Test func aKeyThatIsNoneIsNamed() async throws {
        _ = try DeviceIdentity.ensure(in: device.configuration)
        try Data("-----BEGIN PRIVATE KEY-----\nMIGH\n".utf8).write(
            to: URL(filePath: "\(config)/device-key.pem"))
        #expect(throws: DeviceIdentityError.unreadable(path: "\(config)/device-key.pem")) {
            try UseHub(configuration: device.configuration)
        }
    }
}
