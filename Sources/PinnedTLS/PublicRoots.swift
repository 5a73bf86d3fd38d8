import FoundationEssentials
import SwiftASN1
import X509

/// The authorities that browsers believe, as the system has them (Debian: ca-certificates), or as
/// `$SSL_CERT_FILE` has them, which OpenSSL reads, too. One certificate is checked at a time.
package actor PublicRoots {
    private static let places = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"]
    private static let maximumByteCount = 4 << 20
    /// An update of the system's is noticed after a day.
    private static let lifetime = Duration.seconds(86_400)

    private let file: String?
    private var roots: (store: CertificateStore, read: ContinuousClock.Instant)?

    package init(environment: [String: String]) {
        let own = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
        file = (own.map { [$0] } ?? PublicRoots.places).first { FileManager.default.fileExists(atPath: $0) }
    }

    /// True if one of them, by the chain that comes with it, has issued the certificate, and all are valid.
    package func vouch(for certificate: InstalledCertificate) async -> Bool {
        guard let leaf = certificate.certificates.first else { return false }
        var verifier = Verifier(rootCertificates: store()) { RFC5280Policy() }
        let chain = CertificateStore(certificate.certificates.dropFirst())
        switch await verifier.validate(leaf: leaf, intermediates: chain) {
        case .validCertificate: return true
        case .couldNotValidate: return false
        }
    }

    private func store() -> CertificateStore {
        let now = ContinuousClock.now
        if let roots, roots.read.duration(to: now) < PublicRoots.lifetime { return roots.store }
        let bytes = file.flatMap { try? Data(contentsOf: URL(fileURLWithPath: $0)) } ?? Data()
        let text = bytes.count <= PublicRoots.maximumByteCount ? String(decoding: bytes, as: UTF8.self) : ""
        let documents = (try? PEMDocument.parseMultiple(pemString: text)) ?? []
        // One that cannot be read costs itself alone.
        let certificates = documents.compactMap { try? Certificate(pemDocument: $0) }
        let store = CertificateStore(certificates)
        roots = (store, now)
        return store
    }
}
