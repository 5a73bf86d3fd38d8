package import Crypto
import FoundationEssentials
package import Identity
import SwiftASN1
import X509

/// A permanent P-256 key, and the self-signed certificate that presents it in TLS: the identity of a hub or a
/// device.
///
/// Only the key identifies its holder: a different key is a different device, which must be paired again, and
/// a different hub, unless the key before it says so (`hubpair hub key rotate`).
package struct TLSIdentity: Sendable {
    package let key: P256.Signing.PrivateKey
    package let pin: Pin

    package init(key: P256.Signing.PrivateKey) {
        self.key = key
        pin = Pin(key.publicKey)
    }

    /// An identity with a new key from the system's random number generator.
    package static func random() -> TLSIdentity { TLSIdentity(key: P256.Signing.PrivateKey()) }

    /// Parses a P-256 key in PEM (PKCS #8, RFC 5958, or SEC 1, RFC 5915); nil if the bytes are not such a
    /// key.
    package init?(keyPEM bytes: [UInt8]) {
        guard
            let key = try? P256.Signing.PrivateKey(pemRepresentation: String(decoding: bytes, as: UTF8.self))
        else { return nil }
        self.init(key: key)
    }

    /// The key as PKCS #8 in PEM (RFC 5958, RFC 7468).
    package var keyPEM: String { key.pemRepresentation + "\n" }

    /// True if `bytes` are a PEM certificate for this key.
    package func isBorne(byCertificatePEM bytes: [UInt8]) -> Bool {
        let pem = String(decoding: bytes, as: UTF8.self)
        guard let certificate = try? Certificate(pemEncoded: pem),
            let key = P256.Signing.PublicKey(certificate.publicKey)
        else { return false }
        return Pin(key) == pin
    }

    /// A self-signed certificate for the key, in PEM (RFC 5280, RFC 7468).
    ///
    /// It is valid from 2000 to 9999-12-31, which stands for no expiry (RFC 5280 § 4.1.2.5), because a
    /// Raspberry Pi without a clock starts in 1970 or 2020. It is a CA with keyCertSign, because some TLS
    /// clients trust a specific self-signed certificate only then.
    package func certificatePEM() throws -> String {
        let name = try DistinguishedName { CommonName("hubpair \(pin.fingerprint)") }
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PublicKey(key.publicKey),
            notValidBefore: Date(timeIntervalSince1970: 946_684_800),
            notValidAfter: Date(timeIntervalSince1970: 253_402_300_799),
            issuer: name,
            subject: name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(digitalSignature: true, keyCertSign: true))
            },
            issuerPrivateKey: Certificate.PrivateKey(key)
        )
        return try certificate.serializeAsPEM().pemString + "\n"
    }
}
