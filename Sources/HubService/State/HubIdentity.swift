package import Pairing
package import PinnedTLS

/// Where the hub keeps its one lasting key and the certificate that carries it in TLS.
package enum HubIdentity {
    package static let keyFileName = "hub-key.pem"
    package static let certificateFileName = "hub-certificate.pem"

    /// The identity in `directory`, or nil if there is no key yet.
    package static func load(from directory: borrowing ProtectedDirectory) throws -> TLSIdentity? {
        guard var bytes = try directory.read(keyFileName) else { return nil }
        defer { bytes.overwrite() }
        guard let identity = TLSIdentity(keyPEM: bytes) else {
            throw HubError.unreadableKey(path: directory.path(of: keyFileName))
        }
        return identity
    }
}
