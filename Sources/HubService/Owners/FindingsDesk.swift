import FoundationEssentials
import JSON

/// Lets the doctor look for all who ask, one look at a time: it takes seconds, and asks the network. A look
/// is good for a while.
actor FindingsDesk {
    /// How long a look is good.
    private static let lifetime = Duration.seconds(10)

    private let look: @Sendable () async -> [JSONValue]
    private var current: Task<(findings: [JSONValue], time: Date), Never>?
    private var last: (findings: [JSONValue], time: Date, at: ContinuousClock.Instant)?

    init(_ look: @escaping @Sendable () async -> [JSONValue]) { self.look = look }

    /// What the last look found, and when it was.
    func findings() async -> (findings: [JSONValue], time: Date) {
        if let last, .now - last.at < FindingsDesk.lifetime { return (last.findings, last.time) }
        if let current { return await current.value }
        let task = Task { [look] in
            let time = Date()
            return (findings: await look(), time: time)
        }
        current = task
        let result = await task.value
        current = nil
        last = (result.findings, result.time, .now)
        return result
    }
}
