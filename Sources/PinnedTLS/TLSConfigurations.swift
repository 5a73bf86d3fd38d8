package import NIOSSL

extension TLSIdentity {
    /// The hub's configuration: TLS 1.3 only, HTTP/1.1 only, a client certificate requested but not required.
    /// The handshake accepts every certificate; access is decided by its pin for each request.
    ///
    /// - Parameter chain: certificates of this key in PEM, the lowest first; nil: its own.
    package func serverConfiguration(chain: [[UInt8]]? = nil) throws -> TLSConfiguration {
        let chain = try chain?.map { pem in
            NIOSSLCertificateSource.certificate(try NIOSSLCertificate(bytes: pem, format: .pem))
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try chain ?? certificateChain(), privateKey: .privateKey(try privateKey()))
        configuration.minimumTLSVersion = .tlsv13
        configuration.applicationProtocols = ["http/1.1"]
        // With .none the server would not request a certificate.
        configuration.certificateVerification = .optionalVerification
        configuration.trustRoots = .noAuthorities
        return configuration
    }

    /// The device's configuration: TLS 1.3 only, HTTP/1.1 only, this identity as client certificate. Use it
    /// only with a verification callback that checks the pin.
    package func clientConfiguration() throws -> TLSConfiguration {
        var configuration = TLSConfiguration.pinned
        configuration.certificateChain = try certificateChain()
        configuration.privateKey = .privateKey(try privateKey())
        return configuration
    }

    private func certificateChain() throws -> [NIOSSLCertificateSource] {
        [.certificate(try NIOSSLCertificate(bytes: Array(certificatePEM().utf8), format: .pem))]
    }

    private func privateKey() throws -> NIOSSLPrivateKey {
        try NIOSSLPrivateKey(bytes: Array(keyPEM.utf8), format: .pem)
    }
}

extension TLSConfiguration {
    /// A client configuration without a client certificate. Use it only with a verification callback that
    /// checks the pin.
    package static var pinned: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv13
        configuration.applicationProtocols = ["http/1.1"]
        // With .none the verification callback, which checks the pin, would never be called.
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .noAuthorities
        return configuration
    }
}

extension NIOSSLTrustRoots {
    /// Certificate authorities do not count, pins do. To read the system's authorities would take longer than
    /// a handshake, and a bare Debian has none (ca-certificates), which NIOSSL takes for an error.
    package static var noAuthorities: NIOSSLTrustRoots { .certificates([]) }
}
