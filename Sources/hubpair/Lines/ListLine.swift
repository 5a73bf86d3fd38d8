import Addresses
import Discovery
import FoundationEssentials
import HubClient
import Identity
import JSON

/// A hub as `list --json` writes it; with `event` and `answers` for `--watch` only.
///
/// It goes straight into bytes: Foundation's encoder would take a millisecond before the first hub, and 0.7 MB.
struct ListLine: JSONWritable {
    private let object: JSONValue

    init(_ found: FoundHub, event: String?) {
        var members: [String: JSONValue] = [
            "name": .string(found.hub.name),
            "addresses": .array(found.hub.addresses.map { .string($0.description) }),
            "port": .integer(Int64(found.hub.port)),
            "sources": .array(found.hub.sources.map(\.rawValue).sorted().map(JSONValue.string)),
            "identity": .string(found.standing.rawValue),
            "id": found.hub.id.map { .string($0.description) } ?? .null,
            "paired": .boolean(found.isPaired),
            "txt": .object(
                Dictionary(
                    found.hub.txt.entries.map { ($0.key, ListLine.value($0.value)) },
                    uniquingKeysWith: { first, _ in first })),
            "unprotected": .boolean(found.isUnprotected),
            "ms": .integer(Int64(found.hub.firstSeen / .milliseconds(1))),
        ]
        members["event"] = event.map(JSONValue.string)
        members["answers"] = found.answers.map(JSONValue.boolean)
        object = .object(members)
    }

    func write(to bytes: inout [UInt8]) { object.write(to: &bytes) }

    /// The value of a TXT key: text, `null` for a key without a value, `{"base64": …}` if it is not UTF-8.
    private static func value(_ bytes: [UInt8]?) -> JSONValue {
        guard let bytes else { return .null }
        if let text = String(validating: bytes, as: UTF8.self) { return .string(text) }
        return .object(["base64": .string(Data(bytes).base64EncodedString())])
    }
}
