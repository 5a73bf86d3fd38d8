import Addresses
import FoundationEssentials
import GatewayRules
import HubService
import Identity
import NIOCore
import Pairing
import PinnedTLS

/// Who is connected to the relay: the hubs with their spare connections, and the callers. Used on one event
/// loop.
final class RelayBoard {
    /// One admitted hub, while it is connected or has callers.
    final class Hub {
        let pin: Pin
        let name: String
        var control: (any Channel)?
        var spares: [any Channel] = []
        var waiting: CircularBuffer<CallerHandler> = []
        /// The oldest first.
        var splices: [Splice] = []
        var since = Date()
        var byteCount: UInt64 = 0
        var budget: ByteBudget

        init(_ pin: Pin, _ name: String, rate: Int) {
            (self.pin, self.name) = (pin, name)
            budget = ByteBudget(rate: rate, now: NIODeadline.now().uptimeNanoseconds)
        }
    }

    let limits: RelayLimits
    let log: ServeLog
    let own: Fingerprint
    private let register: DeviceRegister
    private let logsAddresses: Bool
    private(set) var hubs: [Fingerprint: Hub] = [:]
    private var connections = 0
    private var connectionsOfSource: [SourcePrefix: Int] = [:]
    private var hasChanged = true
    private var names = RelayNames()
    private let files: RelayDirectory
    private let grants: GrantsReader
    private let roots: PublicRoots

    init(
        own: Fingerprint, files: RelayDirectory, roots: PublicRoots, register: DeviceRegister,
        limits: RelayLimits, logsAddresses: Bool, log: ServeLog, on eventLoop: any EventLoop
    ) {
        (self.files, self.roots) = (files, roots)
        grants = GrantsReader(files, on: eventLoop)
        (self.own, self.register, self.limits, self.log) = (own, register, limits, log)
        self.logsAddresses = logsAddresses
    }

    // MARK: Connections of strangers

    /// Counts a connection; false if there are too many.
    func admit(_ source: SourcePrefix) -> Bool {
        guard connections < limits.connections, connectionsOfSource[source, default: 0] < limits.perCaller
        else {
            log.warning(.limit, "closed a connection: there are too many")
            return false
        }
        connections += 1
        connectionsOfSource[source, default: 0] += 1
        return true
    }

    /// Ends what ``admit(_:)`` has counted.
    ///
    /// - Parameter isOpen: true if the connection stays, as one of an admitted hub, and only its source is no
    ///   longer counted.
    func release(_ source: SourcePrefix, isOpen: Bool = false) {
        if !isOpen { connections -= 1 }
        guard let count = connectionsOfSource[source] else { return }
        connectionsOfSource[source] = count > 1 ? count - 1 : nil
    }

    func closed() { connections -= 1 }

    // MARK: Hubs

    /// The name of an admitted hub; nil if it is none, or not any more.
    func admitted(_ pin: Pin) -> String? {
        guard let device = try? register.device(pin), device.verdict(at: Date()) == .approved else {
            return nil
        }
        return device.name.description
    }

    /// Admits the key that an admitted one names, with its name and the names that were given to it. The old
    /// one stays until its term is over.
    func adopt(_ statement: KeyStatement, on loop: any EventLoop) {
        let board = NIOLoopBound(self, eventLoop: loop)
        let (files, old, new) = (files, statement.old.fingerprint, statement.new.fingerprint)
        Task.detached {
            do {
                let isNew = try files.adopt(statement, now: .now)
                loop.execute {
                    if isNew { board.value.log.notice("the hub \(old) has the new key \(new) now") }
                }
            } catch {
                loop.execute {
                    board.value.log.warning(
                        .fault, "cannot admit the new key of the hub \(old): \(describing(error))")
                }
            }
        }
    }

    private func hub(_ pin: Pin, _ name: String) -> Hub {
        if let hub = hubs[pin.fingerprint] { return hub }
        let hub = Hub(pin, name, rate: limits.hubRate)
        hubs[pin.fingerprint] = hub
        return hub
    }

    /// A hub's control connection: it replaces an older one, whose spare connections are of no use any more.
    func control(_ channel: any Channel, of pin: Pin, _ name: String) {
        let hub = hub(pin, name)
        let old = [hub.control].compactMap(\.self) + hub.spares
        (hub.control, hub.spares, hub.since) = (channel, [], Date())
        for channel in old { channel.close(promise: nil) }
        hasChanged = true
        log.info("the hub \(name) (\(pin.fingerprint)) is connected")
        if !hub.waiting.isEmpty { ask(hub) }
    }

    /// A spare connection: it goes to the caller that has waited longest.
    func spare(_ channel: any Channel, of pin: Pin, _ name: String) {
        let hub = hub(pin, name)
        guard hub.control != nil, hub.spares.count < limits.spares else { return channel.close(promise: nil) }
        while let caller = hub.waiting.popFirst() {
            if caller.take(channel, of: hub) { return }
        }
        hub.spares.append(channel)
    }

    func gone(_ channel: any Channel, of pin: Pin) {
        guard let hub = hubs[pin.fingerprint] else { return }
        hub.spares.removeAll { $0 === channel }
        guard hub.control === channel else { return }
        hub.control = nil
        hub.since = Date()
        hasChanged = true
        for spare in hub.spares { spare.close(promise: nil) }
        hub.spares = []
        log.info("the hub \(hub.name) (\(pin.fingerprint)) is not connected any more")
        for caller in hub.waiting { caller.close() }
        hub.waiting = []
        forgetIfIdle(hub)
    }

    // MARK: Names

    /// The hub that a caller wants.
    func hub(named name: String) -> Fingerprint? {
        Fingerprint(serverName: name) ?? names.holder(of: name, at: Date())
    }

    /// The hub that an authority's question is for: also one that has been given the name.
    func ask(for name: String, _ body: @escaping (Fingerprint?) -> Void) {
        guard Fingerprint(serverName: name) == nil else { return body(hub(named: name)) }
        grants.read { [self] grants in body(grants.hubs[name] ?? hub(named: name)) }
    }

    /// Takes a hub's proof of its public names, of which the relay holds the pin already.
    func prove(_ pem: [UInt8], by pin: Pin, on channel: any Channel) {
        guard !pem.isEmpty else {
            names.forget(pin.fingerprint)
            return tell(.taken, channel)
        }
        let certificate = try? InstalledCertificate(pem, of: pin)
        let board = NIOLoopBound(self, eventLoop: channel.eventLoop)
        Task { [roots] in
            let isBelieved: Bool
            if let certificate {
                isBelieved = await roots.vouch(for: certificate)
            } else {
                isBelieved = false
            }
            channel.eventLoop.execute {
                board.value.grants.read { grants in
                    board.value.take(isBelieved ? certificate : nil, by: pin, on: channel, grants.hubs)
                }
            }
        }
    }

    private func take(
        _ certificate: InstalledCertificate?, by pin: Pin, on channel: any Channel,
        _ grants: [String: Fingerprint]
    ) {
        // It may be gone, or another connection's proof may have come since.
        guard let hub = hubs[pin.fingerprint], hub.control === channel else { return }
        guard let certificate else {
            log.warning(.pairing, "does not believe the certificate of the hub \(hub.name)")
            return tell(.notBelieved, channel)
        }
        let names = certificate.names.filter { grants[$0] == nil || grants[$0] == pin.fingerprint }
        self.names.prove(names, by: pin.fingerprint, from: certificate.begins, until: certificate.ends)
        guard !names.isEmpty else {
            log.warning(.pairing, "the names of the hub \(hub.name) are given to other hubs")
            return tell(.givenToOthers, channel)
        }
        log.info("the hub \(hub.name) has proved to be \(names.joined(separator: ", "))")
        tell(.taken, channel)
    }

    private func tell(_ verdict: RelayWire.Verdict, _ channel: any Channel) {
        channel.writeAndFlush(ByteBuffer(bytes: [RelayWire.proof, verdict.rawValue]), promise: nil)
    }

    // MARK: Callers

    /// Connects a caller with its hub, now or as soon as that sends another connection.
    func call(_ fingerprint: Fingerprint, _ caller: CallerHandler) {
        guard let hub = hubs[fingerprint], hub.control != nil, admitted(hub.pin) != nil else {
            return caller.close()
        }
        if hub.splices.count >= limits.perHub, !makeRoom(in: hub, for: caller.source) {
            return caller.close()
        }
        while let spare = hub.spares.popLast() {
            if spare.isActive, caller.take(spare, of: hub) { return }
        }
        guard hub.waiting.count < limits.spares else { return caller.close() }
        hub.waiting.append(caller)
        ask(hub)
    }

    func leave(_ caller: CallerHandler, _ fingerprint: Fingerprint) {
        hubs[fingerprint]?.waiting.removeAll { $0 === caller }
    }

    private func ask(_ hub: Hub) {
        let count = UInt8(min(hub.waiting.count, 255))
        hub.control?.writeAndFlush(ByteBuffer(bytes: [RelayWire.waiting, count]), promise: nil)
    }

    /// At its limit the source with the most connections gives up its oldest, unless that is the caller's
    /// own: then the caller is refused. So one stranger cannot keep the others out.
    private func makeRoom(in hub: Hub, for source: SourcePrefix) -> Bool {
        var counts: [SourcePrefix: Int] = [:]
        for splice in hub.splices { counts[splice.source, default: 0] += 1 }
        guard let most = counts.max(by: { $0.value < $1.value }), most.value > counts[source, default: 0],
            let oldest = hub.splices.first(where: { $0.source == most.key })
        else { return false }
        oldest.close()
        return true
    }

    func begin(_ splice: Splice) {
        splice.hub.splices.append(splice)
        hasChanged = true
    }

    func end(_ splice: Splice) {
        splice.hub.splices.removeAll { $0 === splice }
        let place = logsAddresses ? " from \(splice.source)" : ""
        log.info(
            "\(splice.hub.name): a caller\(place) for \(splice.age.words), \(splice.byteCount) bytes")
        forgetIfIdle(splice.hub)
    }

    private func forgetIfIdle(_ hub: Hub) {
        // Those that are admitted stay, to say since when they are gone.
        guard hub.control == nil, hub.splices.isEmpty, admitted(hub.pin) == nil else { return }
        hubs[hub.pin.fingerprint] = nil
    }

    /// Closes what belongs to hubs that are not admitted any more.
    func sweep() {
        for hub in Array(hubs.values) where admitted(hub.pin) == nil {
            hub.control?.close(promise: nil)
            for spare in hub.spares { spare.close(promise: nil) }
            for splice in hub.splices { splice.close() }
            names.forget(hub.pin.fingerprint)
            log.notice("the hub \(hub.name) (\(hub.pin.fingerprint)) is not admitted any more")
        }
    }

    /// How the hubs stand, if that has changed since the last call.
    func news() -> [RelayStatus]? {
        let carries = hubs.values.contains { !$0.splices.isEmpty }
        guard hasChanged || carries else { return nil }
        hasChanged = false
        return status
    }

    var status: [RelayStatus] {
        hubs.values.map { hub in
            RelayStatus(
                hub: hub.pin.fingerprint, isConnected: hub.control != nil, since: hub.since,
                callers: hub.splices.count, byteCount: hub.byteCount)
        }.sorted { "\($0.hub)" < "\($1.hub)" }
    }
}
