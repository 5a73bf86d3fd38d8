package import Identity
import Pairing
package import PinnedTLS

/// The files of this computer's lasting key, and of the certificate that carries it in TLS.
///
/// The key is made when the device first pairs, and never replaced: hubs know the device by it. The
/// certificate is for other programs, such as curl. It is made again if it is lost.
package enum DeviceIdentity {
    package static let keyFileName = "device-key.pem"
    package static let certificateFileName = "device-certificate.pem"

    /// The identity in the directory, or nil if this computer has none yet.
    package static func load(from configuration: DeviceConfiguration) throws -> TLSIdentity? {
        do {
            return try load(from: ProtectedDirectory(path: configuration.path))
        } catch FileError.missing {
            return nil
        }
    }

    /// The key and the certificate for TLS, as they are in the files; nil if either is missing or wrong. Then
    /// ``load(from:)`` says what is wrong, or does without the certificate.
    static func credentials(from configuration: DeviceConfiguration) -> TLSCredentials? {
        guard let directory = try? ProtectedDirectory(path: configuration.path),
            var key = (try? directory.read(keyFileName)) ?? nil,
            let certificate = (try? directory.read(certificateFileName)) ?? nil
        else { return nil }
        defer { key.overwrite() }
        return TLSCredentials(keyPEM: key, certificatePEM: certificate)
    }

    /// The identity in the directory. The directory and the identity are made if they are missing.
    package static func ensure(in configuration: DeviceConfiguration) throws -> TLSIdentity {
        try ProtectedDirectory(path: configuration.path, create: true).withLock { directory in
            let identity: TLSIdentity
            if let present = try load(from: directory) {
                identity = present
            } else {
                // If hubs are known but there is no key, the key is lost. A new one would hide that.
                guard try KnownHubsFile.read(in: directory).hubs.isEmpty else {
                    throw DeviceIdentityError.missing(path: directory.path(of: keyFileName))
                }
                identity = .random()
                try directory.create(keyFileName, with: Array(identity.keyPEM.utf8))
            }
            let certificate = try directory.read(certificateFileName)
            if certificate.map(identity.isBorne(byCertificatePEM:)) != true {
                try directory.replace(certificateFileName, with: Array(identity.certificatePEM().utf8))
            }
            return identity
        }
    }

    private static func load(from directory: borrowing ProtectedDirectory) throws -> TLSIdentity? {
        guard var bytes = try directory.read(keyFileName) else { return nil }
        defer { bytes.overwrite() }
        guard let identity = TLSIdentity(keyPEM: bytes) else {
            throw DeviceIdentityError.unreadable(path: directory.path(of: keyFileName))
        }
        return identity
    }
}

/// Why this computer has no usable key.
package enum DeviceIdentityError: Equatable, UserError {
    /// Hubs are known, but the key by which they know this computer is gone.
    case missing(path: String)
    /// The file holds no P-256 key.
    case unreadable(path: String)

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .missing(let path): "\(path) is missing, and hubs know this computer by it"
        case .unreadable(let path): "\(path) is not a P-256 key in PEM"
        }
    }

    package var kind: UserErrorKind { .configuration }

    /// How to fix it; nil if there is no advice.
    package var hint: String? {
        switch self {
        case .missing:
            "bring it back from a backup; if there is none, 'hubpair hubs reset' and pair with each hub again"
        case .unreadable(let path):
            "bring it back from a backup; if there is none, move it away (mv \(shellQuoted(path)) "
                + "\(shellQuoted(path + ".bad"))), 'hubpair hubs reset', and pair with each hub again"
        }
    }
}
