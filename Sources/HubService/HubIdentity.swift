package import Crypto
import FoundationEssentials
package import Pairing
import SwiftASN1
import X509

/// The hub's one lasting key and the certificate that carries it in TLS.
///
/// Version 1 has no rotation: another key is another hub, and every device would have to pair again. So
/// the key is made once and never replaced.
package struct HubIdentity: Sendable {
    package static let keyFileName = "hub-key.pem"
    package static let certificateFileName = "hub-certificate.pem"

    package let key: P256.Signing.PrivateKey
    package let pin: Pin

    package init(key: P256.Signing.PrivateKey) {
        self.key = key
        pin = Pin(key.publicKey)
    }

    /// The identity in `directory`, or nil if there is no key yet.
    package static func load(from directory: borrowing ProtectedDirectory) throws -> HubIdentity? {
        guard let bytes = try directory.read(keyFileName) else { return nil }
        do {
            return HubIdentity(
                key: try P256.Signing.PrivateKey(pemRepresentation: String(decoding: bytes, as: UTF8.self)))
        } catch {
            throw HubError.unreadableKey(path: directory.path(of: keyFileName))
        }
    }

    /// The key as PKCS #8 in PEM (RFC 5958, RFC 7468).
    package var keyPEM: String { key.pemRepresentation + "\n" }

    /// True if `bytes` are a certificate in PEM over this key.
    package func isBorne(byCertificatePEM bytes: [UInt8]) -> Bool {
        let pem = String(decoding: bytes, as: UTF8.self)
        guard let certificate = try? Certificate(pemEncoded: pem),
            let key = P256.Signing.PublicKey(certificate.publicKey)
        else { return false }
        return Pin(key) == pin
    }

    /// A self-signed certificate over the key, in PEM (RFC 5280, RFC 7468).
    ///
    /// Only its key counts. It is valid from 2000 to the end of time (RFC 5280 § 4.1.2.5), as a Pi
    /// without a clock wakes up in 1970 or 2020; it is a CA with keyCertSign, since some TLS clients trust
    /// one exact certificate only if it may have signed itself.
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
