import Discovery
import FoundationEssentials
import HubClient
import JSON

extension AssessedHub {
    /// The line of `list --json`; with `event` for `--watch` only.
    func json(event: String?) -> JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(hub.name),
            "addresses": .array(hub.addresses.map { .string($0.description) }),
            "port": .integer(Int64(hub.port)),
            "sources": .array(hub.sources.map(\.rawValue).sorted().map(JSONValue.string)),
            "identity": .string(standing.rawValue),
            "id": .text(hub.id?.description),
            "paired": .boolean(isPaired),
            "txt": .object(
                Dictionary(
                    hub.txt.entries.map { ($0.key, AssessedHub.json(txtValue: $0.value)) },
                    uniquingKeysWith: { first, _ in first })),
            "unprotected": .boolean(isUnprotected),
            "ms": .integer(Int64(hub.firstSeen / .milliseconds(1))),
        ]
        members["event"] = event.map(JSONValue.string)
        members["answers"] = answers.map(JSONValue.boolean)
        return .object(members)
    }

    /// The value of a TXT key: text, `null` for a key without a value, `{"base64": …}` if it is not UTF-8.
    private static func json(txtValue bytes: [UInt8]?) -> JSONValue {
        guard let bytes else { return .null }
        if let text = String(validating: bytes, as: UTF8.self) { return .string(text) }
        return .object(["base64": .string(Data(bytes).base64EncodedString())])
    }
}
