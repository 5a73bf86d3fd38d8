import Household
import HubService
import Identity
import Synchronization

/// Holds each change of a state against the rules: makes the messages of those that come true, and runs the
/// scenes of the alarms among them.
///
/// While a file cannot be read, what was read last goes on, and people are told: a slip of the pen must not
/// silence an alarm.
final class RuleTeller: Sendable {
    private struct Known {
        var rules: [Rule] = []
        var scenes: [HubScene] = []
        var runs = SceneRuns()
        var hasFailed = false
    }

    private static let reason = "rules"

    private let rules: HouseholdStore<Rules>
    private let scenes: HouseholdStore<HubScenes>
    private let runs: HouseholdStore<SceneRuns>
    private let runScene: RunScene
    private let poller: StatePoller
    private let messages: MessageLog
    private let log: ServeLog
    private let known = Mutex(Known())
    private let looking = Mutex<RecurringLook?>(nil)

    init(
        rules: HouseholdStore<Rules>, scenes: HouseholdStore<HubScenes>, runs: HouseholdStore<SceneRuns>,
        runScene: RunScene, poller: StatePoller, messages: MessageLog, log: ServeLog
    ) {
        (self.rules, self.scenes, self.runs, self.runScene) = (rules, scenes, runs, runScene)
        (self.poller, self.messages, self.log) = (poller, messages, log)
    }

    func start() {
        poller.add { [self] in await statesChanged($0) }
        looking.withLock {
            $0 = RecurringLook(remembering: ()) { [weak self] _ in
                await self?.look()
                return nil
            }
        }
        filesChanged()
    }

    func stop() async { await looking.withLock { $0.take() }?.stop() }

    /// The rules may be others than before: the server is asked every second while there is one.
    func filesChanged() { looking.withLock { $0 }?.look() }

    private func look() async {
        await read()
        poller.setReason(RuleTeller.reason, known.withLock { !$0.rules.isEmpty })
    }

    private func read() async {
        do {
            let known = Known(
                rules: try await rules.read().rules, scenes: try await scenes.read().scenes,
                runs: try await runs.read())
            self.known.withLock { $0 = known }
        } catch {
            let isNew = known.withLock { known in
                defer { known.hasFailed = true }
                return !known.hasFailed
            }
            guard isNew else { return }
            let text = "changes of the rules and scenes do not count: \(describing(error))"
            log.error(text)
            messages.enqueue(MessageDraft(kind: .alert, text: text))
        }
    }

    private func statesChanged(_ changes: [StateChange]) async -> [MessageDraft] {
        await read()
        let (watch, scenes) = known.withLock { known in
            let arming = Arming(known.rules, known.scenes)
            return (RuleWatch(known.rules, arming, in: known.runs.decision.scene), known.scenes)
        }
        var drafts: [MessageDraft] = []
        for change in changes {
            for rule in watch.rules(for: change, { poller.state($0) }) {
                drafts.append(
                    MessageDraft(
                        kind: rule.kind == .alarm ? .alarm : .notification, text: rule.text,
                        rule: rule.name.description, device: change.device, activator: change.activator,
                        state: change.state, before: change.before))
                if let name = rule.run { run(name, at: rule, scenes) }
            }
        }
        return drafts
    }

    /// Runs the scene of an alarm. Nobody waits for it: the message must not.
    private func run(_ name: PeerName, at rule: Rule, _ scenes: [HubScene]) {
        guard let scene = scenes.first(where: { $0.name.folded == name.folded }) else {
            let text = "the alarm \"\(rule.name)\" runs the scene \"\(name)\", and there is none"
            return messages.enqueue(MessageDraft(kind: .alert, text: text, rule: rule.name.description))
        }
        Task { await runScene.runUnasked(scene, for: .alarm(rule.name.description)) }
    }
}
