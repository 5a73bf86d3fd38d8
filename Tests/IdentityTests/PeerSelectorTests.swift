import Identity
import Testing

/// Names on the command line: of hubs in any case and by their beginning; to the byte for what cannot be
/// undone.
@Suite struct PeerSelectorTests {
    private static func peers() throws -> [PeerSelector.Peer] {
        try ["Kitchen hub", "Kitchen", "Garage hub", "garage HUB", "Tablet", "Tablet", "Küche"].enumerated()
            .map { number, name in
                let key = Array(repeating: UInt8(number + 1), count: 32)
                let pin = try #require(Pin(bytes: key))
                return PeerSelector.Peer(
                    try PeerName(name), pin.fingerprint, status: number == 5 ? "pending" : nil)
            }
    }

    private static func find(_ text: String, _ matching: PeerSelector.Matching) throws -> Int {
        try PeerSelector(text).index(in: peers(), kind: "hub", list: "hubpair hubs", matching: matching)
    }

    @Test(arguments: [
        ("Kitchen hub", 0), ("kitchen HUB", 0), ("kitchen h", 0), ("Kitchen", 1), ("kitchen", 1),
        ("Garage hub", 2),
        ("garage HUB", 3), ("küche", 6), ("KÜ", 6),
    ])
    func forgiving(text: String, index: Int) throws {
        #expect(try PeerSelectorTests.find(text, .forgiving) == index)
    }

    @Test(arguments: ["kitchen hub", "Kitch", "KITCHEN", "küche", ""])
    func exactIsToTheByte(text: String) throws {
        #expect(throws: PeerSelectorError.self) { try PeerSelectorTests.find(text, .exact) }
    }

    @Test(arguments: [
        ("GARAGE HUB", "\"GARAGE HUB\" fits 2 hubs"), ("kit", "\"kit\" fits 2 hubs"),
        ("Tablet", "2 hubs are called \"Tablet\""), ("tab", "\"tab\" fits 2 hubs"),
        ("cellar", "no hub is called \"cellar\""), ("", "no hub is called \"\""),
    ])
    func several(text: String, description: String) throws {
        let error = #expect(throws: PeerSelectorError.self) { try PeerSelectorTests.find(text, .forgiving) }
        #expect(error?.description == description)
    }

    /// Two of one name are listed by their fingerprints; what else looks alike is named.
    @Test func nearMisses() throws {
        let peers = try PeerSelectorTests.peers()
        let two = #expect(throws: PeerSelectorError.self) { try PeerSelectorTests.find("Tablet 2", .exact) }
        let titles = [peers[4], peers[5]].compactMap { $0.fingerprint?.description }
        #expect(two?.hint == "2 hubs are called \"Tablet\": \(titles[0]), \(titles[1]) (pending)")
        let one = #expect(throws: PeerSelectorError.self) { try PeerSelectorTests.find("Kitchn", .exact) }
        #expect(one?.hint == "did you mean \"Kitchen\" or \"Kitchen hub\"?")
    }

    /// A name that reads as another's fingerprint is never meant by it.
    @Test func aFingerprintIsNoName() throws {
        let peers = try PeerSelectorTests.peers()
        let other = try #require(peers[0].fingerprint)
        let impostor = PeerSelector.Peer(try PeerName(other.description), peers[1].fingerprint)
        let selector = PeerSelector(other.description.lowercased())
        for matching in [PeerSelector.Matching.exact, .forgiving] {
            let index = try selector.index(
                in: [impostor, peers[0]], kind: "hub", list: "", matching: matching)
            #expect(index == 1)
        }
    }

    @Test(arguments: [
        ("lst", ["list"]), ("sca", ["scan"]), ("pir", ["pair"]), ("par", ["pair"]), ("pin", []), ("p", []),
        ("pr", ["print"]), ("devcies", ["devices"]), ("doctr", ["doctor"]), ("doctorr", ["doctor"]),
        ("dxxtor", ["doctor"]), ("dxxxor", []), ("LIST", ["list"]), ("", []), ("listen", ["list"]),
        ("toaster", []),
    ])
    func slips(text: String, near: [String]) {
        let words = ["list", "scan", "pair", "print", "devices", "doctor"]
        #expect(Orthography.slips(of: text, among: words) == near)
    }
}
