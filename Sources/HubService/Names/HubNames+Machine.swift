import Addresses
package import GatewayRules
import Glibc
package import Pairing
import PinnedTLS

extension HubNames {
    /// The names of a hub as they are now, for a program beside the one that serves.
    ///
    /// - Throws: if no hub is set up there.
    package static func current(of state: HubState) throws -> HubNames {
        let directory = try state.open()
        return HubNames(.current(try HubState.hub(in: directory).settings, in: directory))
    }

    /// Where a browser is sent, in this order: what the owner says; a name that a certificate from elsewhere
    /// stands for; the name for people, if it is short and of characters that keep a QR code small; an IPv4
    /// address; any other name. Nil if there is none.
    ///
    /// - Parameters:
    ///   - given: what the owner says.
    ///   - routes: the text of `/proc/net/route`.
    package func preferredHost(
        given: WebHost? = nil, routes: @autoclosure () -> String = ProcFile.text("/proc/net/route")
    ) -> WebHost? {
        if let given { return given }
        func first(_ origin: Origin) -> WebHost? { entries.first { $0.origin == origin }?.host }
        if let host = first(.certificate) { return host }
        let name = homeName.flatMap { WebHost($0) }
        if let name, HubNames.isShort(name.description) { return name }
        let served = sources.networks.filter { isServed($0.address) }
        let clear = LocalAddress.preferred(among: served, routes: routes())
        let other = served.map(\.address).first { $0.family == .ipv4 && !$0.isLoopback && !$0.isLinkLocal }
        return (clear ?? other).map { WebHost($0) } ?? name
            ?? served.map(\.address).first { $0.family == .ipv4 }.map { WebHost($0) }
    }

    /// What people on the same network call the machine: `raspi-2.local`.
    package var homeName: String? {
        let entry =
            entries.first { $0.origin == .announced }
            ?? entries.first { $0.origin == .machine && $0.leaf == .home }
        return entry?.host.description
    }

    /// True if the hub listens on the address.
    package func isServed(_ address: NetworkAddress) -> Bool {
        sources.listen.isEmpty
            || sources.listen.contains { $0.isUnspecified || $0.bytes == address.bytes }
    }

    /// 22 characters of the alphanumeric mode, with which a code stays as small as with an address (ISO/IEC
    /// 18004 § 7.3.4).
    private static func isShort(_ name: String) -> Bool {
        name.utf8.count <= 22 && !name.utf8.contains(UInt8(ascii: "_"))
    }
}

extension HubNames.Sources {
    /// What the settings, the hub's files and this machine say. A file with a fault says nothing here:
    /// the doctor tells of it.
    package static func current(_ settings: HubSettings, in directory: borrowing ProtectedDirectory) -> Self {
        var sources = HubNames.Sources()
        sources.listen = settings.listen
        sources.readMachine()
        sources.readFiles(settings, in: directory)
        return sources
    }

    /// Takes what the machine says now.
    mutating func readMachine() {
        networks = LocalNetwork.current()
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        machine = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        domains = HubNames.Sources.domains(inResolverConfiguration: ProcFile.text("/etc/resolv.conf"))
    }

    /// Takes what the hub's files say now.
    mutating func readFiles(_ settings: HubSettings, in directory: borrowing ProtectedDirectory) {
        added = settings.hosts.compactMap { WebHost($0) }
        if let file = try? directory.read(AnnouncedNames.fileName, AnnouncedNames.init(parsing:)) {
            announced = file.names
        }
        if let file = try? directory.read(HubWays.fileName, HubWays.init(parsing:)) {
            ways = file.ways.compactMap { WebHost(pasted: $0.address) }
        }
        let pem = try? PublicCertificate.file(in: directory)
        let hub = pem == nil ? nil : try? HubState.hub(in: directory)
        let pins = [hub?.pin, hub?.old].compactMap(\.self)
        installed =
            pem.flatMap { pem in
                pins.lazy.compactMap { try? InstalledCertificate(pem, of: $0).names }.first
            } ?? []
    }

    /// The domains in the last `search` or `domain` line (resolv.conf(5)).
    static func domains(inResolverConfiguration text: String) -> [String] {
        let lines = text.split(separator: "\n").map { $0.split { $0 == " " || $0 == "\t" } }
        let last = lines.last { $0.first == "search" || $0.first == "domain" } ?? []
        return last.dropFirst().prefix(6).map { $0.hasSuffix(".") ? String($0.dropLast()) : String($0) }
            .filter { HostName.isValid($0) }
    }
}
