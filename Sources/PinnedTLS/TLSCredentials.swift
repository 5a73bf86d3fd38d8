package import Identity
package import NIOSSL

/// A key and the certificate over it as a TLS client shows them.
///
/// Read from their files they cost a tenth of a ``TLSIdentity``: nothing is made, and no key is looked at
/// twice. That the key is the certificate's shows when a context is made of them: BoringSSL takes no other.
package struct TLSCredentials: Sendable {
    private let certificate: NIOSSLCertificate
    private let key: NIOSSLPrivateKey
    /// Of the certificate's key.
    package let pin: Pin

    /// The length of the SubjectPublicKeyInfo of a P-256 key, uncompressed and named-curve (RFC 5480 § 2).
    private static let keyInfoByteCount = 91

    /// Both in PEM; nil if they cannot be read, or are of another kind than P-256.
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
