import Addresses
import Dispatch
import GatewayRules
import Pairing
import Synchronization

/// The names of the hub that serves, kept up to date: by the kernel when an address comes or goes, by
/// multicast DNS when it names the machine, by the hub's files when the owner changes them.
final class ServedNames: Sendable {
    private let state: HubState
    private let log: ServeLog
    private let current: Mutex<HubNames>
    private let file: Mutex<[UInt8]?>
    private let request: Mutex<CertificateRequest?>
    private let onChange = Callback<(HubNames, [UInt8]?)>()
    private let watch = Mutex<LinkWatch?>(nil)
    private let queue = DispatchQueue(label: "hubpair.names")

    /// - Parameter listen: the addresses that it listens on; empty: all.
    init(_ state: HubState, _ settings: HubSettings, listen: [NetworkAddress], log: ServeLog) throws {
        (self.state, self.log) = (state, log)
        let directory = try state.open()
        var sources = HubNames.Sources.current(settings, in: directory)
        file = Mutex(try? PublicCertificate.file(in: directory))
        request = Mutex(ServedNames.request(in: directory))
        sources.listen = listen
        current = Mutex(HubNames(sources))
    }

    var now: HubNames { current.withLock { $0 } }
    /// The file of the installed certificate.
    var installedFile: [UInt8]? { file.withLock { $0 } }
    /// What an authority may ask this machine for, if the owner has a certificate made.
    var certificateRequest: CertificateRequest? { request.withLock { $0 } }

    private static func request(in directory: borrowing ProtectedDirectory) -> CertificateRequest? {
        try? directory.read(CertificateRequest.fileName, CertificateRequest.init(parsing:))
    }

    /// True if it is the hub's. A name that it does not have is looked for in its files again only when they
    /// change; an address may have come this moment.
    func contains(_ host: WebHost) -> Bool {
        if current.withLock({ $0.contains(host) }) { return true }
        guard case .address = host else { return false }
        change { $0.networks = LocalNetwork.current() }
        return current.withLock { $0.contains(host) }
    }

    /// Calls `tell` with the names and the installed certificate whenever one of them changes, from now on.
    func start(_ tell: @escaping @Sendable (HubNames, [UInt8]?) -> Void) {
        onChange.observe { tell($0.0, $0.1) }
        let links = LinkWatch { [weak self] in self?.look() }
        if links == nil {
            log.notice("the system does not tell of new addresses: they are looked at every minute")
        }
        watch.withLock { $0 = links }
        // What came before the socket was there.
        look()
    }

    func stop() {
        watch.withLock { $0 = nil }
        onChange.observe(nil)
    }

    /// Reads the machine's names and the hub's files again.
    func look() {
        let settings: HubSettings? = try? HubState.settings(in: state.open())
        var isNewFile = false
        do {
            let directory = try state.open()
            let new = try PublicCertificate.file(in: directory)
            let asked = ServedNames.request(in: directory)
            request.withLock { $0 = asked }
            isNewFile = file.withLock { file in
                defer { file = new }
                return file != new
            }
        } catch {
            log.debug("cannot read the installed certificate: \(describing(error))")
        }
        change(isNewFile: isNewFile) { sources in
            sources.readMachine()
            if let settings, let directory = try? state.open() { sources.readFiles(settings, in: directory) }
        }
    }

    /// Takes what multicast DNS calls this machine, the name for people first.
    func announced(as names: [String]) {
        let names = AnnouncedNames(names.filter { HostName.isValid($0) })
        queue.async { [self] in
            do {
                let directory = try state.open()
                try directory.withLock { directory in
                    let before = try? directory.read(AnnouncedNames.fileName, AnnouncedNames.init(parsing:))
                    guard before != names else { return }
                    try directory.replace(AnnouncedNames.fileName, with: names.serialized)
                }
            } catch {
                // Others go by the machine's own name then.
                log.debug("cannot write down what this machine is called: \(describing(error))")
            }
            change { $0.announced = names.names }
        }
    }

    private func change(isNewFile: Bool = false, _ body: (inout HubNames.Sources) -> Void) {
        let changed = current.withLock { names -> HubNames? in
            var sources = names.sources
            body(&sources)
            guard isNewFile || sources != names.sources else { return nil }
            names = HubNames(sources)
            return names
        }
        guard let changed else { return }
        onChange.tell((changed, installedFile))
    }
}
