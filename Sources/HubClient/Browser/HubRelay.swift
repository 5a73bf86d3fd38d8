import Identity
import Synchronization

/// Passes requests of a browser on to one hub, over connections whose key has been checked.
final class HubRelay: Sendable {
    private struct Idle {
        let connection: HubConnection
        let since: ContinuousClock.Instant
    }

    /// The most connections that are kept; a browser has six.
    private static let maximumIdleCount = 6
    /// How long a connection is kept: well below the time after which a hub closes it.
    private static let freshness = Duration.seconds(10)
    /// What a browser says that the hub needs to know. All else stays here: cookies and origins are this
    /// computer's.
    private static let passed: Set<String> = [
        "accept", "accept-language", "content-type", "if-match", "if-none-match", "last-event-id",
    ]

    private let connect: @Sendable () async throws -> HubConnection
    private let idle = Mutex<[Idle]>([])

    init(connect: @escaping @Sendable () async throws -> HubConnection) { self.connect = connect }

    /// Sends a request, and delivers the response as it arrives.
    func send(
        _ request: HubRequest, head: (HubResponse) async throws -> Void, body: ([UInt8]) async throws -> Void
    ) async throws {
        var request = request
        request.headers = request.headers.filter { HubRelay.passed.contains($0.name.lowercased()) }
        // By which the hub's journal knows that somebody did it on the page.
        request.headers.append(("User-Agent", "hubpair-open"))
        let connection: HubConnection
        if let kept = take() { connection = kept } else { connection = try await connect() }
        var isLast = false
        try await connection.send(request) { response in
            isLast = response["Connection"]?.lowercased() == "close"
            try await head(response)
        } body: {
            try await body($0)
        }
        if isLast { connection.close() } else { keep(connection) }
    }

    private func take() -> HubConnection? {
        idle.withLock { idle in
            idle.removeAll { .now - $0.since > HubRelay.freshness }
            return idle.popLast()?.connection
        }
    }

    private func keep(_ connection: HubConnection) {
        idle.withLock { idle in
            idle.append(Idle(connection: connection, since: .now))
            if idle.count > HubRelay.maximumIdleCount { idle.removeFirst() }
        }
    }
}
