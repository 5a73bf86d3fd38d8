import Identity
package import Pairing

/// The header fields that tell the upstream, or a proxy in front of the hub, which device sent the request,
/// and what it may do.
package struct DeviceFields: Sendable {
    /// The field with the device's fingerprint.
    package static let fingerprintName = "X-Hubpair-Device"
    /// The field with the device's name.
    package static let nameName = "X-Hubpair-Name"
    /// The field with the device's role when the request began.
    package static let roleName = "X-Hubpair-Role"

    /// The fingerprint, `XXXX-XXXX-XXXX-XXXX`.
    package let fingerprint: String
    /// The device's name in printable ASCII: `%` and every other byte of its UTF-8 are written as `%XX` (RFC
    /// 3986 § 2.1), so that decoding always restores the name.
    package let encodedName: String
    /// What the device may do.
    package let role: Role
    /// The three as field lines, each with its CR LF.
    package let lines: [UInt8]

    /// - Parameters:
    ///   - fingerprint: in the form `XXXX-XXXX-XXXX-XXXX`.
    ///   - name: the device's name, any text.
    package init(fingerprint: String, name: String, role: Role) {
        self.fingerprint = fingerprint
        self.role = role
        encodedName = PercentCoding.encoded(name) {
            (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "%")
        }
        lines = Array(
            ("\(DeviceFields.fingerprintName): \(fingerprint)\r\n\(DeviceFields.nameName): \(encodedName)\r\n"
                + "\(DeviceFields.roleName): \(role.rawValue)\r\n").utf8)
    }
}
