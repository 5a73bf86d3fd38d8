package import Identity
package import NIOSSL

/// A private key and its certificate, for a TLS client.
///
/// Loading it from files takes a tenth of the time of a ``TLSIdentity``: no certificate is generated, and
/// each key is parsed once. Whether key and certificate match is checked when a TLS context is created:
/// BoringSSL refuses a mismatch.
package struct TLSCredentials: Sendable {
    private let certificate: NIOSSLCertificate
    private let key: NIOSSLPrivateKey
    /// The pin of the certificate's key.
    package let pin: Pin

    /// The length of the SubjectPublicKeyInfo of a P-256 key, uncompressed and named-curve (RFC 5480 § 2).
    private static let keyInfoByteCount = 91

    /// Parses key and certificate in PEM; nil if either is invalid, or if the certificate's key is not P-256.
    package init?(keyPEM: [UInt8], certificatePEM: [UInt8]) {
        guard let key = try? NIOSSLPrivateKey(bytes: keyPEM, format: .pem),
            let certificate = try? NIOSSLCertificate(bytes: certificatePEM, format: .pem),
            let info = try? certificate.extractPublicKey().toSPKIBytes(),
            info.count == TLSCredentials.keyInfoByteCount
        else { return nil }
        (self.key, self.certificate, pin) = (key, certificate, Pin(subjectPublicKeyInfo: info))
    }

    /// The same as the configuration of ``TLSIdentity/clientConfiguration()``.
    package var clientConfiguration: TLSConfiguration {
        var configuration = TLSConfiguration.pinned
        configuration.certificateChain = [.certificate(certificate)]
        configuration.privateKey = .privateKey(key)
        return configuration
    }
}
