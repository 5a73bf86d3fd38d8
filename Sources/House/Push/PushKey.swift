import Crypto
import JSON
import Pairing

/// The key by which push services tell the hub from others (RFC 8292). It is none of the hub's other keys:
/// services see it, and it says nothing of the house.
struct PushKey: Sendable {
    /// Services take at most a day.
    private static let lifetime: Int64 = 12 * 3600
    /// RFC 8292 § 2.1 wants somebody to write to; a home's owner is nobody to be named to a browser's maker.
    private static let contact = "https://www.rfc-editor.org/info/rfc8292"
    private static let byteCount = 32

    private let key: P256.Signing.PrivateKey

    init() { key = P256.Signing.PrivateKey() }

    /// - Parameter text: what ``kept`` was.
    init?(kept text: String) {
        guard let bytes = Base64URL.decode(text, count: PushKey.byteCount),
            let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes)
        else { return nil }
        self.key = key
    }

    /// For the database.
    var kept: String { Base64URL.encode(Array(key.rawRepresentation)) }

    /// A point of P-256, uncompressed, in base64url: what a browser subscribes with.
    var publicText: String { Base64URL.encode(Array(key.publicKey.x963Representation)) }

    /// The value of `Authorization`.
    ///
    /// - Parameter now: seconds since 1970.
    func authorization(for endpoint: PushEndpoint, now: Int64) throws -> String {
        var claims: [UInt8] = []
        JSONValue.object([
            "aud": .string(endpoint.origin), "exp": .integer(now + PushKey.lifetime),
            "sub": .string(PushKey.contact),
        ]).write(to: &claims)
        let header = Base64URL.encode(Array(#"{"typ":"JWT","alg":"ES256"}"#.utf8))
        let signed = "\(header).\(Base64URL.encode(claims))"
        let signature = try key.signature(for: Array(signed.utf8)).rawRepresentation
        return "vapid t=\(signed).\(Base64URL.encode(Array(signature))),k=\(publicText)"
    }
}
