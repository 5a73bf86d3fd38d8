import Addresses
import FoundationEssentials
import NIOCore
import NIOSSL
import PinnedTLS
import Synchronization

/// What the hub shows in TLS: a certificate with its names and addresses, and above it the one that a person
/// can tell a browser to trust. Both have the hub's key, so nothing changes for who goes by its pin.
///
/// The lower one is made in memory, and again when the addresses change or it grows old.
final class ServedCertificate: Sendable {
    /// How often the addresses and the time are looked at.
    private static let interval = Duration.seconds(60)
    /// It is made again when it has less than this left, in seconds.
    private static let margin: Double = 30 * 86_400

    private struct Current {
        var context: NIOSSLContext
        var names: [String]
        var addresses: [NetworkAddress]
        var made: Date
    }

    private let identity: TLSIdentity
    private let authority: [UInt8]
    private let hosts: [String]
    private let current: Mutex<Current>

    /// - Parameters:
    ///   - authority: the upper certificate in PEM.
    ///   - hosts: the names and addresses that the machine does not know of.
    init(_ identity: TLSIdentity, authority: [UInt8], hosts: [String], now: Date = Date()) throws {
        (self.identity, self.authority, self.hosts) = (identity, authority, hosts)
        current = Mutex(try ServedCertificate.make(identity, authority, hosts, now))
    }

    /// The context for a new connection.
    var context: NIOSSLContext { current.withLock { $0.context } }

    /// Looks whether it has to be made again, until the task is cancelled.
    func run(_ log: ServeLog) async {
        while (try? await Task.sleep(for: ServedCertificate.interval)) != nil {
            do {
                if try renew(now: Date()) {
                    log.info("made the certificate again, with this host's addresses")
                }
            } catch {
                log.notice("cannot make the certificate again: \(error)")
            }
        }
    }

    /// - Returns: true if it was made again.
    func renew(now: Date) throws -> Bool {
        let (names, addresses) = ServedCertificate.hosts(hosts)
        let isGood = current.withLock { current in
            let age = now.timeIntervalSince(current.made)
            return names == current.names && addresses == current.addresses && age >= 0
                && age < TLSIdentity.leafLifetime - ServedCertificate.margin
        }
        guard !isGood else { return false }
        let new = try ServedCertificate.make(identity, authority, hosts, now)
        current.withLock { $0 = new }
        return true
    }

    private static func make(
        _ identity: TLSIdentity, _ authority: [UInt8], _ hosts: [String], _ now: Date
    ) throws -> Current {
        let (names, addresses) = ServedCertificate.hosts(hosts)
        let leaf = try identity.leafPEM(names: names, addresses: addresses, now: now)
        var configuration = try identity.serverConfiguration(chain: [Array(leaf.utf8), authority])
        // The time for a client to answer TLS's close_notify; nothing depends on the answer.
        configuration.shutdownTimeout = .seconds(1)
        return Current(
            context: try NIOSSLContext(configuration: configuration), names: names, addresses: addresses,
            made: now)
    }

    /// The names and addresses of the hub, in one order.
    private static func hosts(_ more: [String]) -> (names: [String], addresses: [NetworkAddress]) {
        let given = more.compactMap { NetworkAddress($0) }
        let loopback = ["127.0.0.1", "::1"].compactMap { NetworkAddress($0) }
        let own = LocalNetwork.current().map(\.address)
        let addresses = Dictionary((loopback + own + given).map { ($0.bytes, $0) }) { first, _ in first }
        let names = [HubHosts.localName, "localhost"] + more.filter { NetworkAddress($0) == nil }
        return (
            Array(Set(names.map { $0.lowercased() })).sorted(),
            addresses.values.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        )
    }
}
