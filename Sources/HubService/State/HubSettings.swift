package import Addresses
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
///     listen=192.168.1.20 fd77::1
///
/// `upstream` may be missing; `Upstream` has its grammar. `listen` has the addresses to listen on, 16 at
/// most, with a space between them; without it, and in version 0.1, these are all.
///
/// Accepted: the above. Rejected: no name, `port=0`, `port=65536`, `upstream=ftp://127.0.0.1`, `listen=eth0`.
package struct HubSettings: Equatable, Sendable {
    package static let fileName = "hub"
    private static let group = "hub"
    /// The most addresses to listen on.
    package static let maximumAddresses = 16

    /// The hub's name, as it is announced.
    package let name: PeerName
    /// The TCP port of HTTPS, 1–65535.
    package let port: UInt16
    /// The server behind the gateway.
    package let upstream: Upstream?
    /// The addresses of this host to listen on; empty: all.
    package let listen: [NetworkAddress]

    package init(name: PeerName, port: UInt16, upstream: Upstream?, listen: [NetworkAddress] = []) {
        self.name = name
        self.port = port
        self.upstream = upstream
        self.listen = listen
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
        let words = file.value("listen", in: HubSettings.group)?.split(separator: " ") ?? []
        listen = words.compactMap { NetworkAddress(String($0)) }
        guard listen.count == words.count, listen.count <= HubSettings.maximumAddresses else {
            throw .invalidValue("not IPv4 or IPv6 addresses", key: "listen", group: HubSettings.group)
        }
    }

    /// The bytes of a new file.
    package var serialized: [UInt8] {
        serialized(in: .empty(comment: "What this hub is; written by 'hubpair setup'."))
    }

    /// The bytes of the file `bytes` with these settings in it: its comments and other keys stay.
    package func serialized(in bytes: [UInt8]) throws(KeyFileError) -> [UInt8] {
        serialized(in: try KeyFile(parsing: bytes))
    }

    private func serialized(in file: KeyFile) -> [UInt8] {
        var file = file
        let list = listen.map(\.description).joined(separator: " ")
        file.set("name", to: name.description, in: HubSettings.group)
        file.set("port", to: String(port), in: HubSettings.group)
        file.set("upstream", to: upstream?.text, in: HubSettings.group)
        file.set("listen", to: list.isEmpty ? nil : list, in: HubSettings.group)
        return file.serialized
    }
}
