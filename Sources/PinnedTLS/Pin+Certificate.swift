package import Identity
package import NIOSSL

extension Pin {
    /// The bytes before the point in every P-256 SubjectPublicKeyInfo (RFC 5480 § 2): id-ecPublicKey,
    /// secp256r1, a bit string with an uncompressed point of 65 bytes.
    private static let p256Prefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86,
        0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
    ]

    /// The pin of the certificate's key, of any type; nil if the key cannot be read.
    package init?(_ certificate: NIOSSLCertificate) {
        guard let spki = try? certificate.extractPublicKey().toSPKIBytes() else { return nil }
        self.init(subjectPublicKeyInfo: spki)
    }

    /// The pin of a device's certificate; nil if its key is not P-256, the only type of a device's key.
    package init?(device certificate: NIOSSLCertificate) {
        guard let spki = try? certificate.extractPublicKey().toSPKIBytes(), spki.count == 91,
            spki.starts(with: Pin.p256Prefix)
        else { return nil }
        self.init(subjectPublicKeyInfo: spki)
    }

    /// The type of a key that is not a device's, for messages: "an RSA key".
    package static func otherKey(of certificate: NIOSSLCertificate) -> String {
        guard let spki = try? certificate.extractPublicKey().toSPKIBytes() else {
            return "a key that cannot be read"
        }
        // The OIDs of rsaEncryption (RFC 3279 § 2.3.1), secp384r1 and secp521r1 (RFC 5480 § 2.1.1.1). TLS
        // offers no other key type here.
        let kinds: [(oid: [UInt8], kind: String)] = [
            ([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01], "an RSA key"),
            ([0x2B, 0x81, 0x04, 0x00, 0x22], "a P-384 key"), ([0x2B, 0x81, 0x04, 0x00, 0x23], "a P-521 key"),
        ]
        let start = spki.prefix(32)
        return kinds.first { !start.ranges(of: $0.oid).isEmpty }?.kind ?? "a key of another kind"
    }
}
