import Identity
import NIOSSL
import PinnedTLS
import Testing

@Suite struct TLSIdentityTests {
    /// What a peer sees in the handshake is the pin that the identity says it has.
    @Test func certificateBearsThePin() throws {
        let identity = TLSIdentity.random()
        let certificate = try NIOSSLCertificate(bytes: Array(identity.certificatePEM().utf8), format: .pem)
        #expect(Pin(certificate) == identity.pin)
    }
}
