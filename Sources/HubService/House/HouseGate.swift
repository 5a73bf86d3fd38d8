import GatewayRules
import Glibc
import Identity
import NIOCore
import Pairing

/// The gate's side of the house: what it tells and asks the house, and the upstream's queue that the house
/// has its part in.
final class HouseGate: UpstreamObserver {
    let house: HouseLink
    let guests: HouseGuests
    let orders: OrderJournal
    let news: GateNews
    /// Tells of changes of the household's files.
    let changes: Callback<Void>
    private let site: SiteHandle
    private let calls: UpstreamCalls
    private let probe: UpstreamProbe
    /// Nil if nothing can listen: the gate goes on without the house.
    private let socket: LocalServer?
    private let sockets: SocketFolder
    private let link: UpstreamLink
    private let looksAfterOrders: Bool
    private let program: HouseProgram?

    init(
        _ state: HubState, _ hub: Hub, _ register: DeviceRegister, link: UpstreamLink,
        options: ServeOptions, on group: any EventLoopGroup,
        log: ServeLog, clock: @escaping @Sendable () -> Moment
    ) async throws {
        let sender = DeviceFields(
            fingerprint: hub.pin.fingerprint.description, name: hub.settings.name.description, role: .owner)
        let calls = try await UpstreamCalls(link, as: sender, on: group.next())
        // Before the house asks: it must not take itself for one of its own.
        var isUnknown = false
        do { _ = try state.site.register(in: state.open()) } catch { isUnknown = true }
        let news = GateNews(treatment: { [link] in link.treatment }) { [site = state.site, isUnknown] in
            site.known?.settings.gate ?? (isUnknown ? "" : nil)
        }
        state.site.onChange.observe { news.noteFiles() }
        site = state.site
        (self.link, self.calls, self.news) = (link, calls, news)
        looksAfterOrders = options.looksAfterOrders
        probe = UpstreamProbe(calls, link)
        let sockets = SocketFolder(state, isOwn: options.house != nil)
        self.sockets = sockets
        let house = HouseLink(
            LocalClient(LocalSocket.house, in: sockets.path, on: group), news,
            isStarting: options.house != nil || state.isHouseApart, log: log)
        self.house = house
        guests = HouseGuests(house)
        let journal = JournalFiles(of: state)
        orders = OrderJournal(log: log, clock: { clock().wall }, write: { try await journal.write($0) }) {
            await house.name(of: $0, $1)
        }
        let changes = Callback<Void>()
        self.changes = changes
        let gate = GateSocket(
            state: state, changes: changes, calls: calls, news: news, register: register, journal: journal,
            hub: hub.root.fingerprint)
        do {
            socket = try await LocalServer.start(LocalSocket.gate, in: sockets.path, on: group) {
                await gate.answer($0)
            }
        } catch {
            socket = nil
            log.error("serves without the household, which cannot be reached: \(describing(error))")
        }
        program = options.house.flatMap { [socket] words in
            socket.map { _ in
                HouseProgram(words, sockets: sockets.path, keeper: options.houseKeeper, log: log)
            }
        }
        link.observe(self)
    }

    /// Begins what goes on by itself.
    func start() { probe.start() }

    /// The files in the hub directory are others than before.
    ///
    /// - Parameter done: called once guests' rights are known again.
    func filesChanged(_ done: @escaping @Sendable () -> Void) {
        news.noteFiles()
        householdChanged(done)
    }

    /// The same of the household's files.
    func householdChanged(_ done: @escaping @Sendable () -> Void) {
        Task { [guests] in
            await guests.filesChanged()
            done()
        }
    }

    func stop() async {
        link.observe(nil)
        await probe.stop()
        site.onChange.observe(nil)
        news.close()
        await program?.stop()
        await socket?.stop()
        sockets.remove()
        await calls.stop()
        await orders.close()
    }

    func upstreamChanged(_ outage: UpstreamBreaker.Outage?) {
        news.note(outage)
        if outage != nil { probe.lookLater() }
    }

    func upstreamIsInDoubt() { probe.look() }

    func orderPassed() { if looksAfterOrders { news.noteOrder() } }
}
