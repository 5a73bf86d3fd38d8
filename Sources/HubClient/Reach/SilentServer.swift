package import Identity
import Pairing

/// The hub answers, and the server behind it has not in the time that this computer had.
package struct SilentServer: UserError {
    /// How long it was waited for.
    let time: Duration

    package init(time: Duration) { self.time = time }

    package var description: String { "the server behind the hub did not answer within \(time.words)" }
    package var kind: UserErrorKind { .unavailable }
    package var hint: String? { "on the hub: 'hubpair doctor' says what is wrong with it" }

    /// How long the hub has to answer by itself, which takes it a moment.
    private static let patience = Duration.seconds(2)

    /// Finds out whose fault it is that a request had no answer.
    ///
    /// - Parameters:
    ///   - time: how long it was waited for.
    ///   - connect: opens a connection to the hub.
    /// - Returns: `error`, unless it is a time-out and the hub answers.
    static func judge(
        _ error: any Error, after time: Duration, _ connect: @Sendable () async throws -> HubConnection
    ) async -> any Error {
        guard case .timedOut(.response)? = (error as? HubConnectionError)?.reason,
            let connection = try? await connect()
        else { return error }
        defer { connection.close() }
        let answer = try? await connection.send(
            HubRequest(method: "GET", target: PairEndpoint.hub.path), maximumBodyByteCount: 4_096,
            deadlines: .init(quiet: patience, total: patience))
        return answer?.response.status == 200 ? SilentServer(time: time) : error
    }
}
