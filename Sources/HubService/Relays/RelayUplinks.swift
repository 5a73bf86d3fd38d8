import FoundationEssentials
import GatewayRules
import NIOCore
import NIOSSL
import Pairing
import PinnedTLS

/// The hub's connections to its relays: one ``RelayUplink`` for each relay of the file `ways`, and each key
/// that the hub shows. Used on one event loop.
final class RelayUplinks {
    private let keys: [TLSIdentity]
    /// By which the key before names that of today: a relay that has admitted that one admits this one.
    private let statement: KeyStatement?
    private let loop: ServeLoop
    private let log: ServeLog
    /// The certificate for public names; nil: none.
    private var certificate: [UInt8]?
    private var uplinks: [(relay: HubWays.Relay, key: Pin, uplink: RelayUplink)] = []

    /// - Parameter keys: the hub's key first.
    init(_ keys: [TLSIdentity], _ statement: KeyStatement?, loop: ServeLoop, log: ServeLog) {
        (self.keys, self.statement, self.loop, self.log) = (keys, statement, loop, log)
    }

    /// Connects to these relays, and to no others.
    func keep(_ relays: [HubWays.Relay]) {
        for (relay, _, uplink) in uplinks where !relays.contains(relay) { uplink.end() }
        uplinks.removeAll { !relays.contains($0.relay) }
        for relay in relays where !uplinks.contains(where: { $0.relay == relay }) {
            do {
                for key in keys {
                    let uplink = RelayUplink(relay, on: loop, try context(of: key), log: log)
                    uplink.show(certificate(of: key.pin))
                    uplinks.append((relay, key.pin, uplink))
                    uplink.begin()
                }
            } catch {
                log.error("cannot use the relay \(relay.name): \(error)")
            }
        }
    }

    /// Shows the relays the certificate for public names, so that they let its callers through.
    func show(_ certificate: [UInt8]?) {
        guard certificate != self.certificate else { return }
        self.certificate = certificate
        for (_, key, uplink) in uplinks { uplink.show(self.certificate(of: key)) }
    }

    /// The certificate for public names, if it is of this key or there is no other: a relay says what is
    /// wrong with it.
    private func certificate(of key: Pin) -> [UInt8]? {
        guard keys.count > 1, let certificate else { return certificate }
        return (try? InstalledCertificate(certificate, of: key)) == nil ? nil : certificate
    }

    private func context(of key: TLSIdentity) throws -> NIOSSLContext {
        var configuration = try key.clientConfiguration()
        if let statement, statement.new == key.pin {
            let pem = try key.leafPEM(
                names: [], addresses: [], now: Date(), added: statement.certificateExtension)
            configuration.certificateChain = [
                .certificate(try NIOSSLCertificate(bytes: Array(pem.utf8), format: .pem))
            ]
        }
        configuration.applicationProtocols = [RelayWire.applicationProtocol]
        configuration.shutdownTimeout = .milliseconds(200)
        return try NIOSSLContext(configuration: configuration)
    }
}
