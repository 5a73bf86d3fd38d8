package import FoundationEssentials
package import GatewayRules
import Pairing
package import PinnedTLS

/// The certificate for a public name, with the hub's own key: asked for, installed and taken out by the
/// owner.
package struct PublicCertificate {
    /// The file in the hub directory.
    package static let fileName = "public-certificate.pem"

    private let state: HubState

    package init(state: HubState) { self.state = state }

    /// A request for a certificate with the hub's key, in PEM.
    ///
    /// - Parameter port: where an ACME client of this machine answers for the names, for an hour, through
    ///   the hub's relays; nil: nowhere.
    package func request(names: [WebHost], answering port: UInt16? = nil, now: Date = Date()) throws
        -> [UInt8]
    {
        let names = try names.map { host throws(NameError) in
            guard case .name(let name) = host, name.contains("."), HubNames.leaf(of: host) == nil else {
                throw .notPublic(host)
            }
            return name
        }
        let directory = try state.open()
        _ = try HubState.hub(in: directory)
        let pem = Array(try HubState.existingIdentity(in: directory).signingRequestPEM(names: names).utf8)
        if let port {
            let until = now.addingTimeInterval(CertificateRequest.lifetime)
            let request = CertificateRequest(names: names, port: port, until: until)
            try directory.withLock { try $0.replace(CertificateRequest.fileName, with: request.serialized) }
        }
        return pem
    }

    /// Installs a chain in PEM; a hub that serves uses it at once.
    package func install(_ pem: [UInt8], now: Date = Date()) throws -> InstalledCertificate {
        try state.open().withLock { directory in
            _ = try HubState.hub(in: directory)
            let certificate = try InstalledCertificate(pem, of: HubState.existingIdentity(in: directory).pin)
            try certificate.check(at: now)
            try directory.replace(PublicCertificate.fileName, with: pem)
            return certificate
        }
    }

    /// The one that is installed.
    package func installed() throws -> InstalledCertificate? {
        let directory = try state.open()
        guard let pem = try PublicCertificate.file(in: directory) else { return nil }
        let hub = try HubState.hub(in: directory)
        if let old = hub.old, let certificate = try? InstalledCertificate(pem, of: old) { return certificate }
        return try InstalledCertificate(pem, of: hub.pin)
    }

    /// Takes it out; a hub that serves forgets it at once.
    ///
    /// - Returns: false if there was none.
    package func remove() throws -> Bool {
        try state.open().withLock { directory in
            _ = try HubState.hub(in: directory)
            guard try PublicCertificate.file(in: directory) != nil else { return false }
            try directory.retire(PublicCertificate.fileName)
            return true
        }
    }

    /// The bytes of the file; nil if there is none, or nothing in it.
    static func file(in directory: borrowing ProtectedDirectory) throws -> [UInt8]? {
        let bytes = try directory.read(fileName) ?? []
        return bytes.isEmpty ? nil : bytes
    }
}
