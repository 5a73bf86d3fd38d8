import Addresses
import GatewayRules
import JSON
import NIOCore
import NIOHTTP1
import NIOPosix
import Pairing
import Synchronization

/// The web services of a hub that serves, as its file has them at each moment: a listening port for each.
final class ServedServices: Sendable {
    private struct Running: Sendable {
        let service: ServedService
        let listeners: [any Channel]
    }

    private let state: HubState
    private let log: ServeLog
    private let running = Mutex<[UInt16: Running]>([:])
    private let listed: Mutex<[WebService]>
    /// What the log has said of a port that cannot be had.
    private let faults = Mutex<[UInt16: String]>([:])
    private let wishes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let work = Mutex<Task<Void, Never>?>(nil)
    /// What is to be announced of those that are served, whenever that may have changed.
    let announced: AsyncStream<[WebService]>
    private let announcing: AsyncStream<[WebService]>.Continuation

    init(_ state: HubState, log: ServeLog) throws {
        (self.state, self.log) = (state, log)
        listed = Mutex(try HubState.services(in: state.open()).services)
        (announced, announcing) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Listens for all of them, and from then on for those that the file has.
    ///
    /// - Parameter listen: the addresses to listen on; empty: all.
    func start(
        on group: MultiThreadedEventLoopGroup, _ loops: [NIOLoopBound<ServeLoop>], listen: [NetworkAddress],
        _ shared: ServerContext
    ) async {
        let bind = { @Sendable (service: ServedService) in
            try await ServeListener.bind(
                listen, port: service.port, group: group, loops: loops, service: service)
        }
        await renew(shared, loops, bind)
        let stream = wishes.stream
        work.withLock {
            $0 = Task { [weak self] in
                for await _ in stream { await self?.renew(shared, loops, bind) }
            }
        }
        // A port may become free.
        group.next().scheduleRepeatedTask(initialDelay: .seconds(30), delay: .seconds(30)) { [weak self] _ in
            if self?.faults.withLock({ !$0.isEmpty }) == true { self?.look() }
        }
    }

    /// Looks at the file; call it when something in the directory has changed.
    func look() { wishes.continuation.yield() }

    /// Called when the keyfile has changed.
    func sweep() {
        for each in running.withLock({ $0.values.map(\.service) }) { each.sessions.sweep() }
    }

    /// The device has left.
    func end(_ device: Pin) {
        for each in running.withLock({ $0.values.map(\.service) }) { each.sessions.end(device) }
    }

    /// Listens no more; connections go on.
    func stop() async {
        wishes.continuation.finish()
        announcing.finish()
        await work.withLock { $0 }?.value
        for each in running.withLock({ $0.values.flatMap(\.listeners) }) { try? await each.close().get() }
    }

    private func renew(
        _ shared: ServerContext, _ loops: [NIOLoopBound<ServeLoop>],
        _ bind: @Sendable (ServedService) async throws -> [any Channel]
    ) async {
        let wanted: [WebService]
        do {
            wanted = try HubState.services(in: state.open()).services
        } catch {
            return log.warning(.fault, "keeps the services that it knows: \(describing(error))")
        }
        listed.withLock { $0 = wanted }
        for (port, old) in running.withLock({ $0 }) where !wanted.contains(old.service.record) {
            let rights = old.service.record.rights
            if wanted.contains(where: { $0.port == port && old.service.take($0) }) {
                guard rights != old.service.record.rights else { continue }
                for loop in loops { loop.execute { $0.sweep() } }
                log.notice("the rights at the service \(old.service.record.name) have changed")
                continue
            }
            for listener in old.listeners { try? await listener.close().get() }
            running.withLock { $0[port] = nil }
            for loop in loops { loop.execute { $0.close(old.service) } }
            log.notice("the service \(old.service.record.name) is not served on port \(port) any more")
        }
        let ports = Set(wanted.map(\.port))
        faults.withLock { faults in faults = faults.filter { ports.contains($0.key) } }
        for record in wanted where running.withLock({ $0[record.port] == nil }) {
            do {
                let service = try ServedService(record, shared)
                let listeners = try await bind(service)
                running.withLock { $0[record.port] = Running(service: service, listeners: listeners) }
                faults.withLock { $0[record.port] = nil }
                log.notice("serves \(record.name) (\(record.upstream.text)) on port \(record.port)")
            } catch {
                tell(describing(error), of: record)
            }
        }
        announcing.yield(running.withLock { $0.values.map(\.service.record) }.filter(\.isAnnounced))
    }

    private func tell(_ fault: String, of record: WebService) {
        let isNew = faults.withLock { faults in
            defer { faults[record.port] = fault }
            return faults[record.port] != fault
        }
        if isNew { log.error("cannot serve \(record.name) on port \(record.port): \(fault)") }
    }

    /// The answer to `GET services`: what a device of this role may use.
    ///
    /// - Parameter host: what people call the hub.
    func answer(to device: ApprovedDevice, host: String?) -> ResourceAnswer {
        let services = listed.withLock { $0 }.filter { $0.rights.admits(device) }
        return .reply(
            ServeReply(
                .ok,
                json: .object([
                    "services": .array(
                        services.map { service in
                            .object([
                                "name": .string(service.name.description),
                                "port": .integer(Int64(service.port)),
                                "address": .text(host.map { "https://\($0):\(service.port)/" }),
                            ])
                        })
                ])))
    }
}
