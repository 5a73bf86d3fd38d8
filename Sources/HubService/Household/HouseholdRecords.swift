import GatewayRules
import Household
import Pairing

/// What a running hub sees and keeps: states, their history, messages, and who is told of them.
final class HouseholdRecords: UpstreamObserver {
    let poller: StatePoller
    let messages: MessageLog
    let alerts: SystemAlerts
    private let database: HouseholdDatabase
    private let states: StateStore
    private let notices: DeviceNotices
    private let hook: HookRunner?
    private let lostFiles: LostFileWatch
    private let link: UpstreamLink
    private let probe: UpstreamProbe
    private let looksAfterOrders: Bool
    private let clock: @Sendable () -> Moment
    private let desk: AnswerDesk
    private let heart: Heartbeat

    init(
        _ hub: Hub, desk: AnswerDesk, state: HubState, link: UpstreamLink, calls: UpstreamCalls,
        register: DeviceRegister,
        looksAfterOrders: Bool, log: ServeLog, clock: @escaping @Sendable () -> Moment
    ) {
        let database = HouseholdDatabase(state: state, log: log)
        self.database = database
        (self.clock, self.desk) = (clock, desk)
        states = StateStore(database)
        let messages = MessageLog(database, log: log) { clock().wall }
        let poller = StatePoller(calls, states, messages, log: log, clock: clock)
        probe = UpstreamProbe(calls, link)
        let alerts = SystemAlerts(
            messages, database, of: state, upstream: hub.settings.upstream?.authority ?? "", clock: clock)
        (self.poller, self.messages, self.alerts) = (poller, messages, alerts)
        notices = DeviceNotices(register, of: state, messages, database)
        hook = hub.settings.hook.map { HookRunner($0, database, alerts: alerts, log: log) }
        if let hook { messages.add { hook.wake($0) } }
        lostFiles = LostFileWatch(state, database) { text in
            log.error(text)
            messages.enqueue(MessageDraft(kind: .alert, text: text))
        }
        self.looksAfterOrders = looksAfterOrders
        self.link = link
        let heart = Heartbeat([states.feed, messages.feed], of: state, clock: clock) {
            var standing = poller.standing
            if !link.isReachable, standing.fault == nil {
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
        link.observe(self)
    }

    var stateResources: StateResources {
        StateResources(
            poller: poller, store: states, desk: desk, treatment: { [link] in link.treatment }, clock: clock)
    }
    var messageResources: MessageResources { MessageResources(log: messages, desk: desk) }

    func start() {
        probe.start()
        poller.start()
        alerts.start()
        hook?.start()
        notices.look()
        lostFiles.start()
        heart.start()
    }

    /// The files in the state directory are others than before.
    func filesChanged() {
        notices.look()
        lostFiles.look()
        heart.filesChanged()
    }

    /// Ends all streams; their clients come back when the hub serves again.
    func endStreams() {
        states.feed.close()
        messages.feed.close()
    }

    func stop() async {
        link.observe(nil)
        await heart.stop()
        await probe.stop()
        await poller.stop()
        await alerts.stop()
        await notices.stop()
        await lostFiles.stop()
        await messages.close()
        await hook?.stop()
        await database.close()
    }

    func upstreamChanged(_ outage: UpstreamBreaker.Outage?) {
        alerts.upstreamChanged(isUp: outage == nil)
        poller.upstreamChanged(outage)
        if outage != nil { probe.lookLater() }
        heart.beat()
    }

    func upstreamIsInDoubt() { probe.look() }

    func orderPassed() { if looksAfterOrders { poller.orderPassed() } }
}
