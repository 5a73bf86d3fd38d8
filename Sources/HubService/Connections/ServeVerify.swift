import GatewayRules
import NIOSSL
import Pairing
import PinnedTLS

/// Who a request for `/hubpair/v1/verify` stands for.
///
/// From a trusted proxy, and from nobody else, the field `X-SSL-Client-Cert` counts: the client's certificate
/// in PEM, percent-encoded, as nginx writes `$ssl_client_escaped_cert`. The proxy has seen the client prove
/// its key in its own handshake, and must drop the field if a client sends it. A trusted proxy's own
/// certificate never counts: nginx leaves the field out for a client without one, and what it shows for
/// itself stands for none of its clients. From everybody else it is the connection's own certificate.
///
/// Accepted: `-----BEGIN%20CERTIFICATE-----%0AMIIB…`. Rejected: two certificates, two fields, a key that is
/// not P-256, more than 16 KiB.
enum ServeVerify {
    private static let maximumByteCount = 16_384

    /// The pin of the device that a request stands for; nil for none.
    ///
    /// - Parameters:
    ///   - own: the pin of the connection's certificate; it counts only if the other end is no proxy.
    ///   - isFromTrustedProxy: the connection's other end is a trusted proxy's address.
    static func pin(_ fields: FieldBlock, own: Pin?, isFromTrustedProxy: Bool) -> Pin? {
        guard isFromTrustedProxy else { return own }
        return fields.onlyValue(.clientCertificate).flatMap { pin(escapedCertificate: $0) }
    }

    /// The pin of a percent-encoded certificate in PEM, or nil if there is not exactly one, over a P-256 key.
    static func pin(escapedCertificate text: some Collection<UInt8>) -> Pin? {
        guard text.count <= maximumByteCount, let bytes = percentDecoded(text),
            bytes.starts(with: "-----BEGIN CERTIFICATE-----".utf8),
            let certificates = try? NIOSSLCertificate.fromPEMBytes(bytes), certificates.count == 1
        else { return nil }
        return Pin(device: certificates[0])
    }

    private static func percentDecoded(_ text: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(hexValue), let low = rest.next().flatMap(hexValue) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}

extension Pin {
    /// What every P-256 SubjectPublicKeyInfo begins with: id-ecPublicKey, secp256r1, a bit string of 65
    /// bytes, an uncompressed point (RFC 5480 § 2).
    private static let p256Prefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86,
        0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
    ]

    /// What the key of a certificate that is no device's is, for people: "an RSA key".
    static func otherKey(of certificate: NIOSSLCertificate) -> String {
        guard let spki = try? certificate.extractPublicKey().toSPKIBytes() else {
            return "a key that cannot be read"
        }
        // rsaEncryption (RFC 3279 § 2.3.1), secp384r1 and secp521r1 (RFC 5480 § 2.1.1.1); TLS asks here for
        // no other kind.
        let kinds: [(oid: [UInt8], kind: String)] = [
            ([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01], "an RSA key"),
            ([0x2B, 0x81, 0x04, 0x00, 0x22], "a P-384 key"), ([0x2B, 0x81, 0x04, 0x00, 0x23], "a P-521 key"),
        ]
        let start = spki.prefix(32)
        return kinds.first { !start.ranges(of: $0.oid).isEmpty }?.kind ?? "a key of another kind"
    }

    /// The pin of a device's certificate; nil if its key is not P-256, as every device's is.
    init?(device certificate: NIOSSLCertificate) {
        guard let spki = try? certificate.extractPublicKey().toSPKIBytes(), spki.count == 91,
            spki.starts(with: Pin.p256Prefix)
        else { return nil }
        self.init(subjectPublicKeyInfo: spki)
    }
}
