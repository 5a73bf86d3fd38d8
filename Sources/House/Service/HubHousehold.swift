import FoundationEssentials
import GatewayRules
import Household
import HubService
import Identity
import NIOCore
import Pairing

/// The household of a running hub: what its resources answer with, and what goes on by itself.
final class HubHousehold: Sendable {
    let resources: HouseResources
    let guests: GuestRights
    private let gate: GateLink
    private let timed: TimedScenes
    private let timers: RunTimers
    let teller: RuleTeller
    let orders: OrderJournal
    let records: HouseholdRecords
    let servers: HouseServers
    /// Nil in a house of its own.
    private let shared: SharedHouse?
    /// The files as all gates have them; nil in a house of its own.
    let files: FileTable?

    /// - Parameters:
    ///   - gate: the way to the gate, and through it to the server behind the hub.
    ///   - group: where the connections to servers that have joined are.
    ///   - shared: what makes it the house of several gates.
    init(
        _ state: HubState, _ settings: HubSettings, gate: GateLink, on group: any EventLoopGroup,
        shared: SharedHouse? = nil, log: ServeLog,
        clock: @escaping @Sendable () -> Moment
    ) async {
        let (calls, desk) = (gate.calls, AnswerDesk())
        let servers = HouseServers(calls) { server, changed, stands in
            switch server.kind {
            case .homeAssistant:
                HomeAssistantServer(server, on: group, log: log, changed: changed, stands: stands)
            case .mqtt: MQTTServer(server, log: log, changed: changed, stands: stands)
            }
        }
        self.servers = servers
        let rooms = HouseholdStore<Rooms>(state: state, journal: gate.journal)
        let records = HouseholdRecords(
            settings, desk: desk, state: state, gate: gate, servers: servers,
            sight: FirstSight(rooms: rooms, log: log), shared: shared, log: log, clock: clock)
        self.records = records
        self.shared = shared
        let files = shared.map { _ in FileTable(records.database, of: state, log: log) }
        self.files = files
        rooms.share(files)
        servers.whenStandingChanges { [alerts = records.alerts] in alerts.serverChanged($0.title, isUp: $1) }
        let guests = GuestRights(calls, servers, rooms, log: log)
        await guests.filesChanged()
        records.poller.onList { guests.take($0, besides: $1) }
        (self.guests, self.gate) = (guests, gate)
        let answers = HouseholdAnswers(log: log)
        let rules = HouseholdStore<Rules>(state: state, journal: gate.journal)
        let scenes = HouseholdStore<HubScenes>(state: state, journal: gate.journal)
        let runs = HouseholdStore<SceneRuns>(state: state, journal: gate.journal)
        rules.share(files)
        scenes.share(files)
        runs.share(files)
        let wall = { @Sendable in clock().wall }
        let tell = { @Sendable (draft: MessageDraft) async in
            log.notice(draft.text)
            records.messages.enqueue(draft)
        }
        let poller = records.poller
        let journal = gate.journal
        orders = OrderJournal(log: log, clock: wall, write: { try await journal.write($0) }) {
            poller.name(of: $0, $1)
        }
        let approved = { @Sendable (fingerprint: Fingerprint) -> ApprovedDevice? in
            // While the keyfile cannot be read, no device is let in.
            let device = gate.files.devices?.first { $0.fingerprint == fingerprint }
            return device.flatMap { $0.verdict(at: clock()) == .approved ? $0 : nil }
        }
        let arm = ArmHouse(rules: rules, scenes: scenes, runs: runs, clock: wall, tell: tell)
        let runScene = RunScene(
            servers: servers, orders: orders, poller: poller, arm: arm, guests: guests, log: log)
        timed = TimedScenes(
            scenes: scenes, runs: runs, runScene: runScene, place: { gate.files.settings?.place },
            canSwitch: { await gate.answers() }, approved: approved, log: log, clock: wall
        ) { text in
            await tell(MessageDraft(kind: .notification, text: text))
        }
        teller = RuleTeller(
            rules: rules, scenes: scenes, runs: runs, runScene: runScene, poller: records.poller,
            messages: records.messages, log: log)
        let timerStore = TimerStore(records.database)
        timers = RunTimers(
            timerStore, servers: servers, poller: poller, guests: guests, approved: approved,
            knowsDevices: { gate.files.devices != nil }, log: log, clock: wall, tell: tell)
        gate.observe(records, guests) { [timed, timers] in
            timed.look()
            timers.look()
        }
        gate.files.whenDevicesChange { [records, timed, timers] in
            records.devicesChanged()
            timed.look()
            timers.look()
        }
        let pictures = Pictures(rooms, calls)
        let alarmPictures = AlarmPictures(PictureStore(records.database), pictures, log: log)
        records.messages.add { alarmPictures.take($0) }
        resources = HouseResources(
            rooms: RoomResources(store: rooms, rules: rules, guests: guests, answers: answers),
            rules: RuleResources(store: rules, teller: teller, answers: answers),
            scenes: SceneResources(
                store: scenes, runs: runs, runScene: runScene, clock: timed, poller: records.poller,
                answers: answers),
            armed: ArmedResources(arm: arm, answers: answers),
            states: records.stateResources, messages: records.messageResources,
            timers: TimerResources(store: timerStore, run: timers, guests: guests, answers: answers),
            preferences: PreferenceResources(database: records.database, answers: answers),
            push: PushResources(push: records.push, answers: answers),
            pictures: PictureResources(
                store: rooms, pictures: pictures, alarms: alarmPictures, answers: answers))
    }

    /// Begins what goes on by itself.
    func start() {
        records.start()
        if shared == nil { records.act() }
        gate.files.whenServersJoin { [servers] in servers.take($0) }
        guard let shared, let files else { return act() }
        shared.log.onNews.observe { [records, timers] news in
            guard news.isForeign else { return }
            records.othersWrote(news.tables)
            if news.tables.contains("timers") { timers.look() }
            if news.tables.contains(FileTable.name) { Task { await files.copy() } }
        }
        Task { await files.copy() }
        shared.start(records.database) { [self] in
            // Who holds changes against rules is there before the first one.
            act()
            records.act()
            records.lead()
        }
    }

    private func act() {
        teller.start()
        timed.start()
        timers.start()
    }

    /// The files in the state directory are others than before.
    func filesChanged() {
        records.filesChanged()
        teller.filesChanged()
        timed.look()
        Task { [guests, gate, files] in
            await files?.copy()
            await guests.filesChanged()
            await gate.tellChange()
        }
    }

    /// Ends all streams; their clients come back when the hub serves again.
    func endStreams() { records.endStreams() }

    func stop() async {
        await timed.stop()
        await timers.stop()
        gate.files.whenServersJoin(nil)
        await servers.stop()
        await teller.stop()
        await records.stop()
        await orders.close()
    }
}
