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
