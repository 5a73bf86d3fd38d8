import Identity
import NIOSSL

/// A new key for a browser, with its certificate, in one file that browsers and phones import: PKCS #12 (RFC
/// 7292), AES-256 and HMAC-SHA-256 under a passphrase.
package struct BrowserKey {
    private static let secretByteCount = 10

    package let identity: TLSIdentity
    /// Sixteen characters of Crockford's base32 in four groups: 80 random bits, so the file alone is of no
    /// use.
    package let passphrase: String
    private let certificate: String

    /// - Parameter name: what browsers call it when they ask which certificate to show.
    package init(name: String) throws {
        identity = .random()
        let bytes = (0..<BrowserKey.secretByteCount).map { _ in UInt8.random(in: .min ... .max) }
        passphrase = CrockfordBase32.grouped(CrockfordBase32.encode(bytes))
        certificate = try identity.browserCertificatePEM(name: name)
    }

    /// The bytes of the file.
    package func pkcs12() throws -> [UInt8] {
        let bundle = NIOSSLPKCS12Bundle(
            certificateChain: [try NIOSSLCertificate(bytes: Array(certificate.utf8), format: .pem)],
            privateKey: try NIOSSLPrivateKey(bytes: Array(identity.keyPEM.utf8), format: .pem))
        return try bundle.serialize(passphrase: Array(passphrase.utf8))
    }
}
