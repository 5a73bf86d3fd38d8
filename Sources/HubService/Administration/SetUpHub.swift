package import Addresses
import Glibc
package import Household
package import Pairing
import PinnedTLS

/// Sets a hub up: its key and certificate, its empty keyfile, its settings.
///
/// The settings are written last, so that a set-up that was interrupted is taken up where it stopped, with
/// the same key. A complete hub is never changed, except for what can be made again without letting anybody
/// in: the certificate from the key, and the file of codes, without a code.
package struct SetUpHub {
    /// What `setup` was told; nil where it was told nothing.
    package struct Wishes: Sendable {
        package var name: PeerName?
        package var port: UInt16?
        /// The upstream, or in it nil for none.
        package var upstream: Upstream??
        /// The addresses to listen on; empty: all.
        package var listen: [NetworkAddress]?
        /// Where the house is, or in it nil to forget it.
        package var place: Place??
        /// The program that runs for each message, or in it nil for none.
        package var hook: String??

        package init(
            name: PeerName? = nil, port: UInt16? = nil, upstream: Upstream?? = nil,
            listen: [NetworkAddress]? = nil, place: Place?? = nil, hook: String?? = nil
        ) {
            self.name = name
            self.port = port
            self.upstream = upstream
            self.listen = listen
            self.place = place
            self.hook = hook
        }

        /// The settings that come of these wishes.
        func settings(besides present: HubSettings) -> HubSettings {
            HubSettings(
                name: name ?? present.name, port: port ?? present.port,
                upstream: upstream ?? present.upstream,
                listen: listen ?? present.listen, place: place ?? present.place,
                hook: hook ?? present.hook
            ).with(handwritten: present)
        }
    }

    package static let defaultPort: UInt16 = 8000

    /// What a set-up came to.
    package enum Outcome: Equatable, Sendable {
        /// The hub was made.
        case made
        /// There was a hub, and nothing was changed.
        case present
        /// There was a hub, and these files of it were made again.
        case mended([Part])
    }

    /// What is made again.
    package enum Part: Equatable, Sendable {
        /// It was missing, or of another key.
        case certificate
        /// They were gone: no code from before is good any more.
        case tickets
    }

    private let wishes: Wishes
    private let defaultName: PeerName
    private let state: HubState

    /// - Parameter defaultName: the hub's name if none is wished for.
    package init(_ wishes: Wishes, defaultName: PeerName, state: HubState) {
        (self.wishes, self.defaultName, self.state) = (wishes, defaultName, state)
    }

    /// - Returns: the hub, and what was done.
    package func run() throws -> (hub: Hub, outcome: Outcome) {
        try SetUpHub.checkName(wishes.name, in: state)
        let settings = wishes.settings(
            besides: HubSettings(name: defaultName, port: SetUpHub.defaultPort, upstream: nil))
        if (try? HubState.settings(in: state.open())) == nil {
            try SetUpHub.checkServable(settings)
            if let port = wishes.port {
                try ServedPort.checkPermitted(port)
                // Without a wish a stock hub may have it, and moves afterwards.
                guard ServedPort(port, listen: settings.listen).isServed() != true else {
                    throw HubError.portTaken(port, present: nil)
                }
            }
            try checkHook()
        }
        let directory = try openOrMake()
        return try directory.withLock { directory in
            if try HubState.settings(in: directory) != nil {
                let hub = try HubState.hub(in: directory)
                try SetUpHub.check(wishes, against: hub.settings, state)
                _ = try HubState.existing(
                    ApprovedDevices.fileName, in: directory, ApprovedDevices.init(parsing:))
                var mended: [Part] = []
                if try SetUpHub.ensureTickets(in: directory) { mended.append(.tickets) }
                if try SetUpHub.ensureCertificate(of: SetUpHub.identity(in: directory), in: directory) {
                    mended.append(.certificate)
                }
                return (hub, mended.isEmpty ? .present : .mended(mended))
            }
            let identity = try SetUpHub.identity(in: directory)
            try SetUpHub.ensureCertificate(of: identity, in: directory)
            if try HubState.devices(in: directory) == nil {
                try directory.create(ApprovedDevices.fileName, with: ApprovedDevices().serialized)
            }
            try SetUpHub.ensureTickets(in: directory)
            HubState.keepRoom(in: directory)
            try directory.create(HubSettings.fileName, with: settings.serialized)
            return (Hub(settings: settings, pin: identity.pin, statePath: state.path), .made)
        }
    }

    private func openOrMake() throws -> ProtectedDirectory {
        if access(state.path, F_OK) == 0 { return try state.open() }
        return try state.make()
    }

    /// Tries what a changed hub would need, before anything is written: a port that is free, and a server
    /// behind it that answers. The present one is not asked: the hub may be asking it just now.
    ///
    /// - Parameter isOwn: whether it is this hub itself that serves on a port.
    package func tryOut(isOwn: (UInt16) async -> Bool) async throws {
        let hub = try state.open().withLock { directory in try HubState.hub(in: directory) }
        let (present, settings) = (hub.settings, wishes.settings(besides: hub.settings))
        try SetUpHub.checkServable(settings)
        if let port = wishes.port { try ServedPort.checkPermitted(port) }
        if settings.port != present.port,
            ServedPort(settings.port, listen: settings.listen).isServed() == true,
            await !isOwn(settings.port)
        {
            throw HubError.portTaken(settings.port, present: present.port)
        }
        if let upstream = settings.upstream,
            present.upstream.map({ !upstream.isSameServer(as: $0) }) ?? true,
            case .silent(let reason) = try await RecognizeUpstream(settings, pin: hub.pin).run()
        {
            throw HubError.upstreamSilent(
                upstream.text, reason: reason, present: present.upstreamWords)
        }
    }

    /// Puts settings back that were changed a moment ago.
    package func restore(_ settings: HubSettings) throws {
        try state.open().withLock { directory in
            guard let bytes = try directory.read(HubSettings.fileName) else { return }
            try directory.replace(HubSettings.fileName, with: settings.serialized(in: bytes))
        }
    }

    /// Changes the settings of a hub that is set up as wished, and nothing else. A hub that serves goes on
    /// with those from before until it starts again.
    ///
    /// - Returns: the hub as it is now, and its settings from before.
    package func change() throws -> (hub: Hub, before: HubSettings) {
        try SetUpHub.checkName(wishes.name, in: state)
        return try state.open().withLock { directory in
            let hub = try HubState.hub(in: directory)
            let settings = wishes.settings(besides: hub.settings)
            try SetUpHub.checkServable(settings)
            try checkHook()
            if settings != hub.settings, let bytes = try directory.read(HubSettings.fileName) {
                try directory.replace(HubSettings.fileName, with: settings.serialized(in: bytes))
            }
            return (Hub(settings: settings, pin: hub.pin, statePath: hub.statePath), hub.settings)
        }
    }

    /// Refuses what `serve` would not start with.
    private static func checkServable(_ settings: HubSettings) throws(HubError) {
        let own = LocalNetwork.current().map(\.address)
        if let upstream = settings.upstream,
            upstream.isHub(onPort: settings.port, listen: settings.listen, own: own)
        {
            throw .upstreamIsHub(upstream.text)
        }
        for address in settings.listen where !address.isUnspecified && !address.isLoopback {
            guard own.contains(where: { $0.bytes == address.bytes }) else { throw .noSuchAddress(address) }
        }
    }

    /// Refuses a hook that the hub would not run.
    private func checkHook() throws {
        guard let hook = wishes.hook ?? nil else { return }
        try HookTrust.check(hook, user: state.hookUser)
        guard access(hook, X_OK) == 0 else { throw HookError.system(errno, path: hook) }
    }

    /// The identity that an interrupted set-up left, else a new one. A keyfile that knows devices but has
    /// no key beside it is no new hub: its key was lost, and a new one would hide that.
    private static func identity(in directory: borrowing ProtectedDirectory) throws -> TLSIdentity {
        if let identity = try HubState.identity(in: directory) { return identity }
        guard try HubState.devices(in: directory)?.devices.isEmpty ?? true else {
            throw HubError.missingKey(path: directory.path(of: HubState.keyFileName))
        }
        let identity = TLSIdentity.random()
        try directory.create(HubState.keyFileName, with: Array(identity.keyPEM.utf8))
        return identity
    }

    /// Makes the certificate if it is missing, unreadable, of another key, or not limited to servers of a
    /// home, as in version 0.1: only its key counts, and that is there. The one before stays as `.bak`.
    ///
    /// - Returns: true if it was made.
    @discardableResult
    static func ensureCertificate(
        of identity: TLSIdentity, in directory: borrowing ProtectedDirectory
    ) throws -> Bool {
        if let bytes = try directory.read(HubState.certificateFileName),
            identity.isHubCertificate(bytes)
        {
            return false
        }
        try directory.replace(HubState.certificateFileName, with: Array(identity.hubCertificatePEM().utf8))
        return true
    }

    /// Makes the file of codes if it is missing; one with a fault is left, and told.
    ///
    /// - Returns: true if it was made.
    @discardableResult
    private static func ensureTickets(in directory: borrowing ProtectedDirectory) throws -> Bool {
        guard try HubState.tickets(in: directory) == nil else { return false }
        try directory.create(Tickets.fileName, with: Tickets().serialized)
        return true
    }

    /// A name that breaks a rule for new ones is refused, unless the hub has it from an earlier version: a
    /// set-up that is run again changes nothing.
    private static func checkName(_ name: PeerName?, in state: HubState) throws {
        guard let name else { return }
        do {
            _ = try PeerName(name.description)
        } catch {
            let present = try? HubState.settings(in: state.open())
            guard present?.name == name else { throw error }
        }
    }

    private static func check(_ wishes: Wishes, against settings: HubSettings, _ state: HubState)
        throws(HubError)
    {
        func refuse(_ asked: String, _ present: String, _ option: String) throws(HubError) {
            throw .otherSettings(asked: asked, present: present, options: option + state.argument)
        }
        if let name = wishes.name, name != settings.name {
            try refuse(
                "\"\(name)\"", "the name \"\(settings.name)\"", "--name \(shellQuoted(name.description))")
        }
        if let port = wishes.port, port != settings.port {
            try refuse("\(port)", "the port \(settings.port)", "--port \(port)")
        }
        if let upstream = wishes.upstream, upstream != settings.upstream {
            let text = upstream?.text ?? "none"
            try refuse(text, settings.upstreamWords, "--upstream \(shellQuoted(text))")
        }
        if let listen = wishes.listen, listen != settings.listen {
            let options = listen.isEmpty ? ["all"] : listen.map(\.description)
            try refuse(
                HubSettings.words(of: listen), "its port on \(HubSettings.words(of: settings.listen))",
                options.map { "--listen \($0)" }.joined(separator: " "))
        }
        if let place = wishes.place, place != settings.place {
            let text = place?.description ?? "none"
            try refuse(
                "the place \(text)", settings.place.map { "the place \($0)" } ?? "no place",
                "--place \(shellQuoted(text))")
        }
        if let hook = wishes.hook, hook != settings.hook {
            let path = hook ?? "none"
            try refuse(
                "the hook \(path)", settings.hook.map { "the hook \($0)" } ?? "no hook",
                "--hook \(shellQuoted(path))")
        }
    }
}

extension HubSettings {
    /// `the upstream https://127.0.0.1:8443`, `no upstream`.
    package var upstreamWords: String { upstream.map { "the upstream \($0.text)" } ?? "no upstream" }

    /// `192.168.1.20 and fd77::1`, `all addresses`.
    package static func words(of listen: [NetworkAddress]) -> String {
        listen.isEmpty ? "all addresses" : listen.map(\.description).joined(separator: " and ")
    }
}
