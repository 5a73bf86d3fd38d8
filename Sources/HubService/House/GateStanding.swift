import FoundationEssentials
package import GatewayRules
import Identity
package import JSON
import Synchronization

/// What the gate tells the house beside requests: how the upstream stands, and counts of what has happened.
/// It goes with each request, so that the house knows what came before it, and as a stream.
package struct GateStanding: Equatable, Sendable {
    /// Names the gate's process: counts of another one begin anew.
    package let run: String
    /// Counts changes of all below.
    package fileprivate(set) var number: Int64 = 0
    /// Requests that may have changed a state.
    package fileprivate(set) var orders: Int64 = 0
    /// Requests that may have changed what an appliance is.
    package fileprivate(set) var changes: Int64 = 0
    /// Times when a file of the hub became another.
    package fileprivate(set) var files: Int64 = 0
    /// Requests of strangers that were refused, and where the last came from.
    package fileprivate(set) var refusals: Int64 = 0
    package fileprivate(set) var lastRefusal = ""
    /// False while this process has not learned whether the upstream answers.
    package fileprivate(set) var isHeard = false
    /// Nil while the upstream answers, as far as is known.
    package fileprivate(set) var outage: UpstreamBreaker.Outage?
    /// How the upstream is treated; nil without one.
    package fileprivate(set) var treatment: UpstreamTreatment?
    /// The gate among those of its site, which share the house; nil if it is alone, empty if nobody can say.
    package fileprivate(set) var site: String?
    /// Counts changes of what the houses of the site share; nil while nobody tells of them.
    package fileprivate(set) var records: Int64?

    init() { run = String(UInt64.random(in: .min ... .max), radix: 16) }

    package init?(_ json: JSONValue?) {
        guard let members = json?.asObject, let run = members["run"]?.asString else { return nil }
        func count(_ name: String) -> Int64 {
            if case .integer(let count)? = members[name] { count } else { 0 }
        }
        self.run = run
        (number, orders) = (count("number"), count("orders"))
        (changes, refusals) = (count("changes"), count("refusals"))
        files = count("files")
        lastRefusal = members["lastRefusal"]?.asString ?? ""
        isHeard = members["heard"] == .boolean(true)
        site = members["site"]?.asString
        records = members["records"].map { _ in count("records") }
        outage = members["outage"]?.asString.map {
            UpstreamBreaker.Outage(since: Date(milliseconds: count("since")), words: $0)
        }
        treatment = members["concurrency"].map { _ in
            UpstreamTreatment(
                kind: members["kind"]?.asString.flatMap { UpstreamKind(rawValue: $0) },
                concurrency: Int(count("concurrency")))
        }
    }

    /// The same with another outage.
    package func with(outage: UpstreamBreaker.Outage?) -> GateStanding {
        var standing = self
        standing.outage = outage
        return standing
    }

    package var json: [UInt8] {
        var members: [String: JSONValue] = [
            "run": .string(run), "number": .integer(number), "orders": .integer(orders),
            "changes": .integer(changes), "files": .integer(files), "refusals": .integer(refusals),
            "lastRefusal": .string(lastRefusal), "heard": .boolean(isHeard),
        ]
        if let outage {
            members["outage"] = .string(outage.words)
            members["since"] = .integer(outage.since.milliseconds)
        }
        if let treatment {
            members["concurrency"] = .integer(Int64(treatment.concurrency))
            members["kind"] = treatment.kind.map { .string($0.rawValue) }
        }
        members["site"] = site.map { .string($0) }
        members["records"] = records.map { .integer($0) }
        var bytes: [UInt8] = []
        JSONValue.object(members).write(to: &bytes)
        return bytes
    }
}

/// The gate's standing as it is, and those who follow it.
final class GateNews: Sendable {
    private struct State {
        var standing = GateStanding()
        var followers: [ObjectIdentifier: AsyncStream<Void>.Continuation] = [:]
        var wasFollowed = false
        var recordCount: Int64 = 0
    }

    /// Identifies a follower.
    final class Follower: Sendable {
        fileprivate let changes: AsyncStream<Void>
        fileprivate init(_ changes: AsyncStream<Void>) { self.changes = changes }
    }

    private let state = Mutex(State())
    private let treatment: @Sendable () -> UpstreamTreatment?
    private let site: @Sendable () -> String?

    init(
        treatment: @escaping @Sendable () -> UpstreamTreatment?,
        site: @escaping @Sendable () -> String? = { nil }
    ) {
        (self.treatment, self.site) = (treatment, site)
    }

    var standing: GateStanding {
        let (treatment, site) = (treatment(), site())
        return state.withLock { state in
            state.standing.treatment = treatment
            state.standing.site = site
            return state.standing
        }
    }

    func noteOrder() { change { $0.orders += 1 } }
    func noteFiles() { change { $0.files += 1 } }
    func noteChange() { change { $0.changes += 1 } }
    func note(_ outage: UpstreamBreaker.Outage?) { change { ($0.outage, $0.isHeard) = (outage, true) } }

    /// What the houses of the site share may be other than before.
    ///
    /// - Parameter isTold: false if nobody tells of it from now on.
    func noteRecords(isTold: Bool) {
        let count = state.withLock { state in
            state.recordCount += 1
            return state.recordCount
        }
        change { $0.records = isTold ? count : nil }
    }

    func noteRefusal(from source: String) {
        change { standing in
            standing.refusals += 1
            standing.lastRefusal = source
        }
    }

    private func change(_ body: (inout GateStanding) -> Void) {
        let followers = state.withLock { state in
            body(&state.standing)
            state.standing.number += 1
            return Array(state.followers.values)
        }
        for follower in followers { follower.yield() }
    }

    /// True once somebody has followed.
    var wasFollowed: Bool { state.withLock { $0.wasFollowed } }

    /// The standing now, and then whenever it has changed: a line of JSON each. Who reads slowly is told the
    /// last one alone.
    func lines() -> @Sendable () async -> [UInt8]? {
        let (changes, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let follower = Follower(changes)
        let id = ObjectIdentifier(follower)
        state.withLock { state in
            state.followers[id] = continuation
            state.wasFollowed = true
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.followers[id] = nil } ?? ()
        }
        continuation.yield()
        return { [weak self] in
            for await _ in follower.changes {
                guard let self else { return nil }
                return standing.json + [UInt8(ascii: "\n")]
            }
            return nil
        }
    }

    /// Ends all streams.
    func close() {
        for follower in state.withLock({ Array($0.followers.values) }) { follower.finish() }
    }
}
