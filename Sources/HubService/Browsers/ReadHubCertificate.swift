import Crypto
import Pairing
import PinnedTLS

/// The certificate that a person can tell a browser to trust: what the hub shows in TLS is below it.
package struct ReadHubCertificate {
    private let state: HubState

    package init(state: HubState) { self.state = state }

    /// - Returns: the certificate in PEM, and the SHA-256 digest of its bytes, as browsers show it:
    ///   `AB:CD:…`.
    package func run() throws -> (pem: [UInt8], digest: String) {
        let pem = try state.open().withLock { directory in
            let identity = try HubState.existingIdentity(in: directory)
            _ = try HubState.hub(in: directory)
            try SetUpHub.ensureCertificate(of: identity, in: directory)
            return try directory.read(HubState.certificateFileName) ?? []
        }
        let digest = SHA256.hash(data: derBytes(ofPEM: pem)).map { $0.hexDigits(uppercase: true) }
        return (pem, digest.joined(separator: ":"))
    }
}
