import Household
import Identity
import JSON
import Pairing

/// Where a browser takes messages while its page is closed, which of them, and the keys for which they are
/// encrypted (RFC 8291).
///
///     {"endpoint": URL, "key": base64url, "auth": base64url, "kinds": [kind, …]}
struct PushSubscription: Equatable, Sendable {
    /// The most that a hub keeps, one for each device.
    static let maximumCount = 64
    /// What calls somebody. Trouble of the system itself calls nobody (``MessageDraft/isQuiet``).
    static let kinds: [MessageKind] = [.alarm, .notification]

    let endpoint: PushEndpoint
    /// A point of P-256, uncompressed.
    let key: [UInt8]
    let auth: [UInt8]
    let kinds: [MessageKind]

    private static let keyByteCount = 65
    private static let authByteCount = 16

    /// - Throws: in words for whoever sends it.
    init(_ json: JSONValue?, home: [PushEndpoint.HomeHost]) throws(HouseholdError) {
        guard let members = json?.asObject else { throw .badBody("the body is not a JSON object") }
        let known = Set(["endpoint", "key", "auth", "kinds"])
        guard Set(members.keys).isSubset(of: known) else {
            throw .badBody("beside endpoint, key, auth and kinds nothing may stand there")
        }
        guard let endpoint = members["endpoint"]?.asString.flatMap({ PushEndpoint($0, home: home) }) else {
            throw .badBody("endpoint is not an address of a push service: https, a host name, port 443")
        }
        guard
            let key = members["key"]?.asString.flatMap({
                Base64URL.decode($0, count: PushSubscription.keyByteCount)
            }), PushCipher.isKey(key)
        else { throw .badBody("key is not a public key of P-256") }
        guard
            let auth = members["auth"]?.asString.flatMap({
                Base64URL.decode($0, count: PushSubscription.authByteCount)
            })
        else { throw .badBody("auth is not a secret of \(PushSubscription.authByteCount) bytes") }
        guard case .array(let words)? = members["kinds"], !words.isEmpty, words.count <= 2 else {
            throw .badBody("kinds has one or both of \"alarm\" and \"notification\"")
        }
        let kinds = PushSubscription.kinds.filter { words.contains(.string($0.rawValue)) }
        guard kinds.count == words.count else {
            throw .badBody("kinds has one or both of \"alarm\" and \"notification\"")
        }
        (self.endpoint, self.key, self.auth, self.kinds) = (endpoint, key, auth, kinds)
    }

    var json: JSONValue {
        .object([
            "endpoint": .string(endpoint.text), "key": .string(Base64URL.encode(key)),
            "auth": .string(Base64URL.encode(auth)), "kinds": kindsJSON,
        ])
    }

    var kindsJSON: JSONValue { .array(kinds.map { .string($0.rawValue) }) }
}
