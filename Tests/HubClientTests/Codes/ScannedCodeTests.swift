import Addresses
import FoundationEssentials
import HubClient
import Pairing
import Testing

/// Codes that the user types or pastes, and the place of a hub as the user names it.
@Suite struct ScannedCodeTests {
    private static let text =
        "HUBPAIR:2006P0BGSEGA38N3MJJTD9X8N5N1VGZP51TYGQC0A4A1WZPAQFMSCXWMW69XK2N2YK0WBH7VVP5QBV5X"

    @Test(arguments: [text, text + "\n", "  \(text)\r\n", text.lowercased(), "Code: \(text)."])
    func pairingCodes(text: String) throws {
        #expect(try ScannedCode(text: text) == .pairing(PairingCode(text: ScannedCodeTests.text)))
    }

    @Test(arguments: [
        "H851-MAHT-99D6-MYMA-KEGE", "h851maht99d6mymakege\n", " H851 MAHT\n99D6 MYMA\r\nKEGE ",
        "h85l-maht-99d6-myma-kege",
    ])
    func typedCodes(text: String) throws {
        #expect(try ScannedCode(text: text) == .typed(TypedCode(typed: "H851-MAHT-99D6-MYMA-KEGE")))
    }

    @Test(arguments: ["H851-MAHT-99D6-MYMA-KEG", "H851-MAHT-99D6-MYMA-KEGF", "H851-MAHT-99D6-MYMA-KEGU"])
    func typedCodesWithASlip(text: String) {
        #expect(throws: TypedCodeError.self) { try ScannedCode(text: text) }
    }

    @Test(arguments: [String(text.dropLast()), text + "X", "HUBPAIR:", "x\(text)"])
    func pairingCodesWithASlip(text: String) {
        #expect(throws: PairingCodeError.self) { try ScannedCode(text: text) }
    }

    @Test(arguments: ["", " ", "hello", "https://example.net/", String(repeating: "A", count: 2_000)])
    func noCodes(text: String) {
        #expect(throws: (any Error).self) { try ScannedCode(text: text) }
    }

    @Test func places() throws {
        #expect(HubPlace("192.0.2.7") == HubAddress("192.0.2.7").map(HubPlace.address))
        #expect(HubPlace("fd77::1") == HubAddress("fd77::1").map(HubPlace.address))
        #expect(HubPlace("hub.local") == HubAddress("hub.local").map(HubPlace.address))
        #expect(HubPlace("hub:8000") == HubAddress("hub:8000").map(HubPlace.address))
        #expect(HubPlace("Kitchen hub") == .name("Kitchen hub"))
        #expect(HubPlace("hub") == .name("hub"))
        #expect(HubPlace("Hub no. 1") == .name("Hub no. 1"))
        #expect(HubPlace("K7QF-2M9D-X0TW-8RHC") == .name("K7QF-2M9D-X0TW-8RHC"))
        let (hub, relay) = (Fingerprint("K7QF-2M9D-X0TW-8RHC"), HubAddress("relay.example.org:443"))
        let place = hub.flatMap { hub in relay.map { HubPlace.hub(hub, at: $0) } }
        #expect(HubPlace("k7qf2m9dx0tw8rhc@relay.example.org:443") == place)
        #expect(HubPlace("anna@home") == .name("anna@home"))
    }
}
