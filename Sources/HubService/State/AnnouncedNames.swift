package import Pairing

/// What multicast DNS last called this machine: the file `names` in the hub directory, written by the hub
/// that serves, for those who are asked while it does: `print`, `hub names`, the hub's next start.
///
///     [keyfile]
///     format=1
///
///     [names]
///     announced=raspi-2.local hubpair-7mrmfeph.local
///
/// Accepted: the above. Rejected: `announced=raspi-2.local:8000`, more than four names.
package struct AnnouncedNames: Equatable, Sendable {
    package static let fileName = "names"
    private static let group = "names"
    private static let maximumCount = 4

    /// The name for people first.
    package let names: [String]

    package init(_ names: [String]) { self.names = Array(names.prefix(AnnouncedNames.maximumCount)) }

    package init(parsing bytes: [UInt8]) throws(KeyFileError) {
        let file = try KeyFile(parsing: bytes)
        try file.checkFormat()
        names = (file.value("announced", in: AnnouncedNames.group) ?? "").split(separator: " ").map(
            String.init)
        guard names.count <= AnnouncedNames.maximumCount, names.allSatisfy(HostName.isValid) else {
            throw .invalidValue("not host names", key: "announced", group: AnnouncedNames.group)
        }
    }

    package var serialized: [UInt8] {
        var file = KeyFile.empty(
            comment: "What this machine is called on the network; written by 'hubpair serve'.")
        file.set("announced", to: names.joined(separator: " "), in: AnnouncedNames.group)
        return file.serialized
    }
}
