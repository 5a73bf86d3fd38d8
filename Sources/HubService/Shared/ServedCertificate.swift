import Addresses
import FoundationEssentials
import GatewayRules
import NIOCore
import NIOSSL
import Pairing
import PinnedTLS
import Synchronization

/// What the hub shows in TLS: a certificate with its names and addresses, and above it the one that a person
/// can tell a browser to trust; or for a public name the one that the owner has installed. All have the hub's
/// key, so nothing changes for who goes by its pin.
///
/// Which one is shown depends on the name that the client asks for (SNI, RFC 6066 § 3), and without one on
/// the address that it has reached. The hub's own are made in memory, and again when its names change or they
/// grow old.
///
/// A hub whose key was changed shows the one before to who asks for that one's fingerprint, and at the public
/// name as long as the installed certificate is of that one. The hub's own certificates then have the
/// ``KeyStatement`` in them: whoever has pinned the key before learns of this one in the handshake.
final class ServedCertificate: Sendable {
    /// How often the time is looked at, and the addresses where the system does not tell of them.
    private static let interval = Duration.seconds(60)
    /// It is made again when it has less than this left, in seconds.
    private static let margin: Double = 30 * 86_400

    private struct Current {
        var names: HubNames
        var made: Date
        var home: [NIOSSLCertificateSource]
        var wide: [NIOSSLCertificateSource]
        var installed: InstalledCertificate?
        /// With the key before: the hub's own, and the installed one if it is of that key.
        var old: [NIOSSLCertificateSource] = []
        var oldInstalled: InstalledCertificate?
        /// The bytes of the file that it comes from.
        var file: [UInt8]?
    }

    /// What the callbacks of the contexts share with this object, which owns the contexts.
    private final class Chains: Sendable {
        let current: Mutex<Current>

        private let former: (pin: Pin, key: NIOSSLPrivateKey)?

        init(_ current: Current, former: (pin: Pin, key: NIOSSLPrivateKey)?) {
            self.current = Mutex(current)
            self.former = former
        }

        /// The chain with the key before, if that is meant by this name.
        func old(for name: String?) -> [NIOSSLCertificateSource]? {
            guard let former, let name else { return nil }
            if Fingerprint(serverName: name) == former.pin.fingerprint { return current.withLock { $0.old } }
            guard case .name(let name)? = WebHost(name) else { return nil }
            return current.withLock { current in
                current.oldInstalled.flatMap { $0.names.contains(name) ? $0.chain : nil }
            }
        }

        func override(for name: String?, elseBy leaf: HubNames.Leaf) -> NIOSSLContextConfigurationOverride {
            var override = NIOSSLContextConfigurationOverride()
            if let former, let chain = old(for: name) {
                override.certificateChain = chain
                override.privateKey = .privateKey(former.key)
            } else {
                override.certificateChain = chain(for: name, elseBy: leaf)
            }
            return override
        }

        private func chain(for name: String?, elseBy leaf: HubNames.Leaf) -> [NIOSSLCertificateSource] {
            let host = name.flatMap { WebHost($0) }
            return current.withLock { current in
                if case .name(let name)? = host, let installed = current.installed,
                    installed.names.contains(name)
                {
                    return installed.chain
                }
                return (host.flatMap(HubNames.leaf) ?? leaf) == .wide ? current.wide : current.home
            }
        }
    }

    private let keys: Keys
    private let authority: [UInt8]
    private let chains: Chains
    private let home: NIOSSLContext
    private let wide: NIOSSLContext

    /// The hub's key, the one before as long as it is shown, and what leads from that to this one.
    private struct Keys {
        let identity: TLSIdentity
        let old: TLSIdentity?
        let statement: KeyStatement?
    }

    /// - Parameters:
    ///   - authority: the upper certificate in PEM.
    ///   - installed: the file with the certificate for a public name.
    ///   - old: the key that the hub had before, if it is shown to who asks for it.
    init(
        _ identity: TLSIdentity, authority: [UInt8], names: HubNames, installed: [UInt8]? = nil,
        old: TLSIdentity? = nil, statement: KeyStatement? = nil, now: Date = Date()
    ) throws {
        keys = Keys(identity: identity, old: old, statement: statement)
        self.authority = authority
        let chains = Chains(
            try ServedCertificate.make(keys, authority, names, installed, now),
            former: try old.map {
                ($0.pin, try NIOSSLPrivateKey(bytes: Array($0.keyPEM.utf8), format: .pem))
            })
        self.chains = chains
        func context(_ leaf: HubNames.Leaf) throws -> NIOSSLContext {
            // One certificate: what the callback chooses takes its place, and does not stand beside it.
            var configuration = try identity.serverConfiguration()
            configuration.sslContextCallback = { values, promise in
                promise.succeed(chains.override(for: values.serverHostname, elseBy: leaf))
            }
            // The time for a client to answer TLS's close_notify; nothing depends on the answer.
            configuration.shutdownTimeout = .seconds(1)
            return try NIOSSLContext(configuration: configuration)
        }
        (home, wide) = (try context(.home), try context(.wide))
    }

    /// The pin of the key that the hub had before, if it is shown to who asks for it.
    var old: Pin? { keys.old?.pin }

    /// True if that one is shown to who asks for this name.
    func isOld(_ name: String) -> Bool { chains.old(for: name) != nil }

    /// The context for a new connection.
    ///
    /// - Parameter address: the one of this machine that the client has reached.
    func context(at address: NetworkAddress?) -> NIOSSLContext {
        address.flatMap { HubNames.leaf(of: WebHost($0)) } == .wide ? wide : home
    }

    /// Looks whether it has grown old, and at `names`, until the task is cancelled.
    func run(_ names: ServedNames, _ log: ServeLog) async {
        while (try? await Task.sleep(for: ServedCertificate.interval)) != nil {
            names.look()
            take(names.now, installed: names.installedFile, log)
        }
    }

    /// Makes what is not as the names say, and tells the log.
    ///
    /// - Parameter file: the file of the installed certificate; nil if there is none.
    func take(_ names: HubNames, installed file: [UInt8]?, _ log: ServeLog) {
        do {
            if try renew(names, installed: file, now: Date()) {
                log.info("made the certificate again, with this hub's names and addresses")
            }
        } catch {
            log.notice("cannot make the certificate again: \(error)")
        }
    }

    /// - Returns: true if it was made again.
    func renew(_ names: HubNames, installed file: [UInt8]? = nil, now: Date) throws -> Bool {
        let isGood = chains.current.withLock { current in
            let age = now.timeIntervalSince(current.made)
            return file == current.file
                && HubNames.Leaf.allCases.allSatisfy {
                    names.certified($0) == current.names.certified($0)
                } && age >= 0 && age < TLSIdentity.leafLifetime - ServedCertificate.margin
        }
        guard !isGood else { return false }
        let new = try ServedCertificate.make(keys, authority, names, file, now)
        chains.current.withLock { $0 = new }
        return true
    }

    private static func make(
        _ keys: Keys, _ authority: [UInt8], _ names: HubNames, _ file: [UInt8]?, _ now: Date
    ) throws -> Current {
        let (identity, old) = (keys.identity, keys.old)
        let added = keys.statement?.certificateExtension
        func leaf(_ identity: TLSIdentity, _ leaf: HubNames.Leaf) throws -> NIOSSLCertificateSource {
            let (names, addresses) = names.certified(leaf)
            let pem = try identity.leafPEM(names: names, addresses: addresses, now: now, added: added)
            return .certificate(try NIOSSLCertificate(bytes: Array(pem.utf8), format: .pem))
        }
        let upper = NIOSSLCertificateSource.certificate(try NIOSSLCertificate(bytes: authority, format: .pem))
        let home = [try leaf(identity, .home), upper]
        let (wideNames, wideAddresses) = names.certified(.wide)
        return Current(
            names: names, made: now, home: home,
            // A certificate for nothing would not be one.
            wide: wideNames.isEmpty && wideAddresses.isEmpty ? home : [try leaf(identity, .wide), upper],
            installed: file.flatMap { try? InstalledCertificate($0, of: identity.pin) },
            old: try old.map { [try leaf($0, .home)] } ?? [],
            oldInstalled: old.flatMap { old in file.flatMap { try? InstalledCertificate($0, of: old.pin) } },
            file: file)
    }
}
