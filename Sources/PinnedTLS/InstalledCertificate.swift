import Crypto
package import FoundationEssentials
package import Identity
package import NIOSSL
import SwiftASN1
import X509

/// A certificate for a public name, with the hub's own key: what an ACME client has brought, and the chain
/// above it. Since the key is the hub's, no pin changes.
///
///     file = 1*10( text / certificate )       ; PEM (RFC 7468); the hub's own first, each issued by the next
package struct InstalledCertificate: Sendable {
    package static let maximumByteCount = 65_536
    package static let maximumCount = 10

    /// The DNS names that it stands for, in lower case, without those with a `*`.
    package let names: [String]
    package let begins: Date
    package let ends: Date
    /// The issuer's name, as RFC 4514 writes it.
    package let issuer: String
    /// True if the hub's own certificate is all there is: browsers rarely know who has issued it.
    package let isAlone: Bool
    /// What the hub shows in TLS.
    package let chain: [NIOSSLCertificateSource]
    /// The same, to be checked.
    let certificates: [Certificate]

    /// Reads a chain; dates are not looked at.
    package init(_ pem: [UInt8], of pin: Pin) throws(InstalledCertificateError) {
        let all = try InstalledCertificate.certificates(in: pem)
        guard let leaf = all.first else { throw .noCertificate }
        func isHubs(_ certificate: Certificate) -> Bool {
            P256.Signing.PublicKey(certificate.publicKey).map { Pin($0) == pin } ?? false
        }
        guard isHubs(leaf) else {
            throw all.contains(where: isHubs) ? .notFirst : .otherKey
        }
        let alternatives = (try? leaf.extensions.subjectAlternativeNames).map { Array($0) } ?? []
        names = alternatives.compactMap { name in
            guard case .dnsName(let text) = name, !text.contains("*") else { return nil }
            return text.lowercased()
        }
        guard !names.isEmpty else { throw .noName }
        if case .isCertificateAuthority? = try? leaf.extensions.basicConstraints { throw .isAuthority }
        if let usage = try? leaf.extensions.extendedKeyUsage, !usage.contains(.serverAuth),
            !usage.contains(.any)
        {
            throw .notForServers
        }
        for (number, (one, next)) in zip(all, all.dropFirst()).enumerated() {
            guard one.issuer == next.subject, next.publicKey.isValidSignature(one.signature, for: one) else {
                throw .brokenChain(number + 1)
            }
        }
        (begins, ends) = (leaf.notValidBefore, leaf.notValidAfter)
        issuer = "\(leaf.issuer)"
        isAlone = all.count == 1
        certificates = all
        do {
            chain = try all.map { certificate in
                var serializer = DER.Serializer()
                try serializer.serialize(certificate)
                return .certificate(try NIOSSLCertificate(bytes: serializer.serializedBytes, format: .der))
            }
        } catch {
            throw .unreadable("\(error)")
        }
    }

    /// Throws unless it is valid now.
    package func check(at now: Date) throws(InstalledCertificateError) {
        guard now >= begins else { throw .notYet(begins) }
        guard now <= ends else { throw .over(ends) }
    }

    private static func certificates(in pem: [UInt8]) throws(InstalledCertificateError) -> [Certificate] {
        guard pem.count <= maximumByteCount else { throw .tooLong }
        guard let text = String(validating: pem, as: UTF8.self) else { throw .noCertificate }
        let documents: [PEMDocument]
        do {
            documents = try PEMDocument.parseMultiple(pemString: text)
        } catch {
            throw .unreadable("\(error)")
        }
        // The key would lie in the hub directory a second time, or be another's.
        guard !documents.contains(where: { $0.discriminator.hasSuffix("PRIVATE KEY") }) else {
            throw .hasPrivateKey
        }
        guard documents.count <= maximumCount else { throw .tooLong }
        do {
            return try documents.filter { $0.discriminator == "CERTIFICATE" }.map {
                try Certificate(pemDocument: $0)
            }
        } catch {
            throw .unreadable("\(error)")
        }
    }
}

/// Why a certificate is not installed.
package enum InstalledCertificateError: UserError, Equatable {
    case noCertificate
    case unreadable(String)
    case tooLong
    case hasPrivateKey
    case otherKey
    case notFirst
    case noName
    case isAuthority
    case notForServers
    /// This one, from 1 on, does not come from the next.
    case brokenChain(Int)
    case notYet(Date)
    case over(Date)

    package var description: String {
        switch self {
        case .noCertificate: "there is no certificate in PEM in it"
        case .unreadable(let why): "a certificate in it cannot be read: \(why)"
        case .tooLong:
            "it has more than \(InstalledCertificate.maximumCount) certificates, or is longer than "
                + "\(InstalledCertificate.maximumByteCount) bytes"
        case .hasPrivateKey: "there is a private key in it, and the hub has its own"
        case .otherKey: "the first certificate in it is for another key than the hub's"
        case .notFirst: "the certificate of the hub's key is not the first in it"
        case .noName: "the certificate stands for no DNS name"
        case .isAuthority: "the certificate is one of a certificate authority"
        case .notForServers: "the certificate is not for servers"
        case .brokenChain(let number):
            "certificate \(number) in it was not issued by certificate \(number + 1): one is missing, or "
                + "they are in another order"
        case .notYet(let date): "the certificate is not valid before \(date.timestamp)"
        case .over(let date): "the certificate was valid until \(date.timestamp)"
        }
    }

    package var kind: UserErrorKind { .data }

    package var hint: String? {
        switch self {
        case .noCertificate, .unreadable, .tooLong, .hasPrivateKey:
            "give the file with the certificate and its chain, in PEM; ACME clients call it fullchain.pem, "
                + "or NAME.crt"
        case .otherKey, .noName, .notForServers, .isAuthority:
            "let it be made from 'hubpair hub certificate request --name NAME'"
        case .notFirst, .brokenChain: "put the hub's own first, and below each the one that has issued it"
        case .notYet: "is this machine's clock right? see date(1)"
        case .over: "have a new one made from 'hubpair hub certificate request --name NAME'"
        }
    }
}

extension TLSIdentity {
    /// A request for a certificate with this key (PKCS #10, RFC 2986), in PEM.
    ///
    /// - Parameter names: at least one DNS name; the first is the subject's common name, too, if it is short
    ///   enough (64 characters, RFC 5280 appendix A.1).
    package func signingRequestPEM(names: [String]) throws -> String {
        let subject = try DistinguishedName {
            if let name = names.first, name.utf8.count <= 64 { CommonName(name) }
        }
        let extensions = try Certificate.Extensions {
            SubjectAlternativeNames(names.map { .dnsName($0) })
        }
        let request = try CertificateSigningRequest(
            version: .v1, subject: subject, privateKey: Certificate.PrivateKey(key),
            attributes: .init([.init(ExtensionRequest(extensions: extensions))]))
        return try request.serializeAsPEM().pemString + "\n"
    }
}
