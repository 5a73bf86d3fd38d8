import FoundationEssentials
import HubClient
import Identity
import Pairing
import PinnedTLS
import Synchronization
import Testing

// With a label the owner has to approve the device; until then the hub is pending.
extension PairWithHubTests {
    @Test func aLabelWaitsForTheOwner() async throws {
        let hub = try await FakeHub(
            [.reply(.pending)],
            then: [.status(.pending), .busy, .lose, .status(.pending), .status(.approved)],
            device: config)
        var events: [String] = []
        let outcome = try await pair(try hub.code(.label)) {
            switch $0 {
            case .pending(let outcome):
                events.append("pending")
                #expect(!outcome.isApproved && outcome.hub.isPending)
                #expect((try? known())?.first?.isPending == true)
            case .waiting: events.append("waiting")
            default: break
            }
        }
        #expect(outcome.isApproved)
        #expect(events == ["pending"] + [String](repeating: "waiting", count: 5))
        #expect(try known().map(\.isPending) == [false])
        #expect(try known().first?.paired != nil)
        #expect(!outcome.hub.isPending && outcome.hub.paired != nil)
        #expect(!readFile(config + "/pairing").contains("[attempt "))
    }

    @Test func aLabelWithoutWaiting() async throws {
        let hub = try await FakeHub([.reply(.pending), .reply(.approved)], device: config)
        let outcome = try await pair(try hub.code(.label), waits: false)
        #expect(!outcome.isApproved)
        #expect(try known().map(\.isPending) == [true])
        #expect(try known().first?.paired == nil)
        #expect(readFile(config + "/pairing").contains("[attempt "))
        #expect(try await pair(try hub.code(.label), waits: false).isApproved)
        #expect(try known().map(\.isPending) == [false])
        let requests = hub.requests.withLock { $0 }
        #expect(requests.first == requests.last)
    }

    /// A hub that has not approved this computer is asked first whether it has by now.
    @Test func aPendingHubIsOfNoUseUntilItIsApproved() async throws {
        let hub = try await FakeHub(
            [.reply(.pending)],
            then: [.status(.pending), .status(.revoked), .stranger, .status(.approved)], device: config)
        let outcome = try await pair(try hub.code(.label), waits: false)
        let reach = try UseHub(configuration: device.configuration)
        let expected: [any Error & Equatable] = [
            HubChoiceError.pending(hub.name, device: outcome.device), PairError.revoked,
            HubChoiceError.notPaired(hub.name),
        ]
        for expected in expected {
            let error = await #expect(throws: (any Error).self) {
                try await reach.connect(to: .paired(try #require(try known().first)))
            }
            #expect("\(try #require(error))" == "\(expected)")
            #expect(try known().map(\.isPending) == [true])
        }
        try await reach.connect(to: .paired(try #require(try known().first))).close()
        #expect(try known().map(\.isPending) == [false])
        #expect(try known().first?.paired != nil)
    }

    /// A hub that the user had added by its address stays one hub, with the user's name and choice.
    @Test func aHubThatWasAddedIsNoSecondOne() async throws {
        let hub = try await FakeHub([.reply(.approved)], device: config)
        let attic = try PeerName("Attic")
        try ProtectedDirectory(path: config, create: true).withLock { directory in
            var known = KnownHubs()
            known.add(
                AddedHub(
                    name: attic, address: "192.0.2.1:8000", kind: .hubpair, id: hub.identity.pin.fingerprint))
            known.add(AddedHub(name: hub.name, address: "192.0.2.2:8000", kind: .stock, id: nil))
            known.use(added: attic)
            try directory.replace("known-hubs", with: known.serialized)
        }
        let outcome = try await pair(try hub.code())
        #expect(outcome.hub.name == attic && outcome.isDefault)
        let known = try device.configuration.knownHubs()
        #expect(known.added.map(\.name) == [hub.name])
        #expect(known.defaultHub == hub.identity.pin.fingerprint)
        // A new hub gets no name that an added one has, and does not become the default in its place.
        try ManageHubs(configuration: device.configuration).use(PeerSelector(hub.name.description))
        let other = try await FakeHub([.reply(.approved)], name: hub.name.description, device: config)
        let second = try await pair(try other.code())
        #expect(try second.hub.name == PeerName("\(hub.name) 2") && !second.isDefault)
        await #expect(throws: HubChoiceError.nameTaken(hub.name)) {
            try await pair(try other.code(), alias: hub.name.description)
        }
    }

    @Test(arguments: [
        (FakeHub.Standing.status(.revoked), PairError.revoked), (.status(.expired), .revoked),
        (.stranger, .askIsGone),
    ])
    func aRefusedAskLeavesNothing(standing: FakeHub.Standing, expected: PairError) async throws {
        let hub = try await FakeHub([.reply(.pending)], then: [.status(.pending), standing], device: config)
        await #expect(throws: expected) { _ = try await pair(try hub.code(.label)) }
        #expect(try known().isEmpty)
        #expect(!readFile(config + "/pairing").contains("[attempt "))
    }

    /// The owner has refused in the meantime: the same command says so, and nothing of the hub stays.
    @Test(arguments: [PairRefusal.Code.notApproved, .ticketUsed])
    func aRefusalInTheMeantimeLeavesNothing(_ code: PairRefusal.Code) async throws {
        let hub = try await FakeHub(
            [.reply(.pending), .refuse(code)], then: [.status(.revoked)], device: config)
        #expect(try await !pair(try hub.code(.label), waits: false).isApproved)
        #expect(try known().map(\.isPending) == [true])
        await #expect(throws: (any Error).self) { _ = try await pair(try hub.code(.label), waits: false) }
        #expect(try known().isEmpty)
        #expect(!readFile(config + "/pairing").contains("[attempt "))
    }
}
