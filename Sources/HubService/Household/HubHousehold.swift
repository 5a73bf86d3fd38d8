import FoundationEssentials
import GatewayRules
import Household
import NIOCore
import Pairing

/// The household of a running hub: what its resources answer with, and what goes on by itself.
final class HubHousehold: Sendable {
    let resources: OwnResources
    let guests: GuestRights
    private let calls: UpstreamCalls
    private let timed: TimedScenes
    let teller: RuleTeller
    let orders: OrderJournal
    let records: HouseholdRecords

    /// - Parameters:
    ///   - desk: where answers are made.
    ///   - link: the way to the server behind the hub.
    ///   - register: the paired devices.
    ///   - owners: what only owners may do.
    ///   - looksAfterOrders: ``ServeOptions/looksAfterOrders``.
    ///   - eventLoop: runs the connections to it.
    init(
        _ state: HubState, _ hub: Hub, desk: AnswerDesk, link: UpstreamLink, register: DeviceRegister,
        owners: OwnerPaths, looksAfterOrders: Bool, on eventLoop: any EventLoop, log: ServeLog,
        clock: @escaping @Sendable () -> Moment
    ) async throws {
        let sender = DeviceFields(
            fingerprint: hub.pin.fingerprint.description, name: hub.settings.name.description, role: .owner)
        calls = try await UpstreamCalls(link, as: sender, on: eventLoop)
        let records = HouseholdRecords(
            hub, desk: desk, state: state, link: link, calls: calls, register: register,
            looksAfterOrders: looksAfterOrders, log: log, clock: clock)
        self.records = records
        let rooms = HouseholdStore<Rooms>(state: state)
        let guests = GuestRights(calls, rooms, log: log)
        await guests.filesChanged()
        records.poller.onList { guests.take($0, besides: $1) }
        self.guests = guests
        let answers = HouseholdAnswers(log: log)
        let rules = HouseholdStore<Rules>(state: state)
        let scenes = HouseholdStore<HubScenes>(state: state)
        let runs = HouseholdStore<SceneRuns>(state: state)
        let wall = { @Sendable in clock().wall }
        let tell = { @Sendable (draft: MessageDraft) async in
            log.notice(draft.text)
            records.messages.enqueue(draft)
        }
        let poller = records.poller
        orders = OrderJournal(of: state, log: log, clock: wall) { poller.name(of: $0, $1) }
        let arm = ArmHouse(rules: rules, scenes: scenes, runs: runs, clock: wall, tell: tell)
        let runScene = RunScene(
            calls: calls, orders: orders, poller: poller, arm: arm, guests: guests, log: log)
        timed = TimedScenes(
            state, scenes: scenes, runs: runs, runScene: runScene,
            approved: { fingerprint in
                // While the keyfile cannot be read, no device is let in.
                let device = try? register.devices().first { $0.fingerprint == fingerprint }
                return device.flatMap { $0.verdict(at: clock()) == .approved ? $0 : nil }
            }, log: log, clock: wall
        ) { text in
            await tell(MessageDraft(kind: .notification, text: text))
        }
        teller = RuleTeller(
            rules: rules, scenes: scenes, runs: runs, runScene: runScene, poller: records.poller,
            messages: records.messages, log: log)
        resources = OwnResources(
            desk: desk, owners: owners,
            rooms: RoomResources(store: rooms, guests: guests, answers: answers),
            rules: RuleResources(store: rules, teller: teller, answers: answers),
            scenes: SceneResources(
                store: scenes, runs: runs, runScene: runScene, clock: timed, poller: records.poller,
                answers: answers),
            armed: ArmedResources(arm: arm, answers: answers),
            states: records.stateResources, messages: records.messageResources)
    }

    /// Begins what goes on by itself.
    func start() {
        records.start()
        teller.start()
        timed.start()
    }

    /// Receives the system's own trouble.
    var alerts: SystemAlerts { records.alerts }

    /// The files in the state directory are others than before.
    func filesChanged() {
        records.filesChanged()
        teller.filesChanged()
        timed.look()
        Task { [guests] in await guests.filesChanged() }
    }

    /// Ends all streams; their clients come back when the hub serves again.
    func endStreams() { records.endStreams() }

    func stop() async {
        await timed.stop()
        await teller.stop()
        await records.stop()
        await calls.stop()
        orders.close()
    }
}
