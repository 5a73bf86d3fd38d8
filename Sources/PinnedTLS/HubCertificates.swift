package import Addresses
import Crypto
package import FoundationEssentials
import Identity
import SwiftASN1
import X509

/// The certificates by which a browser can believe a hub: both have the hub's one key, so its pin is the same
/// in each, and clients that check pins notice nothing.
///
/// The upper one is for years, and is what a person tells a browser to trust. It may stand only for names and
/// addresses of a home (RFC 5280 § 4.2.1.10, critical): a thief of the hub's key cannot speak for other
/// sites. The lower one has the hub's own names and addresses, and lives as long as browsers take one.
extension TLSIdentity {
    /// What the upper certificate may stand for: `local` (RFC 6762), `home.arpa` (RFC 8375), `localhost`,
    /// `internal` (kept for private use by ICANN), and loopback, private, shared and link-local addresses
    /// (RFC 1918, 3927, 4193, 4291, 6598); address and mask.
    ///
    /// `internal` and shared addresses are new with version 0.2. A lower certificate with one of them fails
    /// as a whole where somebody trusts an upper one from before, so they get one of their own.
    private static let newestDomain = "internal"
    private static let domains = ["local", "home.arpa", "localhost", newestDomain]
    private static let networks: [[UInt8]] = [
        [127, 0, 0, 0, 255, 0, 0, 0], [10, 0, 0, 0, 255, 0, 0, 0], [172, 16, 0, 0, 255, 240, 0, 0],
        [192, 168, 0, 0, 255, 255, 0, 0], [169, 254, 0, 0, 255, 255, 0, 0], [100, 64, 0, 0, 255, 192, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 255, count: 16),
        [0xFC] + [UInt8](repeating: 0, count: 15) + [0xFE] + [UInt8](repeating: 0, count: 15),
        [0xFE, 0x80] + [UInt8](repeating: 0, count: 14) + [0xFF, 0xC0] + [UInt8](repeating: 0, count: 14),
    ]
    /// The longest that the lower certificate lives: browsers refuse one of more than 398 days.
    package static let leafLifetime: Double = 397 * 86_400

    /// The upper certificate, in PEM.
    ///
    /// It is valid from 2000 to 9999-12-31, which stands for no expiry (RFC 5280 § 4.1.2.5), because a
    /// Raspberry Pi without a clock starts in 1970 or 2020.
    package func hubCertificatePEM() throws -> String {
        let constraints = NameConstraints(
            permittedSubtrees: TLSIdentity.domains.map { .dnsName($0) }
                + TLSIdentity.networks.map { .ipAddress(ASN1OctetString(contentBytes: $0[...])) },
            excludedSubtrees: [])
        return try TLSIdentity.pem(
            of: Certificate(
                version: .v3, serialNumber: Certificate.SerialNumber(),
                publicKey: Certificate.PublicKey(key.publicKey),
                notValidBefore: Date(timeIntervalSince1970: 946_684_800),
                notValidAfter: Date(timeIntervalSince1970: 253_402_300_799),
                issuer: try hubName, subject: try hubName, signatureAlgorithm: .ecdsaWithSHA256,
                extensions: Certificate.Extensions {
                    Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                    Critical(KeyUsage(digitalSignature: true, keyCertSign: true))
                    // Whoever trusts it trusts it for servers: not for mail, code or clients, which name
                    // constraints do not limit.
                    try ExtendedKeyUsage([.serverAuth])
                    Critical(constraints)
                },
                issuerPrivateKey: Certificate.PrivateKey(key)))
    }

    /// True if `bytes` are a PEM certificate of this key, and limited to servers of a home as it is today;
    /// those of 0.1 are not.
    package func isHubCertificate(_ bytes: [UInt8]) -> Bool {
        guard isBorne(byCertificatePEM: bytes),
            let certificate = try? Certificate(pemEncoded: String(decoding: bytes, as: UTF8.self))
        else { return false }
        let usage = try? certificate.extensions.extendedKeyUsage
        let constraints = try? certificate.extensions.nameConstraints
        return constraints?.permittedSubtrees.contains(.dnsName(TLSIdentity.newestDomain)) == true
            && usage.map { Array($0) } == [.serverAuth]
    }

    /// The lower certificate, in PEM.
    ///
    /// - Parameters:
    ///   - names: DNS names; those that the upper certificate may not stand for are left out.
    ///   - addresses: the same for IP addresses.
    ///   - now: a day later than the beginning of its time.
    ///   - added: an extension that is not critical, its object identifier in DER and its content.
    package func leafPEM(
        names: [String], addresses: [NetworkAddress], now: Date,
        added: (oid: [UInt8], content: [UInt8])? = nil
    ) throws -> String {
        let allowed = names.filter { name in
            TLSIdentity.domains.contains { name == $0 || name.hasSuffix("." + $0) }
        }
        let local = addresses.filter { $0.isLoopback || $0.isPrivate || $0.isShared || $0.isLinkLocal }
        let begin = now.addingTimeInterval(-86_400)
        let own = try added.map { added in
            Certificate.Extension(
                oid: try ASN1ObjectIdentifier(derEncoded: added.oid), critical: false,
                value: added.content[...])
        }
        return try TLSIdentity.pem(
            of: Certificate(
                version: .v3, serialNumber: Certificate.SerialNumber(),
                publicKey: Certificate.PublicKey(key.publicKey), notValidBefore: begin,
                notValidAfter: begin.addingTimeInterval(TLSIdentity.leafLifetime),
                issuer: try hubName,
                subject: try DistinguishedName { CommonName("hubpair \(pin.fingerprint), at home") },
                signatureAlgorithm: .ecdsaWithSHA256,
                extensions: Certificate.Extensions {
                    Critical(BasicConstraints.notCertificateAuthority)
                    Critical(KeyUsage(digitalSignature: true))
                    try ExtendedKeyUsage([.serverAuth])
                    SubjectAlternativeNames(
                        allowed.map { .dnsName($0) }
                            + local.map { .ipAddress(ASN1OctetString(contentBytes: $0.bytes[...])) })
                    if let own { own }
                },
                issuerPrivateKey: Certificate.PrivateKey(key)))
    }

    /// A certificate for a browser: of a key of its own, for nothing but to be a client.
    package func browserCertificatePEM(name: String) throws -> String {
        let subject = try DistinguishedName { CommonName(name) }
        return try TLSIdentity.pem(
            of: Certificate(
                version: .v3, serialNumber: Certificate.SerialNumber(),
                publicKey: Certificate.PublicKey(key.publicKey),
                notValidBefore: Date(timeIntervalSince1970: 946_684_800),
                // The end of UTCTime (RFC 5280 § 4.1.2.5): systems differ in what they take beyond.
                notValidAfter: Date(timeIntervalSince1970: 2_524_607_999),
                issuer: subject, subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
                extensions: Certificate.Extensions {
                    Critical(BasicConstraints.notCertificateAuthority)
                    Critical(KeyUsage(digitalSignature: true))
                    try ExtendedKeyUsage([.clientAuth])
                },
                issuerPrivateKey: Certificate.PrivateKey(key)))
    }

    private var hubName: DistinguishedName {
        get throws { try DistinguishedName { CommonName("hubpair \(pin.fingerprint)") } }
    }

    private static func pem(of certificate: Certificate) throws -> String {
        try certificate.serializeAsPEM().pemString + "\n"
    }
}
