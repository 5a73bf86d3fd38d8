import GatewayRules
import Household
import HubService
import Identity
import Pairing

/// What a running hub sees and keeps: states, their history, messages, and who is told of them.
final class HouseholdRecords: Sendable {
    let poller: StatePoller
    let messages: MessageLog
    let alerts: SystemAlerts
    let database: HouseholdDatabase
    private let states: StateStore
    private let notices: DeviceNotices
    private let hook: HookRunner?
    let push: PushMessages
    private let lostFiles: LostFileWatch
    private let gate: GateLink
    private let clock: @Sendable () -> Moment
    private let desk: AnswerDesk
    private let heart: Heartbeat
    private let isActing: @Sendable () -> Bool

    init(
        _ settings: HubSettings, desk: AnswerDesk, state: HubState, gate: GateLink, servers: HouseServers,
        sight: FirstSight, shared: SharedHouse?, log: ServeLog,
        clock: @escaping @Sendable () -> Moment
    ) {
        let database = HouseholdDatabase(state: state, log: log, shared: shared?.log)
        self.database = database
        let isActing = { @Sendable in shared?.isActing ?? true }
        self.isActing = isActing
        (self.clock, self.desk) = (clock, desk)
        states = StateStore(database)
        let messages = MessageLog(database, log: log) { clock().wall }
        let poller = StatePoller(
            servers, states, messages, sight: sight, log: log, clock: clock, acts: shared == nil)
        let alerts = SystemAlerts(
            messages, database, of: state, upstream: settings.upstream?.authority ?? "", clock: clock,
            isActing: isActing)
        (self.poller, self.messages, self.alerts) = (poller, messages, alerts)
        notices = DeviceNotices(gate.files, messages, database) { await gate.authors() }
        hook = settings.hook.map { HookRunner($0, database, alerts: alerts, log: log) }
        if let hook { messages.add { hook.wake($0) } }
        let files = gate.files
        push = PushMessages(database, log: log, clock: { clock().wall }) {
            let settings = files.settings
            return PushMessages.Standing(
                isOn: settings?.push ?? false, hub: settings?.name.description ?? "",
                home: settings?.pushHosts.compactMap { PushEndpoint.HomeHost($0) } ?? [],
                devices: files.devices.map { devices in
                    let now = clock()
                    let approved = devices.filter { $0.verdict(at: now) == .approved }
                    return Set(approved.map(\.fingerprint.description))
                })
        }
        messages.add { [push] in push.wake($0) }
        lostFiles = LostFileWatch(state, database) { text in
            log.error(text)
            messages.enqueue(MessageDraft(kind: .alert, text: text))
        }
        self.gate = gate
        let heart = Heartbeat([states.feed, messages.feed], of: state, clock: clock) {
            var standing = poller.standing
            if !gate.isReachable, standing.fault == nil {
                standing.fault = "the server behind the hub does not answer"
            }
            return standing
        }
        self.heart = heart
        poller.whenStandingChanges { heart.beat() }
        database.whenBroken { words in
            poller.databaseWasReplaced()
            messages.feed.restart()
            alerts.databaseWasReplaced(words)
        }
    }

    var stateResources: StateResources {
        StateResources(
            poller: poller, store: states, desk: desk, treatment: { [gate] in gate.treatment }, clock: clock)
    }
    var messageResources: MessageResources { MessageResources(log: messages, desk: desk) }

    func start() {
        poller.start()
        heart.start()
    }

    /// Begins what one gate's house does for all.
    func act() {
        alerts.start()
        hook?.start()
        push.start()
        notices.look()
        lostFiles.start()
    }

    /// Polls for all gates.
    func lead() {
        poller.act()
        messages.act()
    }

    /// Other gates have written into these tables.
    func othersWrote(_ tables: Set<String>) {
        if !tables.isDisjoint(with: ["messages", "read_marks"]) { messages.othersWrote() }
        if !tables.isDisjoint(with: ["states", "changes", "appliances"]) { poller.othersWrote() }
    }

    func devicesChanged() {
        if isActing() { notices.look() }
        push.devicesChanged(gate.files.devices)
        heart.devicesChanged()
    }

    /// The files in the state directory are others than before.
    func filesChanged() {
        lostFiles.look()
        heart.filesChanged()
    }

    /// Ends all streams; their clients come back when the hub serves again.
    func endStreams() {
        states.feed.close()
        messages.feed.close()
    }

    func stop() async {
        await heart.stop()
        await poller.stop()
        await alerts.stop()
        await notices.stop()
        await lostFiles.stop()
        await messages.close()
        await hook?.stop()
        await push.stop()
        await database.close()
    }

    func upstreamChanged(_ outage: UpstreamBreaker.Outage?) {
        alerts.upstreamChanged(isUp: outage == nil)
        poller.upstreamChanged(outage)
        heart.beat()
    }

    func orderPassed() { poller.orderPassed() }
}
