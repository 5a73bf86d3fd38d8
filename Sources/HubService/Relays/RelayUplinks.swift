import GatewayRules
import NIOCore
import NIOSSL
import Pairing
import PinnedTLS

/// The hub's connections to its relays: one ``RelayUplink`` for each relay of the file `ways`. Used on one
/// event loop.
final class RelayUplinks {
    private let identity: TLSIdentity
    private let loop: ServeLoop
    private let log: ServeLog
    /// The certificate for public names; nil: none.
    private var certificate: [UInt8]?
    private var uplinks: [(relay: HubWays.Relay, uplink: RelayUplink)] = []

    init(_ identity: TLSIdentity, loop: ServeLoop, log: ServeLog) {
        (self.identity, self.loop, self.log) = (identity, loop, log)
    }

    /// Connects to these relays, and to no others.
    func keep(_ relays: [HubWays.Relay]) {
        for (relay, uplink) in uplinks where !relays.contains(relay) { uplink.end() }
        uplinks.removeAll { !relays.contains($0.relay) }
        for relay in relays where !uplinks.contains(where: { $0.relay == relay }) {
            do {
                let uplink = RelayUplink(relay, on: loop, try context(), log: log)
                uplink.show(certificate)
                uplinks.append((relay, uplink))
                uplink.begin()
            } catch {
                log.error("cannot use the relay \(relay.name): \(error)")
            }
        }
    }

    /// Shows the relays the certificate for public names, so that they let its callers through.
    func show(_ certificate: [UInt8]?) {
        guard certificate != self.certificate else { return }
        self.certificate = certificate
        for (_, uplink) in uplinks { uplink.show(certificate) }
    }

    private func context() throws -> NIOSSLContext {
        var configuration = try identity.clientConfiguration()
        configuration.applicationProtocols = [RelayWire.applicationProtocol]
        configuration.shutdownTimeout = .milliseconds(200)
        return try NIOSSLContext(configuration: configuration)
    }
}
