import FoundationEssentials
import GatewayRules
import NIOSSL
import Pairing
import PinnedTLS

/// A client's certificate in the field `X-SSL-Client-Cert` of a proxy in front of the hub: percent-encoded
/// PEM, as in nginx's `$ssl_client_escaped_cert`; or Base64 of DER, as in Caddy's
/// `{http.request.tls.client.certificate_der_base64}`, perhaps between colons (RFC 9440).
///
/// Accepted: `-----BEGIN%20CERTIFICATE-----%0AMIIB…`, `MIIB…==`, `:MIIB…==:`. Rejected: two certificates, a
/// key that is not P-256, more than 16 KiB.
enum ServeVerify {
    private static let maximumByteCount = 16_384

    /// The pin of a certificate; nil unless there is exactly one, with a P-256 key.
    static func pin(escapedCertificate text: some Collection<UInt8>) -> Pin? {
        guard text.count <= maximumByteCount else { return nil }
        if let first = text.first, first == UInt8(ascii: "M") || first == UInt8(ascii: ":") {
            return pin(encoded: Array(text))
        }
        guard let bytes = PercentCoding.strictlyDecoded(ArraySlice(text)),
            bytes.starts(with: "-----BEGIN CERTIFICATE-----".utf8),
            let certificates = try? NIOSSLCertificate.fromPEMBytes(bytes), certificates.count == 1
        else { return nil }
        return Pin(device: certificates[0])
    }

    private static func pin(encoded text: [UInt8]) -> Pin? {
        let colon = UInt8(ascii: ":")
        let isFramed = text.first == colon && text.last == colon && text.count > 2
        let digits = isFramed ? Array(text.dropFirst().dropLast()) : text
        guard let der = Data(base64Encoded: Data(digits)),
            let certificate = try? NIOSSLCertificate(bytes: Array(der), format: .der),
            // Nothing stands behind it.
            let own = try? certificate.toDERBytes(), own.elementsEqual(der)
        else { return nil }
        return Pin(device: certificate)
    }
}
