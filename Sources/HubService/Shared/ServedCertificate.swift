import Addresses
import FoundationEssentials
import GatewayRules
import NIOCore
import NIOSSL
import PinnedTLS
import Synchronization

/// What the hub shows in TLS: a certificate with its names and addresses, and above it the one that a person
/// can tell a browser to trust; or for a public name the one that the owner has installed. All have the hub's
/// key, so nothing changes for who goes by its pin.
///
/// Which one is shown depends on the name that the client asks for (SNI, RFC 6066 § 3), and without one on
/// the address that it has reached. The hub's own are made in memory, and again when its names change or they
/// grow old.
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
        /// The bytes of the file that it comes from.
        var file: [UInt8]?
    }

    /// What the callbacks of the contexts share with this object, which owns the contexts.
    private final class Chains: Sendable {
        let current: Mutex<Current>

        init(_ current: Current) { self.current = Mutex(current) }

        func chain(for name: String?, elseBy leaf: HubNames.Leaf) -> [NIOSSLCertificateSource] {
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

    private let identity: TLSIdentity
    private let authority: [UInt8]
    private let chains: Chains
    private let home: NIOSSLContext
    private let wide: NIOSSLContext

    /// - Parameters:
    ///   - authority: the upper certificate in PEM.
    ///   - installed: the file with the certificate for a public name.
    init(
        _ identity: TLSIdentity, authority: [UInt8], names: HubNames, installed: [UInt8]? = nil,
        now: Date = Date()
    ) throws {
        (self.identity, self.authority) = (identity, authority)
        let chains = Chains(try ServedCertificate.make(identity, authority, names, installed, now))
        self.chains = chains
        func context(_ leaf: HubNames.Leaf) throws -> NIOSSLContext {
            // One certificate: what the callback chooses takes its place, and does not stand beside it.
            var configuration = try identity.serverConfiguration()
            configuration.sslContextCallback = { values, promise in
                var override = NIOSSLContextConfigurationOverride()
                override.certificateChain = chains.chain(for: values.serverHostname, elseBy: leaf)
                promise.succeed(override)
            }
            // The time for a client to answer TLS's close_notify; nothing depends on the answer.
            configuration.shutdownTimeout = .seconds(1)
            return try NIOSSLContext(configuration: configuration)
        }
        (home, wide) = (try context(.home), try context(.wide))
    }

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
        let new = try ServedCertificate.make(identity, authority, names, file, now)
        chains.current.withLock { $0 = new }
        return true
    }

    private static func make(
        _ identity: TLSIdentity, _ authority: [UInt8], _ names: HubNames, _ file: [UInt8]?, _ now: Date
    ) throws -> Current {
        let upper = NIOSSLCertificateSource.certificate(try NIOSSLCertificate(bytes: authority, format: .pem))
        func chain(_ leaf: HubNames.Leaf) throws -> [NIOSSLCertificateSource] {
            let (names, addresses) = names.certified(leaf)
            let pem = try identity.leafPEM(names: names, addresses: addresses, now: now)
            return [.certificate(try NIOSSLCertificate(bytes: Array(pem.utf8), format: .pem)), upper]
        }
        let home = try chain(.home)
        let (wideNames, wideAddresses) = names.certified(.wide)
        return Current(
            names: names, made: now, home: home,
            // A certificate for nothing would not be one.
            wide: wideNames.isEmpty && wideAddresses.isEmpty ? home : try chain(.wide),
            installed: file.flatMap { try? InstalledCertificate($0, of: identity.pin) }, file: file)
    }
}
