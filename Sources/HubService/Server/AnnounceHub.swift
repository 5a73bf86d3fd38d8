import Crypto
import Discovery
import Pairing

/// Announces a hub: over mDNS as a service, over UDP by answering probes. The hub works without either: a
/// failure is only logged.
final class AnnounceHub: Sendable {
    private let publishing: Task<Void, Never>
    private let responding: Task<Void, Never>
    private let watching: Task<Void, Never>
    private let twins: Task<Void, Never>
    private let services: Task<Void, Never>
    private let changes: AsyncStream<Void>.Continuation

    /// Starts at once; throws `DiscoveryError` if no thread is available.
    ///
    /// - Parameter services: the web services to announce beside the hub.
    init(
        _ hub: Hub, key: P256.Signing.PrivateKey, port: UInt16, state: HubState, names: ServedNames,
        services: AsyncStream<[WebService]>, log: ServeLog
    ) throws {
        let publisher = try HubPublisher(
            HubAnnouncement(
                name: hub.settings.name, port: port, id: hub.pin.fingerprint, was: hub.old?.fingerprint))
        let isOpen = AnnounceHub.openCodes(state, at: .now, log).isOpen
        let responder = try ProbeResponder(
            name: hub.settings.name, port: port, key: key, isPairingOpen: isOpen)
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        changes = continuation
        publishing = Task {
            await publisher.run { event in
                if case .hosts(let hosts, _) = event { names.announced(as: hosts) }
                AnnounceHub.tell(event, log)
            }
        }
        let id = hub.pin.fingerprint
        self.services = Task {
            for await services in services {
                await publisher.announce(
                    services.map { WebAnnouncement(name: $0.name, port: $0.port, id: id) })
            }
        }
        responding = Task {
            do {
                try await responder.run { event in
                    if case .listening = event { log.info("answers hubpair's probes over UDP") }
                }
            } catch {
                log.notice("does not answer probes over UDP: \(error)")
            }
        }
        let pins = [hub.pin] + [hub.old].compactMap(\.self)
        twins = Task { await TwinWatch(pins: pins, site: state.site, log: log).run() }
        watching = Task {
            // A code that is used or expires ends the state "open for pairing"; only using it changes a file.
            let expiry = AnnounceHub.Alarm { continuation.yield() }
            continuation.yield()
            for await _ in stream {
                let codes = AnnounceHub.openCodes(state, at: .now, log)
                await responder.setPairingOpen(codes.isOpen)
                expiry.set(codes.nextExpiry)
            }
            expiry.set(nil)
        }
    }

    /// Withdraws the announcement, and returns when that is done.
    func stop() async {
        changes.finish()
        publishing.cancel()
        responding.cancel()
        twins.cancel()
        services.cancel()
        await publishing.value
        await responding.value
        await twins.value
        await watching.value
    }

    /// Checks the codes again soon.
    func codesMayHaveChanged() { changes.yield() }

    /// Whether a once code is valid now, and in how many seconds the next of them expires.
    private static func openCodes(
        _ state: HubState, at now: Moment, _ log: ServeLog
    ) -> (isOpen: Bool, nextExpiry: Double?) {
        let tickets: Tickets
        do {
            tickets = try HubState.tickets(in: state.open()) ?? Tickets()
        } catch {
            log.warning(.fault, "nobody can pair until this is mended: \(describing(error))")
            return (false, nil)
        }
        let codes = OpenCodes.look(tickets, in: state, at: now)
        return (codes.isOpen, codes.nextLook)
    }

    private static func tell(_ event: HubPublisher.Event, _ log: ServeLog) {
        switch event {
        case .published(let name, .daemon): log.info("announced over mDNS as \"\(name)\", by avahi-daemon")
        case .published(let name, .embedded):
            log.info("announced over mDNS as \"\(name)\", by this process, without avahi-daemon")
        case .webPublished(let service, let name):
            log.info("the service on port \(service.port) is announced over mDNS as \"\(name)\"")
        case .webUnavailable(let service, let error):
            log.notice("the service \"\(service.name)\" is not announced over mDNS for now: \(error)")
        case .hosts(let hosts, _):
            log.info("this machine is \(hosts.joined(separator: " and ")) on the network")
        case .renamed(let name, let other):
            log.notice("the name \"\(name)\" is taken; announced as \"\(other)\"")
        case .overdue(let name, let stack):
            let stack = stack == .daemon ? "avahi-daemon" : "avahi's stack in this process"
            log.notice("\(stack) could not announce \"\(name)\" yet; it tries again until it can")
        case .daemonLost(let error): log.notice("\(error); the hub is announced again soon")
        case .refused(let error): log.notice("\(error); this process speaks multicast DNS itself")
        case .unavailable(let error): log.notice("not announced over mDNS for now: \(error)")
        }
    }

    /// Calls a function once, some seconds after it was last set.
    private final class Alarm {
        private var task: Task<Void, Never>?
        private let ring: @Sendable () -> Void

        init(_ ring: @escaping @Sendable () -> Void) { self.ring = ring }

        func set(_ seconds: Double?) {
            task?.cancel()
            task = seconds.map { seconds in
                Task { [ring] in
                    guard (try? await Task.sleep(for: .seconds(seconds))) != nil else { return }
                    ring()
                }
            }
        }
    }
}
