package import NIOSSL

extension TLSIdentity {
    /// The hub's side: TLS 1.3 only, HTTP/1.1 only, a client certificate asked for and not required. The
    /// handshake lets every certificate pass; its pin is looked up for each request.
    package func serverConfiguration() throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try certificateChain(), privateKey: .privateKey(try privateKey()))
        configuration.minimumTLSVersion = .tlsv13
        configuration.applicationProtocols = ["http/1.1"]
        // With .none a certificate is not even asked for.
        configuration.certificateVerification = .optionalVerification
        return configuration
    }

    /// The device's side: TLS 1.3 only, HTTP/1.1 only, this identity as the client's certificate. Use it only
    /// with a verification callback that checks the pin.
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
    /// A client without a certificate of its own, that checks pins and nothing else.
    package static var pinned: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv13
        configuration.applicationProtocols = ["http/1.1"]
        // With .none the verification callback, which checks the pin, is never called.
        configuration.certificateVerification = .noHostnameVerification
        return configuration
    }
}
