package import Addresses
import GatewayRules
package import Household
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
///     place=52.52 13.41
///     hook=/usr/local/bin/tell-us
///     hosts=kitchen.example.org
///     concurrency=4
///     reads-bodies=yes
///
/// `upstream` may be missing; `Upstream` has its grammar. `listen` has the addresses to listen on, 16 at
/// most, with a space between them; without it, and in version 0.1, these are all. `place` is where the house
/// is (``Household/Place``), for scenes at sunrise and sunset; `hook` is the program that runs for each
/// message, by its absolute path. `hosts` has names and addresses by which browsers reach the hub beside its
/// own, as behind a proxy or a router; 16 at most, by `hub names add`. `concurrency` is how many requests the
/// upstream takes at a time, 1–1,000, written by hand: a hub finds out by itself whether it stands in front
/// of a stock server, which takes one. `reads-bodies` is the owner's word that the upstream reads each
/// request's body or closes the connection, whatever it answers (`BodyReadingServer` has those that are
/// known); `yes` or `no`, written by hand. `push` says whether the hub talks to the makers of browsers, so
/// that these tell of messages while the page is closed: `on` or `off`, by `hub push`; `push-hosts` has push
/// services at home, to which other ports and private addresses are fine, 16 at most, written by hand. These
/// seven may be missing.
///
/// Accepted: the above. Rejected: no name, `port=0`, `port=65536`, `upstream=ftp://127.0.0.1`, `listen=eth0`,
/// `place=Berlin`, `hook=tell-us`, `hosts=kitchen:8000`, `concurrency=0`, `reads-bodies=perhaps`, `push=1`.
package struct HubSettings: Equatable, Sendable {
    package static let fileName = "hub"
    private static let group = "hub"
    /// The most addresses to listen on.
    package static let maximumAddresses = 16
    /// The most names and addresses in `hosts`.
    package static let maximumHosts = 16

    /// The hub's name, as it is announced.
    package let name: PeerName
    /// The TCP port of HTTPS, 1–65535.
    package let port: UInt16
    /// The server behind the gateway.
    package let upstream: Upstream?
    /// The addresses of this host to listen on; empty: all.
    package let listen: [NetworkAddress]
    /// Where the house is; nil: nobody has said.
    package let place: Place?
    /// The program that runs for each message: an absolute path of at most 4,095 bytes; nil: none.
    package let hook: String?
    /// Names and addresses of the hub that this machine does not know of.
    package private(set) var hosts: [String] = []
    /// How many requests the upstream takes at a time; nil: the hub finds out.
    package private(set) var concurrency: Int?
    /// True if somebody has said that the upstream reads bodies.
    package private(set) var readsBodies = false
    /// True if messages may go to push services.
    package private(set) var push = false
    /// `host` or `host:port`.
    package private(set) var pushHosts: [String] = []

    package init(
        name: PeerName, port: UInt16, upstream: Upstream?, listen: [NetworkAddress] = [],
        place: Place? = nil, hook: String? = nil
    ) {
        self.name = name
        self.port = port
        self.upstream = upstream
        self.listen = listen
        self.place = place
        self.hook = hook
    }

    /// True if a hook may have this path.
    package static func isHook(_ path: String) -> Bool {
        path.hasPrefix("/") && !path.hasSuffix("/") && path.utf8.count < 4096
            && !path.utf8.contains { $0 < 0x20 || $0 == 0x7F }
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
            upstream = try url.map(Upstream.init(_:))
        } catch {
            throw .invalidValue(error.description, key: "upstream", group: HubSettings.group)
        }
        let words = file.value("listen", in: HubSettings.group)?.split(separator: " ") ?? []
        listen = words.compactMap { NetworkAddress(String($0)) }
        guard listen.count == words.count, listen.count <= HubSettings.maximumAddresses else {
            throw .invalidValue("not IPv4 or IPv6 addresses", key: "listen", group: HubSettings.group)
        }
        let text = file.value("place", in: HubSettings.group)
        place = text.flatMap(Place.init)
        guard (place == nil) == (text == nil) else {
            throw .invalidValue(Place.rule, key: "place", group: HubSettings.group)
        }
        hook = file.value("hook", in: HubSettings.group)
        guard hook.map(HubSettings.isHook) ?? true else {
            throw .invalidValue("not a program by its absolute path", key: "hook", group: HubSettings.group)
        }
        hosts = (file.value("hosts", in: HubSettings.group)?.split(separator: " ") ?? []).map(String.init)
        guard hosts.count <= HubSettings.maximumHosts, hosts.allSatisfy({ WebHost($0) != nil }) else {
            throw .invalidValue(
                "not host names or addresses without a port", key: "hosts", group: HubSettings.group)
        }
        let count = file.value("concurrency", in: HubSettings.group)
        concurrency = count.flatMap { UInt16(digits: $0) }.map(Int.init)
        guard concurrency.map((1...1_000).contains) ?? (count == nil) else {
            throw .invalidValue("not a number from 1 to 1000", key: "concurrency", group: HubSettings.group)
        }
        readsBodies = try HubSettings.choice("reads-bodies", "yes", "no", in: file)
        push = try HubSettings.choice("push", "on", "off", in: file)
        pushHosts = (file.value("push-hosts", in: HubSettings.group)?.split(separator: " ") ?? [])
            .map(String.init)
        guard pushHosts.count <= HubSettings.maximumHosts else {
            throw .invalidValue("more than 16", key: "push-hosts", group: HubSettings.group)
        }
    }

    /// False if the key is missing.
    private static func choice(
        _ key: String, _ yes: String, _ no: String, in file: KeyFile
    ) throws(KeyFileError) -> Bool {
        switch file.value(key, in: group) {
        case yes?: return true
        case no?, nil: return false
        default: throw .invalidValue("not \(yes) or \(no)", key: key, group: group)
        }
    }

    /// True if a hub that serves with one of them serves as the other says. Where the house is, and what the
    /// hub is called, counts at once.
    package func isServed(as other: HubSettings) -> Bool { whatNeedsStart == other.whatNeedsStart }

    private var whatNeedsStart: HubSettings {
        var settings = HubSettings(name: name, port: port, upstream: upstream, listen: listen, hook: hook)
            .with(handwritten: self)
        (settings.hosts, settings.push, settings.pushHosts) = ([], false, [])
        return settings
    }

    /// The same with what another has that is written by hand, or decided apart.
    func with(handwritten other: HubSettings) -> HubSettings {
        var settings = self
        (settings.hosts, settings.concurrency) = (other.hosts, other.concurrency)
        settings.readsBodies = other.readsBodies
        (settings.push, settings.pushHosts) = (other.push, other.pushHosts)
        return settings
    }

    /// The same with other names and addresses of the hub.
    package func with(hosts: [String]) -> HubSettings {
        var settings = self
        settings.hosts = hosts
        return settings
    }

    package func with(push: Bool) -> HubSettings {
        var settings = self
        settings.push = push
        return settings
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
        file.set("place", to: place?.description, in: HubSettings.group)
        file.set("hook", to: hook, in: HubSettings.group)
        file.set("push", to: push ? "on" : nil, in: HubSettings.group)
        file.set("hosts", to: hosts.isEmpty ? nil : hosts.joined(separator: " "), in: HubSettings.group)
        return file.serialized
    }
}
