package import GatewayRules
import Identity
package import Pairing

/// The hub's file `services`: the web services behind the hub, each at a port of its own.
///
///     [keyfile]
///     format=1
///
///     [service 8001]
///     name=Grafana
///     upstream=http://127.0.0.1:3000
///     role=guest
///     allow=K7QF-2M9D-X0TW-8RHC
///     deny=7MRM-FEPH-QNYK-029X 1ZKX-9RHC-6G5Q-W0JA
///     host=server
///     forwarded=x-forwarded forwarded
///     max-body=1048576
///     kind=grafana
///     announced=yes
///
/// A service is named by the hub's port for it. `role` is the least that may use it, `member` without the
/// key; `allow` and `deny` name devices by their fingerprints, each once, that may or may not whatever their
/// role (at most 256 each); `host` and `forwarded` are what the server is told
/// (``GatewayRules/ServiceRule``), `kept` and nothing without them; `max-body` is in bytes, up to 1 TiB,
/// without it what `serve --max-body` says; `kind` is what the server was found to be, for people;
/// `announced` says whether it is told on the network, `no` without the key. At most 16.
///
/// Accepted: the above. Rejected: `[service 0]`, no name, two of one name, `upstream=http://nas.lan`,
/// `role=Guest`, `allow=Anna`, a device in `allow` and `deny`, `host=other`, `forwarded=for`, `max-body=0`,
/// `announced=true`.
package struct WebServices: Equatable, Sendable {
    package static let fileName = "services"
    package static let maximumCount = 16
    package static let maximumExceptionCount = 256
    package static let bodySizes = 1...(1 << 40)
    private static let group = "service"

    /// In the order of their ports.
    package private(set) var services: [WebService] = []
    private var file: KeyFile

    /// No service.
    package init() {
        file = .empty(comment: "The web services behind this hub; see 'hubpair hub service'.")
    }

    /// Reads the file; the first fault refuses all of it.
    package init(parsing bytes: [UInt8]) throws(KeyFileError) {
        file = try KeyFile(parsing: bytes)
        try file.checkFormat()
        for digits in try file.identifiers(of: WebServices.group) {
            let group = "\(WebServices.group) \(digits)"
            guard let port = UInt16(digits: digits), port > 0 else { throw .unknownGroup(group) }
            let service = try WebService(port, file, group)
            guard !services.contains(where: { $0.port == port || $0.name == service.name }) else {
                throw .invalidValue("another service has it", key: "name", group: group)
            }
            services.append(service)
        }
        guard services.count <= WebServices.maximumCount else {
            throw .invalidValue(
                "more than \(WebServices.maximumCount) services", key: "name", group: WebServices.group)
        }
        services.sort { $0.port < $1.port }
    }

    /// The bytes of the file: what was read, with the changes since.
    package var serialized: [UInt8] { file.serialized }

    /// The service of this name, or at this port.
    package func service(_ text: String) -> WebService? {
        services.first { $0.name.description == text } ?? services.first { String($0.port) == text }
    }

    /// Puts a service in place of the one of its name, or adds it.
    package mutating func put(_ service: WebService) {
        if let before = services.first(where: { $0.name == service.name }) { remove(before) }
        services.append(service)
        services.sort { $0.port < $1.port }
        file.replaceGroup("\(WebServices.group) \(service.port)", with: service.pairs)
    }

    package mutating func remove(_ service: WebService) {
        services.removeAll { $0.port == service.port }
        file.removeGroup("\(WebServices.group) \(service.port)")
    }
}

/// A web service behind the hub.
package struct WebService: Equatable, Sendable {
    /// The hub's port for it, 1–65535.
    package let port: UInt16
    package let name: PeerName
    package let upstream: Upstream
    /// Who may use it.
    package var rights = ServiceRights()
    package var host = ServiceRule.HostField.kept
    package var told: [ServiceRule.Told] = []
    /// The most bytes of a request's body; nil: as `serve` says.
    package var maximumBody: Int?
    package var kind = ServiceKind.plain
    /// True if the hub announces it on the network, as `_https._tcp`.
    package var isAnnounced = false

    package init(port: UInt16, name: PeerName, upstream: Upstream) {
        (self.port, self.name, self.upstream) = (port, name, upstream)
    }

    fileprivate init(_ port: UInt16, _ file: KeyFile, _ group: String) throws(KeyFileError) {
        func fault(_ key: String, _ words: String) -> KeyFileError {
            .invalidValue(words, key: key, group: group)
        }
        self.port = port
        name = try file.name("name", in: group)
        do {
            upstream = try Upstream(file.required("upstream", in: group))
        } catch let error as UpstreamError {
            throw fault("upstream", error.description)
        } catch let error as KeyFileError {
            throw error
        } catch {
            throw fault("upstream", "not a URL")
        }
        guard let role = Role(word: file.value("role", in: group)) else {
            throw fault("role", "not owner, member or guest")
        }
        let allowed = try WebService.devices("allow", file, group)
        let denied = try WebService.devices("deny", file, group)
        guard let rights = ServiceRights(role: role, allowed: allowed, denied: denied) else {
            throw fault("deny", "a device is named twice")
        }
        self.rights = rights
        let word = file.value("host", in: group) ?? ServiceRule.HostField.kept.rawValue
        guard let host = ServiceRule.HostField(rawValue: word) else {
            throw fault("host", "not kept or server")
        }
        self.host = host
        let words = file.value("forwarded", in: group)?.split(separator: " ") ?? []
        told = words.compactMap { ServiceRule.Told(rawValue: String($0)) }
        guard told.count == words.count, Set(told).count == told.count else {
            throw fault("forwarded", "not x-forwarded or forwarded, each once")
        }
        let digits = file.value("max-body", in: group)
        maximumBody = digits.flatMap { Int(digits: $0) }
        guard maximumBody.map(WebServices.bodySizes.contains) ?? (digits == nil) else {
            throw fault("max-body", "not a number of bytes")
        }
        // A newer version may know more of them.
        kind = file.value("kind", in: group).flatMap { ServiceKind(rawValue: $0) } ?? .plain
        switch file.value("announced", in: group) {
        case "yes"?: isAnnounced = true
        case "no"?, nil: break
        default: throw fault("announced", "not yes or no")
        }
    }

    private static func devices(
        _ key: String, _ file: KeyFile, _ group: String
    ) throws(KeyFileError) -> [Fingerprint] {
        let words = file.value(key, in: group)?.split(separator: " ") ?? []
        let devices = words.compactMap { Fingerprint(String($0)) }
        guard devices.count == words.count, devices.count <= WebServices.maximumExceptionCount else {
            throw .invalidValue(
                "not at most \(WebServices.maximumExceptionCount) fingerprints", key: key, group: group)
        }
        return devices
    }

    fileprivate var pairs: [(key: String, value: String)] {
        var pairs = [("name", name.description), ("upstream", upstream.text), ("role", rights.role.rawValue)]
        for (key, devices) in [("allow", rights.allowed), ("deny", rights.denied)] where !devices.isEmpty {
            pairs.append((key, devices.map(\.description).joined(separator: " ")))
        }
        if host != .kept { pairs.append(("host", host.rawValue)) }
        if !told.isEmpty { pairs.append(("forwarded", told.map(\.rawValue).joined(separator: " "))) }
        if let maximumBody { pairs.append(("max-body", String(maximumBody))) }
        if kind != .plain { pairs.append(("kind", kind.rawValue)) }
        if isAnnounced { pairs.append(("announced", "yes")) }
        return pairs.map { (key: $0.0, value: $0.1) }
    }

    var rule: ServiceRule {
        ServiceRule(
            port: port, rights: rights, host: host, told: told, isTLS: upstream.isTLS,
            authority: upstream.authority)
    }
}
