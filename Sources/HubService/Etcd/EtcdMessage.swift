import FoundationEssentials
import JSON

/// The requests of etcd's JSON gateway (`/v3/kv/range`, `/v3/kv/txn`, `/v3/watch`): bytes in base64, numbers
/// of 64 bits as strings. Source: etcd 3.4, `rpc.proto` and its `rpc.swagger.json`.
enum EtcdMessage {
    /// The end of a range of all keys that begin with `prefix`.
    static func end(of prefix: [UInt8]) -> [UInt8] {
        var end = prefix
        while let last = end.popLast() {
            guard last == 0xFF else { return end + [last + 1] }
        }
        return [0]
    }

    static func range(
        _ key: [UInt8], to end: [UInt8]? = nil, limit: Int = 0, revision: Int64 = 0, after last: Int64 = 0
    ) -> JSONValue {
        var members: [String: JSONValue] = ["key": bytes(key)]
        if let end { members["range_end"] = bytes(end) }
        if limit > 0 { members["limit"] = .string(String(limit)) }
        if revision > 0 { members["revision"] = .string(String(revision)) }
        if last > 0 { members["min_mod_revision"] = .string(String(last + 1)) }
        return .object(members)
    }

    /// A transaction under the condition that the last change of `key` is that of the revision `revision`; 0:
    /// that there is no such key. If not, it reads the key.
    static func transaction(_ key: [UInt8], revision: Int64, _ operations: [JSONValue]) -> JSONValue {
        transaction(
            [
                .object([
                    "key": bytes(key), "target": .string("MOD"), "result": .string("EQUAL"),
                    "mod_revision": .string(String(revision)),
                ])
            ], operations, else: [.object(["request_range": range(key)])])
    }

    static func transaction(
        _ conditions: [JSONValue], _ operations: [JSONValue], else others: [JSONValue] = []
    ) -> JSONValue {
        .object(["compare": .array(conditions), "success": .array(operations), "failure": .array(others)])
    }

    /// The condition that there is no such key.
    static func isMissing(_ key: [UInt8]) -> JSONValue {
        .object([
            "key": bytes(key), "target": .string("MOD"), "result": .string("EQUAL"),
            "mod_revision": .string("0"),
        ])
    }

    /// The condition that there is such a key.
    static func isThere(_ key: [UInt8]) -> JSONValue {
        .object([
            "key": bytes(key), "target": .string("VERSION"), "result": .string("GREATER"),
            "version": .string("0"),
        ])
    }

    /// The condition that a key has a value.
    static func condition(_ key: [UInt8], is value: [UInt8]) -> JSONValue {
        .object([
            "key": bytes(key), "target": .string("VALUE"), "result": .string("EQUAL"),
            "value": bytes(value),
        ])
    }

    /// - Parameter lease: with which the key goes; nil: it stays.
    static func put(_ key: [UInt8], _ value: [UInt8], lease: String? = nil) -> JSONValue {
        var members = ["key": bytes(key), "value": bytes(value)]
        members["lease"] = lease.map { .string($0) }
        return .object(["request_put": .object(members)])
    }

    static func delete(_ key: [UInt8], to end: [UInt8]? = nil) -> JSONValue {
        var members: [String: JSONValue] = ["key": bytes(key)]
        if let end { members["range_end"] = bytes(end) }
        return .object(["request_delete_range": .object(members)])
    }

    /// - Parameter revision: 0: what changes from now on.
    static func watch(_ key: [UInt8], to end: [UInt8], from revision: Int64) -> JSONValue {
        .object([
            "create_request": .object([
                "key": bytes(key), "range_end": bytes(end), "start_revision": .string(String(revision)),
            ])
        ])
    }

    private static func bytes(_ bytes: [UInt8]) -> JSONValue { .string(Data(bytes).base64EncodedString()) }
}
