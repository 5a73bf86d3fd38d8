import FoundationEssentials
import Pairing
import TestSupport
import Testing

/// Codes in every disguise that people bring them in: each reads, and none with a slip is taken for a
/// harmless text.
@Suite struct BroughtCodeTests {
    private static let rounds = ProcessInfo.processInfo.environment["HUBPAIR_CODES"].flatMap(Int.init) ?? 400

    private static func code(_ random: inout SplitMix64) throws -> PairingCode {
        let pin = try #require(Pin(bytes: (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }))
        let hosts = ["192.0.2.7", "kitchen.local", "raspi-2.local", "kitchen.fritz.box", "10.0.0.1"]
        let host = hosts.randomElement(using: &random) ?? ""
        return try PairingCode(
            kind: .once, expires: Date(timeIntervalSince1970: 1_795_256_523), secret: secret(&random),
            hub: pin, addressHint: .init(host: host, port: UInt16.random(in: 1...65_535, using: &random)))
    }

    private static func secret(_ random: inout SplitMix64) -> TicketSecret { .random(using: &random) }

    private static let spaces = [
        " ", "\u{A0}", "\u{202F}", "\t", "\n", "\r\n", "\u{3000}", "\u{200B}", "\u{2009}",
    ]
    private static let dashes = ["-", "–", "—", "‐", "‑", "−", "－", " - ", " ", "\u{A0}", "", "·", "_", "."]
    private static let quotes = [
        ("", ""), ("\"", "\""), ("“", "”"), ("„", "“"), ("«", "»"), ("'", "'"), ("‘", "’"), ("(", ")"),
        ("<", ">"), ("`", "`"), ("「", "」"), ("**", "**"),
    ]
    private static let ends = ["", ".", "\n", "\r\n", "。", " ", "!", ",", "\u{FEFF}", ".\n"]
    private static let beginnings = [
        "", "", "\u{FEFF}", "Code: ", "code : ", "Der Code: ", "\n", "\u{200B}", "代码：", "Your code:\n",
    ]

    private static func full(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.compactMap {
                    (0x21...0x7E).contains($0.value) ? Unicode.Scalar($0.value + 0xFEE0) : $0
                }))
    }

    private static func cased(_ text: String, _ random: inout SplitMix64) -> String {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: text.lowercased()
        case 1: String(text.map { Bool.random(using: &random) ? Character($0.lowercased()) : $0 })
        case 2: full(text)
        default: text
        }
    }

    private static func dressed(_ text: String, _ random: inout SplitMix64) -> String {
        let quote = quotes.randomElement(using: &random) ?? ("", "")
        return (beginnings.randomElement(using: &random) ?? "") + quote.0 + text + quote.1
            + (ends.randomElement(using: &random) ?? "")
    }

    /// As a mail breaks a long line.
    private static func wrapped(_ text: String, _ random: inout SplitMix64) -> String {
        guard Int.random(in: 0..<4, using: &random) == 0, let hash = text.firstIndex(of: "#") else {
            return text
        }
        var body = Array(text[hash...])
        body.insert(contentsOf: "\n ", at: Int.random(in: 2..<body.count, using: &random))
        return text[..<hash] + String(body)
    }

    @Test func everyDisguiseReads() throws {
        var random = SplitMix64(seed: 38)
        for _ in 0..<BroughtCodeTests.rounds {
            let code = try BroughtCodeTests.code(&random)
            let address = try #require(code.address)
            let bare = String(code.at(nil).text.dropFirst(8))
            let forms = [
                address, String(address.dropFirst(8)), code.at(nil).text, bare, "#" + bare,
                address.replacing("#", with: "%23"),
            ]
            let form = Int.random(in: 0..<forms.count, using: &random)
            let written = BroughtCodeTests.wrapped(BroughtCodeTests.cased(forms[form], &random), &random)
            let text = BroughtCodeTests.dressed(written, &random)
            let expected = [0, 1, 5].contains(form) ? code : code.at(nil)
            #expect(BroughtCode(text) == .pairing(expected), "\(text)")
            #expect(BroughtCode.mayBeSecret(text), "\(text)")
        }
    }

    @Test func everyTypedDisguiseReads() throws {
        var random = SplitMix64(seed: 39)
        for _ in 0..<BroughtCodeTests.rounds {
            let code = TypedCode(secret: BroughtCodeTests.secret(&random))
            let dash = BroughtCodeTests.dashes.randomElement(using: &random) ?? "-"
            var groups = code.text.split(separator: "-").joined(separator: dash)
            if Bool.random(using: &random) {
                groups = groups.replacing("0", with: "O").replacing("1", with: "l")
            }
            let text = BroughtCodeTests.dressed(BroughtCodeTests.cased(groups, &random), &random)
            #expect(BroughtCode(text) == .typed(code), "\(text)")
            #expect(BroughtCode.mayBeSecret(text), "\(text)")
        }
    }

    /// One slip, in any disguise: never read as a code, never echoed.
    @Test func nearFormsAreSecrets() throws {
        var random = SplitMix64(seed: 40)
        var missed = 0
        for _ in 0..<BroughtCodeTests.rounds {
            let code = try BroughtCodeTests.code(&random)
            let typed = TypedCode(secret: code.secret).text
            let isTyped = Bool.random(using: &random)
            var symbols = Array(isTyped ? typed : String(try #require(code.address)))
            let start = isTyped ? 0 : (symbols.firstIndex(of: "#") ?? 0) + 11
            let place = Int.random(in: start..<symbols.count - 1, using: &random)
            guard symbols[place] != "-", symbols[place + 1] != "-" else { continue }
            switch Int.random(in: 0..<3, using: &random) {
            case 0: symbols.remove(at: place)
            case 1: symbols[place] = symbols[place] == "7" ? "8" : "7"
            default: symbols.insert("X", at: place)
            }
            let text = BroughtCodeTests.dressed(BroughtCodeTests.cased(String(symbols), &random), &random)
            switch BroughtCode(text) {
            case .pairing, .typed: Issue.record("\(text) reads")
            case .unusable, .mistyped, .other: break
            }
            if !BroughtCode.mayBeSecret(text) { missed += 1 }
        }
        // A typed code without a digit, one in 1,700, passes as a name.
        #expect(missed <= BroughtCodeTests.rounds / 200)
    }

    /// What is written as a hub writes it is a secret, whatever its characters and the words around it.
    @Test(arguments: [
        "ABCD-EFGH-JKMN-PQRS-TVWX", "the code is ABCD-EFGH-JKMN-PQRS-TVWX.", "1111-2222-3333-4444-5555",
    ])
    func whatIsWrittenAsACodeIsSecret(text: String) { #expect(BroughtCode.mayBeSecret(text)) }

    @Test func aNameIsNoSecret() { #expect(!BroughtCode.mayBeSecret("hubpair: kitchen")) }

    @Test(arguments: [
        "7MRM-FEPH-QNYK-029X", "this-that-then-when-name", "hello", "https://example.org/",
        "https://example.org/#top", "code.png", "./kitchen hub.png",
        "Kitchen hub",
        "192.168.1.5:8000", "Good night: everything off", "a photo.jpg", "",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "#ff8800",
    ])
    func otherTexts(text: String) {
        switch BroughtCode(text) {
        case .pairing, .unusable, .typed: Issue.record("\(text) is taken for a code")
        case .mistyped, .other: break
        }
        #expect(!BroughtCode.mayBeSecret(text))
    }
}
