import Home
import Identity

/// Follows one of a hub's streams. When the connection breaks off, it goes on after the last event that it
/// has seen: nothing twice, nothing lost.
package struct FollowEvents: Sendable {
    /// What is told on the way.
    package enum Report: Sendable {
        case event(ServerEvents.Event)
        /// The stream has broken off; it is tried again until it is back.
        case lost(any Error)
        case back
    }

    /// The type of a hub's heartbeats.
    package static let heartbeat = "alive"
    /// The hub writes an event every 2 seconds: this is the time of two, and a second.
    private static let silence = Duration.seconds(5)
    /// An older hub writes a comment every 15 seconds.
    private static let quiet = Duration.seconds(40)
    /// The pauses between two tries.
    private static let pauses: [Duration] = [.milliseconds(200), .seconds(1), .seconds(2), .seconds(5)]
    /// The most bytes of an answer with an error.
    private static let maximumErrorByteCount = 65_536

    private let link: HouseholdLink
    private let path: [String]

    /// - Parameter path: of the stream, after `/hubpair/v1/`.
    package init(_ link: HouseholdLink, path: [String]) { (self.link, self.path) = (link, path) }

    /// Follows the stream until the task is cancelled, `told` throws, or the hub refuses for a reason that
    /// waiting does not mend. A first connection that fails is an error.
    ///
    /// - Parameter id: of the last event that is known; nil: the hub decides with what it begins.
    package func run(after id: String?, told: (Report) async throws -> Void) async throws {
        var last = id
        var isLost = false
        var hasBegun = false
        var failures = 0
        var hasHeartbeat = false
        while true {
            do {
                try await follow(after: last, hasHeartbeat: &hasHeartbeat) {
                    hasBegun = true
                    failures = 0
                    guard isLost else { return }
                    isLost = false
                    try await Told.run { try await told(.back) }
                } event: { event in
                    last = event.id ?? last
                    try await Told.run { try await told(.event(event)) }
                }
                throw StreamEnd()
            } catch let error as Told {
                throw error.error
            } catch {
                try Task.checkCancellation()
                guard hasBegun, FollowEvents.mayPass(error) else { throw error }
                if !isLost {
                    isLost = true
                    try await told(.lost(error))
                }
                try await Task.sleep(for: FollowEvents.pauses[min(failures, FollowEvents.pauses.count - 1)])
                failures += 1
            }
        }
    }

    private func follow(
        after id: String?, hasHeartbeat: inout Bool, begun: () async throws -> Void,
        event: (ServerEvents.Event) async throws -> Void
    ) async throws {
        let connection = try await link.open()
        defer { connection.close() }
        var request = HubRequest(
            method: "GET", target: HouseholdLink.target(path), headers: [("Accept", "text/event-stream")])
        if let id { request.headers.append(("Last-Event-ID", id)) }
        var events = ServerEvents()
        let quiet = hasHeartbeat ? FollowEvents.silence : FollowEvents.quiet
        // The hub may have been replaced by an older one.
        hasHeartbeat = false
        var failed: HubResponse?
        var fault: [UInt8] = []
        try await connection.send(request, deadlines: .init(quiet: quiet)) { response in
            if response.status == 200 { try await begun() } else { failed = response }
        } body: { piece in
            if failed != nil {
                fault += piece.prefix(FollowEvents.maximumErrorByteCount - fault.count)
            } else {
                let whole: [ServerEvents.Event]
                do {
                    whole = try events.take(piece)
                } catch {
                    throw ServerError.unreadable("an event of its stream is too long")
                }
                for each in whole {
                    if each.type == FollowEvents.heartbeat, !hasHeartbeat {
                        hasHeartbeat = true
                        connection.expectData(within: FollowEvents.silence)
                    }
                    try await event(each)
                }
            }
        }
        if let failed { throw link.refusal(failed, fault, isList: true) }
    }

    /// True if waiting may help: not for another key, or a hub that has revoked this computer.
    private static func mayPass(_ error: any Error) -> Bool {
        guard let error = error as? any UserError else { return error is StreamEnd }
        return switch error.kind {
        case .unavailable, .tryAgain: true
        default: error is HubConnectionError && error.kind != .notPermitted
        }
    }

    /// The hub has ended the stream: it stops, or restarts.
    private struct StreamEnd: UserError {
        var description: String { "the hub has ended the stream" }
        var kind: UserErrorKind { .unavailable }
        var hint: String? { nil }
    }

    /// What `told` has thrown: no fault of the connection. Never reaches a user: it is unwrapped.
    private struct Told: Error {
        let error: any Error

        static func run(_ body: () async throws -> Void) async throws(Told) {
            do { try await body() } catch { throw Told(error: error) }
        }
    }
}
