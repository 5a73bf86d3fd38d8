import Discovery
import FoundationEssentials
import HubClient

/// A hub as `list --json` writes it; with `event` and `answers` for `--watch` only.
struct ListLine: Encodable {
    let event: String?
    let name: String
    let addresses: [String]
    let port: UInt16
    let sources: [String]
    let identity: String
    @Nullable var id: String?
    let paired: Bool
    let txt: [String: TXTValue]
    let unprotected: Bool
    let answers: Bool?
    let ms: Int

    init(_ found: FoundHub, event: String?) {
        self.event = event
        name = found.hub.name
        addresses = found.hub.addresses.map(\.description)
        port = found.hub.port
        sources = found.hub.sources.map(\.rawValue).sorted()
        identity = found.standing.rawValue
        id = found.hub.id?.description
        paired = found.isPaired
        txt = Dictionary(
            found.hub.txt.entries.map { ($0.key, TXTValue(bytes: $0.value)) },
            uniquingKeysWith: { first, _ in first })
        unprotected = found.isUnprotected
        answers = found.answers
        ms = Int(found.hub.firstSeen / .milliseconds(1))
    }
}

/// The value of a TXT key: text, `null` for a key without a value, `{"base64": …}` if it is not UTF-8.
struct TXTValue: Encodable {
    let bytes: [UInt8]?

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        guard let bytes else { return try container.encodeNil() }
        if let text = String(validating: bytes, as: UTF8.self) {
            try container.encode(text)
        } else {
            try container.encode(["base64": Data(bytes).base64EncodedString()])
        }
    }
}
