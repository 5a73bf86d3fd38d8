package import Identity
package import Pairing

/// The hub's file `site`: the site that this hub is a gate of. It is its owner's alone (0600), since it holds
/// the key with which the gate shows itself to etcd.
///
///     [keyfile]
///     format=1
///
///     [site]
///     members=https://etcd1:2379 https://etcd2:2379
///     hub=K7QF-2M9D-X0TW-8RHC
///     cluster=14841639068965178418
///     gate=9QW3ZJ1K
///     stale=600
///     ca=-----BEGIN CERTIFICATE-----\n…
///     certificate=-----BEGIN CERTIFICATE-----\n…
///     key=-----BEGIN PRIVATE KEY-----\n…
///
/// `stale`: for how many seconds known devices go on without a majority, 0 to 604800. `gate` names this gate
/// among the others, 1 to 64 bytes.
///
/// Accepted: the above. Rejected: no `members`, `http://…`, `stale=-1`, a `[site]` without `key`.
package struct SiteSettings: Equatable, Sendable {
    package static let fileName = "site"
    package static let usualStale = 600
    package static let longestStale = 604_800
    /// Members of an etcd are 3, 5 or 7.
    package static let maximumMembers = 16
    private static let group = "site"

    package var members: [SiteMember]
    package let hub: Fingerprint
    package var cluster: UInt64
    package let gate: String
    package var stale: Int
    package var credentials: SiteCredentials

    package init(
        members: [SiteMember], hub: Fingerprint, cluster: UInt64, gate: String, stale: Int,
        credentials: SiteCredentials
    ) {
        (self.members, self.hub, self.cluster, self.gate) = (members, hub, cluster, gate)
        (self.stale, self.credentials) = (stale, credentials)
    }

    package init(parsing bytes: [UInt8]) throws(KeyFileError) {
        let file = try KeyFile(parsing: bytes)
        try file.checkFormat()
        let group = SiteSettings.group
        func fault(_ words: String, _ key: String) -> KeyFileError {
            .invalidValue(words, key: key, group: group)
        }
        let words = try file.required("members", in: group).split(separator: " ")
        members = words.compactMap { try? SiteMember($0) }
        guard !members.isEmpty, members.count == words.count, members.count <= SiteSettings.maximumMembers
        else { throw fault("not addresses like https://etcd1:2379", "members") }
        guard let hub = Fingerprint(try file.required("hub", in: group)) else {
            throw fault("not a fingerprint", "hub")
        }
        guard let cluster = UInt64(try file.required("cluster", in: group)) else {
            throw fault("not a number of 64 bits", "cluster")
        }
        gate = try file.required("gate", in: group)
        guard (1...64).contains(gate.utf8.count) else { throw fault("not 1 to 64 bytes", "gate") }
        guard let stale = Int(try file.required("stale", in: group)),
            (0...SiteSettings.longestStale).contains(stale)
        else { throw fault("not 0 to \(SiteSettings.longestStale) seconds", "stale") }
        (self.hub, self.cluster, self.stale) = (hub, cluster, stale)
        credentials = SiteCredentials(
            authority: Array(try file.required("ca", in: group).utf8),
            certificate: Array(try file.required("certificate", in: group).utf8),
            key: Array(try file.required("key", in: group).utf8))
    }

    /// The same for a gate beside this one.
    var asOtherGate: SiteSettings {
        SiteSettings(
            members: members, hub: hub, cluster: cluster, gate: ManageSite.gate(), stale: stale,
            credentials: credentials)
    }

    package var serialized: [UInt8] {
        var file = KeyFile.empty(comment: "The site that this hub is a gate of; see 'hubpair hub site'.")
        func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
        file.replaceGroup(
            SiteSettings.group,
            with: [
                ("members", members.map(\.text).joined(separator: " ")), ("hub", "\(hub)"),
                ("cluster", String(cluster)), ("gate", gate), ("stale", String(stale)),
                ("ca", text(credentials.authority)), ("certificate", text(credentials.certificate)),
                ("key", text(credentials.key)),
            ])
        return file.serialized
    }
}

/// The address of a member of etcd.
///
/// Accepted: `https://etcd1:2379`, `https://10.0.0.7:2379`, `https://[fd00::7]:2379`. Rejected:
/// `http://etcd1:2379`, `https://etcd1`, `https://etcd1:2379/x`, `https://a b:2379`.
package struct SiteMember: Hashable, Sendable {
    package let host: String
    package let port: Int

    package init(_ text: some StringProtocol) throws(SiteError) {
        guard text.hasPrefix("https://"), text.utf8.count <= 300 else { throw .badEndpoint(String(text)) }
        let rest = text.dropFirst(8)
        guard let colon = rest.lastIndex(of: ":") else { throw .badEndpoint(String(text)) }
        var host = rest[..<colon]
        let digits = rest[rest.index(after: colon)...]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard let port = Int(digits: digits), (1...65_535).contains(port), !host.isEmpty,
            host.utf8.allSatisfy({ byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"),
                    UInt8(ascii: "_"), UInt8(ascii: ":"):
                    true
                default: false
                }
            })
        else { throw .badEndpoint(String(text)) }
        (self.host, self.port) = (String(host), port)
    }

    package var text: String { "https://\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}

/// What a gate shows itself with to etcd, and by what it knows etcd; each in PEM.
package struct SiteCredentials: Equatable, Sendable {
    package let authority: [UInt8]
    package let certificate: [UInt8]
    package let key: [UInt8]

    package init(authority: [UInt8], certificate: [UInt8], key: [UInt8]) {
        (self.authority, self.certificate, self.key) = (authority, certificate, key)
    }
}
