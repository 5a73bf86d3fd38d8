import Home
import HubClient
import Identity

/// Asks every hub at once for its appliances.
///
/// Each hub has a deadline of its own, so one that is gone delays the end no longer than that. Answers are
/// written without waiting for slow hubs.
struct HomeOfEveryHub {
    /// At most so many hubs are asked at once: each takes one or two descriptors.
    private static let maximumAtOnce = 128
    /// How long an answer waits for the answers of earlier hubs.
    private static let grace = Duration.milliseconds(300)

    let sessions: [HomeSession]
    /// How long each hub has to answer.
    let timeout: Duration
    /// Asks one hub.
    let look: @Sendable (HomeSession) async throws -> HouseLook

    private enum Event: Sendable {
        case answer(Int, Result<HouseLook, any Error>)
        case graceIsOver
    }

    /// Asks them; `write` gets each answer as soon as it is its turn.
    ///
    /// - Returns: the hubs that have not answered, in the order of `sessions`.
    func run(
        _ write: (HomeSession, HouseLook) throws -> Void
    ) async throws -> [(session: HomeSession, error: any Error)] {
        try await withThrowingTaskGroup(of: Event.self) { group in
            defer { group.cancelAll() }
            var next = 0
            func ask() {
                guard next < sessions.count else { return }
                let (index, session) = (next, sessions[next])
                next += 1
                group.addTask { .answer(index, await answer(of: session)) }
            }
            for _ in 0..<HomeOfEveryHub.maximumAtOnce { ask() }
            group.addTask {
                try await Task.sleep(for: HomeOfEveryHub.grace)
                return .graceIsOver
            }
            var answers: [Int: HouseLook] = [:]
            var failures: [Int: any Error] = [:]
            var turns = Turns()
            var left = sessions.count
            while left > 0, let event = try await group.next() {
                let ready: [Int]
                switch event {
                case .graceIsOver: ready = turns.hurry()
                case .answer(let index, .success(let look)):
                    answers[index] = look
                    ready = turns.take(index, isAnswer: true)
                case .answer(let index, .failure(let error)):
                    failures[index] = error
                    ready = turns.take(index, isAnswer: false)
                }
                for index in ready {
                    if let look = answers.removeValue(forKey: index) {
                        try write(sessions[index], look)
                    }
                }
                guard case .answer = event else { continue }
                left -= 1
                ask()
            }
            return failures.sorted { $0.key < $1.key }.map { (sessions[$0.key], $0.value) }
        }
    }

    /// The hub's appliances, or what went wrong; at the latest when its time is over.
    private func answer(of session: HomeSession) async -> Result<HouseLook, any Error> {
        do {
            let found = try await Deadline(in: timeout).run { try await look(session) }
            guard let found else { throw HubTooSlow(time: timeout) }
            return .success(found)
        } catch {
            return .failure(error)
        }
    }
}

/// Which answers are written next: in the order of the hubs at first; from `hurry` on, as they come.
///
/// A pure value: the number of a hub goes in, the numbers of the hubs that can be written come out.
struct Turns {
    private var answered: Set<Int> = []
    /// The first hub that has neither answered nor failed.
    private var next = 0
    private var done: Set<Int> = []
    private var isHurried = false

    /// Hub `index` has answered, or failed.
    mutating func take(_ index: Int, isAnswer: Bool) -> [Int] {
        done.insert(index)
        if isAnswer { answered.insert(index) }
        return ready()
    }

    /// From now on no answer waits for another one.
    mutating func hurry() -> [Int] {
        isHurried = true
        return ready()
    }

    private mutating func ready() -> [Int] {
        while done.contains(next) { next += 1 }
        let ready = answered.filter { isHurried || $0 < next }.sorted()
        answered.subtract(ready)
        return ready
    }
}
