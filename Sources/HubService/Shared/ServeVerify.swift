import GatewayRules
import NIOSSL
import Pairing
import PinnedTLS

/// A client's certificate in the field `X-SSL-Client-Cert` of a proxy in front of the hub: percent-encoded
/// PEM, as in nginx's `$ssl_client_escaped_cert`.
///
/// Accepted: `-----BEGIN%20CERTIFICATE-----%0AMIIB…`. Rejected: two certificates, a key that is not P-256,
/// more than 16 KiB.
enum ServeVerify {
    private static let maximumByteCount = 16_384

    /// The pin of a percent-encoded PEM certificate; nil unless there is exactly one, with a P-256 key.
    static func pin(escapedCertificate text: some Collection<UInt8>) -> Pin? {
        guard text.count <= maximumByteCount, let bytes = PercentCoding.strictlyDecoded(ArraySlice(text)),
            bytes.starts(with: "-----BEGIN CERTIFICATE-----".utf8),
            let certificates = try? NIOSSLCertificate.fromPEMBytes(bytes), certificates.count == 1
        else { return nil }
        return Pin(device: certificates[0])
    }
}
