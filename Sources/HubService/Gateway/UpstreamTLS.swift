import NIOCore
package import NIOSSL
import Pairing
import PinnedTLS

/// TLS to a server that an ``Upstream`` names: its pin decides, and on loopback any key is taken.
package enum UpstreamTLS {
    package static func context() throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        // A stock hub of 2017 supports only TLS 1.2.
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        // The verification callback decides; with .none it would not be called.
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .noAuthorities
        // An upstream that does not answer TLS's close_notify must not delay the end of the hub.
        configuration.shutdownTimeout = .seconds(1)
        return try NIOSSLContext(configuration: configuration)
    }

    package static func handler(
        _ context: NIOSSLContext, _ upstream: Upstream
    ) throws -> NIOSSLClientHandler {
        let pin = upstream.pin
        return try NIOSSLClientHandler(context: context, serverHostname: upstream.serverName) {
            certificates, promise in
            let isRight = pin.map { $0 == certificates.first.flatMap { Pin($0) } } ?? upstream.isLoopback
            promise.succeed(isRight ? .certificateVerified : .failed)
        }
    }
}

extension Upstream {
    /// Why no connection could be opened to one, or why it broke off, in words for people.
    package static func words(for error: any Error) -> String { UpstreamLink.words(for: error) }
}
