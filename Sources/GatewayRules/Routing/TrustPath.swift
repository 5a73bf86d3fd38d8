/// The paths by which a browser comes to trust the hub's certificate: a page with the steps, and the
/// certificate in the two forms that systems take. They are for everybody, as the certificate is: the hub
/// shows it in every handshake.
///
/// Accepted: `/hubpair/trust`, `/hubpair/trust/hub.crt`. Rejected: `/hubpair/trust/`, `/hubpair/Trust`.
package enum TrustPath: String, CaseIterable, Sendable {
    case page = "/hubpair/trust"
    /// DER (RFC 5280).
    case certificate = "/hubpair/trust/hub.crt"
    /// A configuration profile for Apple's systems.
    case profile = "/hubpair/trust/hub.mobileconfig"
}
