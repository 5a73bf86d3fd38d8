import Foundation
import Identity
import Pairing
import Testing

@testable import HubClient

/// The hubs that this computer knows: which is meant, what is noted down, and what is not approved yet.
@Suite struct KnownHubTests {
    private let device: ScratchDevice

    init() throws { device = try ScratchDevice() }

    private let date = Date(timeIntervalSince1970: 1_790_000_000)

    private func pin(_ byte: UInt8) throws -> Pin {
        try #require(Pin(bytes: [UInt8](repeating: byte, count: 32)))
    }

    private func known() throws -> KnownHubs {
        var known = KnownHubs()
        known.insert(
            KnownHub(
                name: try PeerName("Kitchen hub"), pin: try pin(1), address: "10.0.0.1:8000", paired: date))
        known.use(try pin(1).fingerprint)
        known.add(
            AddedHub(
                name: try PeerName("Attic"), address: "10.0.0.2:8000", kind: .hubpair,
                id: try pin(2).fingerprint))
        known.add(
            AddedHub(name: try PeerName("Stock"), address: "10.0.0.3:8000", kind: .stock, id: nil))
        return known
    }

    private func add(_ name: String, _ address: String, _ byte: UInt8?, to known: inout KnownHubs) throws
        -> AddHub.Outcome
    {
        let pin = try byte.map(pin)
        return try AddHub.add(
            AddedHub(
                name: try PeerName(name), address: address, kind: pin == nil ? .stock : .hubpair,
                id: pin?.fingerprint),
            pin: pin, to: &known)
    }

    /// What the page leaves out stands in the file, and is forgotten with the hub.
    @Test func aHiddenHubStaysSo() throws {
        var known = try known()
        known.insert(
            KnownHub(name: try PeerName("Garden"), pin: try pin(3), address: nil, paired: date))
        try known.hide([pin(3).fingerprint])
        let again = try KnownHubs(parsing: known.serialized)
        #expect(try again.hidden == [pin(3).fingerprint] && again.selected == [] && again == known)
        known.forget(try pin(3).fingerprint)
        #expect(known.hidden == [])
        known.hide([])
        #expect(try KnownHubs(parsing: known.serialized).hidden == [])
    }

    @Test func aPairedHubIsNotAddedAgain() throws {
        var known = try known()
        let before = known
        guard
            case .known(.paired(let same), isNewAddress: false) = try add("X", "10.0.0.1:8000", 1, to: &known)
        else { throw Failure() }
        #expect(try same.name == PeerName("Kitchen hub"))
        #expect(known == before)
        // Not even under its own name.
        guard
            case .known(.paired(let moved), isNewAddress: true) = try add(
                "Kitchen hub", "10.0.0.9:8000", 1, to: &known)
        else { throw Failure() }
        #expect(moved.address == "10.0.0.9:8000")
        #expect(known.hubs.map(\.address) == ["10.0.0.9:8000"])
        #expect(known.hubs.map(\.paired) == before.hubs.map(\.paired))
        #expect(known.added == before.added)
        #expect(try KnownHubs(parsing: known.serialized).hubs.first?.address == "10.0.0.9:8000")
    }

    @Test func anAddedHubIsNotAddedAgain() throws {
        var known = try known()
        guard
            case .known(.added(let moved), isNewAddress: true) = try add("X", "10.0.0.8:8000", 2, to: &known)
        else { throw Failure() }
        #expect(try moved.name == PeerName("Attic"))
        guard case .known(.added, isNewAddress: false) = try add("X", "10.0.0.3:8000", nil, to: &known) else {
            throw Failure()
        }
        let read = try KnownHubs(parsing: known.serialized)
        #expect(read.added.map(\.address) == ["10.0.0.8:8000", "10.0.0.3:8000"])
        // Another one, and another one of a name that is taken.
        guard case .added = try add("X", "10.0.0.4:8000", nil, to: &known) else { throw Failure() }
        for name in ["Kitchen hub", "Attic"] {
            #expect(throws: try HubChoiceError.nameTaken(PeerName(name))) {
                try add(name, "10.0.0.7:8000", 7, to: &known)
            }
        }
    }

    private struct Failure: Error {}

    private func manage(_ known: KnownHubs) throws -> ManageHubs {
        try ProtectedDirectory(path: device.configuration.path, create: true)
            .withLock { try $0.replace(KnownHubs.fileName, with: known.serialized) }
        return ManageHubs(configuration: device.configuration)
    }

    @Test func anAddedHubIsMeantByItsNameAndItsFingerprint() throws {
        let manage = try manage(known())
        let attic = try PeerName("Attic")
        #expect(try manage.find(PeerSelector("Attic")).name == attic)
        #expect(try manage.use(PeerSelector(pin(2).fingerprint.description.lowercased())).name == attic)
        #expect(try manage.defaultAdded() == attic)
        _ = try manage.rename(PeerSelector("Attic"), to: PeerName("Roof"))
        #expect(throws: try HubChoiceError.nameTaken(PeerName("Roof"))) {
            try manage.rename(PeerSelector("Kitchen hub"), to: PeerName("Roof"))
        }
        #expect(throws: PeerSelectorError.self) {
            try manage.rename(PeerSelector("Roof"), to: PeerName("Kitchen hub"))
        }
        _ = try manage.forget(PeerSelector("Roof"))
        #expect(try manage.added().map(\.name) == [PeerName("Stock")])
        #expect(throws: try HubChoiceError.stock(PeerName("Stock"))) {
            try manage.findPaired(PeerSelector("Stock"))
        }
    }

    /// Such a file is nothing that hubpair writes, and may be written by hand.
    @Test func aNameOfTwoMeansNeither() throws {
        var known = try known()
        known.insert(KnownHub(name: try PeerName("Kitchen hub"), pin: try pin(5), address: nil, paired: nil))
        known.add(
            AddedHub(name: try PeerName("Kitchen hub"), address: "10.0.0.6:8000", kind: .stock, id: nil))
        let manage = try manage(known)
        let one = try pin(1).fingerprint, other = try pin(5).fingerprint
        let error = PeerSelectorError.ambiguous(
            "Kitchen hub", kind: "hub", ["\(one)", "\(other)", "one has none"])
        #expect(error.recoverySuggestion == "name it by its fingerprint: \(one), \(other), one has none")
        let kitchen = PeerSelector("Kitchen hub")
        #expect(throws: error) { try manage.use(kitchen) }
        #expect(throws: error) { try manage.forget(kitchen) }
        #expect(throws: error) { try manage.rename(kitchen, to: PeerName("X")) }
        #expect(throws: error) { try manage.findPaired(kitchen) }
        #expect(try manage.use(PeerSelector(other.description)).fingerprint == other)
    }

    @Test(arguments: [
        ("Kichen", ["Kitchen hub"]), ("Kitchn hub", ["Kitchen hub"]), ("Atic", ["Attic"]),
        ("Bathroom", []), ("", []),
    ])
    func aNearMissIsNamed(text: String, near: [String]) throws {
        let manage = try manage(known())
        let error = PeerSelectorError.unknown(text, kind: "hub", list: "hubpair hubs", near: near)
        #expect(throws: error) { try manage.find(PeerSelector(text)) }
        #expect(
            error.recoverySuggestion
                == (near.first.map { "did you mean \"\($0)\"?" }
                    ?? "'hubpair hubs' lists the names and fingerprints"))
    }

    /// The user must compare the fingerprints.
    @Test func noFingerprintIsSuggested() throws {
        var text = try pin(1).fingerprint.description
        text.removeLast()
        text += text.hasSuffix("A") ? "B" : "A"
        let error = PeerSelectorError.unknown(text, kind: "hub", list: "hubpair hubs", near: [])
        #expect(throws: error) { try manage(known()).find(PeerSelector(text)) }
    }

    @Test func pendingInTheFile() throws {
        var known = try known()
        known.insert(
            KnownHub(name: try PeerName("New"), pin: try pin(6), address: nil, paired: nil, isPending: true))
        let read = try KnownHubs(parsing: known.serialized)
        #expect(read == known)
        #expect(read.hubs.map(\.isPending) == [false, true])
        let text = String(decoding: known.serialized, as: UTF8.self)
        #expect(text.contains("\nstatus=pending\n"))
        #expect(throws: KeyFileError.self) {
            try KnownHubs(parsing: Array(text.replacing("=pending", with: "=maybe").utf8))
        }
        known.insert(KnownHub(name: try PeerName("New"), pin: try pin(6), address: nil, paired: date))
        #expect(!String(decoding: known.serialized, as: UTF8.self).contains("status="))
    }

    @Test(arguments: [
        ("1.2.3.4:99999", true), ("1.2.3", true), ("hub:0", true), (":8000", true), ("hub.local:80000", true),
        ("1.2.3.4", false), ("hub.local:8000", false), ("Kitchen hub", false), ("Dr. Who's hub", false),
        ("K7QF-2M9D-X0TW-8RHC@relay:0", true), ("K7QF-2M9D-X0TW-8RHC@relay", false), ("anna@home", false),
        ("Hub: 2", false), ("K7QF-2M9D-X0TW-8RHC", false), ("fd77::1", false), ("hub", false),
    ])
    func addressesThatAreNone(text: String, isFaulty: Bool) {
        #expect(HubPlace.isFaultyAddress(text) == isFaulty)
    }
}
