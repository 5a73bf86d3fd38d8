package import Pairing

/// What `setup` was told and `serve` goes by: the file `hub` in the state directory.
///
///     [keyfile]
///     format=1
///
///     [hub]
///     name=Kitchen
///     port=8000
///     upstream=https://127.0.0.1:8443
///
/// `upstream` may be missing; `Upstream` has its grammar.
///
/// Accepted: the above. Rejected: no name, `port=0`, `port=65536`, `upstream=ftp://127.0.0.1`.
package struct HubSettings: Equatable, Sendable {
    package static let fileName = "hub"
    private static let group = "hub"

    /// The hub's name, as it is announced.
    package let name: PeerName
    /// The TCP port of HTTPS, 1–65535.
    package let port: UInt16
    /// The server behind the gateway.
    package let upstream: Upstream?

    package init(name: PeerName, port: UInt16, upstream: Upstream?) {
        self.name = name
        self.port = port
        self.upstream = upstream
    }

    package init(parsing bytes: [UInt8]) throws(KeyFileError) {
        let file = try KeyFile(parsing: bytes)
        try file.checkFormat()
        name = try file.name("name", in: HubSettings.group)
        let digits = try file.required("port", in: HubSettings.group)
        guard let port = UInt16(digits: digits), port > 0 else {
            throw .invalidValue("not a port from 1 to 65535", key: "port", group: HubSettings.group)
        }
        self.port = port
        let url = file.value("upstream", in: HubSettings.group)
        do {
            upstream = try url.map(Upstream.init)
        } catch {
            throw .invalidValue(error.description, key: "upstream", group: HubSettings.group)
        }
    }

    package var serialized: [UInt8] {
        var file = KeyFile.empty(comment: "What this hub is; written by 'hubpair setup'.")
        file.set("name", to: name.description, in: HubSettings.group)
        file.set("port", to: String(port), in: HubSettings.group)
        file.set("upstream", to: upstream?.text, in: HubSettings.group)
        return file.serialized
    }
}
