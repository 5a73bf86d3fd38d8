import Addresses
package import FoundationEssentials
package import Pairing

/// What an authority may ask this machine for, through the hub's relays: the file `certificate-request` in
/// the hub directory. For an hour after the request a connection that offers `acme-tls/1` alone (RFC 8737)
/// for one of the names goes to the ACME client, on a port of the loopback interface.
///
///     [keyfile]
///     format=1
///
///     [request]
///     names=kitchen.example.org attic.example.org
///     port=443
///     until=2026-11-28T10:22:03Z
///
/// Accepted: the above. Rejected: a name that is no host name, port 0, more than ten names.
package struct CertificateRequest: Equatable, Sendable {
    package static let fileName = "certificate-request"
    private static let group = "request"
    package static let lifetime: TimeInterval = 3_600
    package static let maximumCount = 10

    package let names: [String]
    package let port: UInt16
    package let until: Date

    package init(names: [String], port: UInt16, until: Date) {
        (self.names, self.port, self.until) = (names, port, until)
    }

    package init(parsing bytes: [UInt8]) throws(KeyFileError) {
        let (file, group) = (try KeyFile(parsing: bytes), CertificateRequest.group)
        try file.checkFormat()
        names = try file.required("names", in: group).split(separator: " ").map(String.init)
        guard (1...CertificateRequest.maximumCount).contains(names.count), names.allSatisfy(HostName.isValid)
        else { throw .invalidValue("not host names", key: "names", group: group) }
        guard let port = UInt16(try file.required("port", in: group)), port > 0 else {
            throw .invalidValue("not a port", key: "port", group: group)
        }
        guard let until = Date(timestamp: try file.required("until", in: group)) else {
            throw .invalidValue("not a time like 2026-11-21T10:22:03Z", key: "until", group: group)
        }
        (self.port, self.until) = (port, until)
    }

    package var serialized: [UInt8] {
        var file = KeyFile.empty(
            comment: "Where an ACME client answers; written by 'hubpair hub certificate request'.")
        file.set("names", to: names.joined(separator: " "), in: CertificateRequest.group)
        file.set("port", to: "\(port)", in: CertificateRequest.group)
        file.set("until", to: until.timestamp, in: CertificateRequest.group)
        return file.serialized
    }

    /// The port that answers a challenge for a name.
    func port(of name: String, at now: Date) -> UInt16? { now < until && names.contains(name) ? port : nil }
}
