import Crypto
import Identity
import NIOSSL

/// A new key for a browser, with its certificate, in one file that browsers and phones import: PKCS #12 (RFC
/// 7292), AES-256 and HMAC-SHA-256 under a passphrase, or what old systems read.
package struct BrowserKey {
    private static let secretByteCount = 10

    package let identity: TLSIdentity
    /// Sixteen characters of Crockford's base32 in four groups: 80 random bits, so the file alone is of no
    /// use.
    package let passphrase: String
    private let certificate: String
    private let name: String

    /// - Parameter name: what browsers call it when they ask which certificate to show.
    package init(name: String) throws {
        identity = .random()
        self.name = name
        let bytes = (0..<BrowserKey.secretByteCount).map { _ in UInt8.random(in: .min ... .max) }
        passphrase = CrockfordBase32.grouped(CrockfordBase32.encode(bytes))
        certificate = try identity.browserCertificatePEM(name: name)
    }

    /// The bytes of the file.
    ///
    /// - Parameter isOld: in the form that phones and computers of before about 2020 read, too.
    package func pkcs12(isOld: Bool = false) throws -> [UInt8] {
        if isOld {
            let certificate = try NIOSSLCertificate(bytes: Array(certificate.utf8), format: .pem)
            return OldPKCS12(
                key: Array(identity.key.derRepresentation), certificate: try certificate.toDERBytes(),
                name: name
            ).serialized(passphrase: passphrase)
        }
        let bundle = NIOSSLPKCS12Bundle(
            certificateChain: [try NIOSSLCertificate(bytes: Array(certificate.utf8), format: .pem)],
            privateKey: try NIOSSLPrivateKey(bytes: Array(identity.keyPEM.utf8), format: .pem))
        return try bundle.serialize(passphrase: Array(passphrase.utf8))
    }
}
