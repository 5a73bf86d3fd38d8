/// Sends requests to one hub, over connections that are kept for the next ones.
package actor KeptConnections {
    private let connect: @Sendable () async throws -> HubConnection
    private let maximumCount: Int
    private let isOneAtATime: Bool
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var idle: [HubConnection] = []

    /// - Parameters:
    ///   - maximumCount: the most connections that are kept.
    ///   - isOneAtATime: true if requests must not overlap, as with a stock hub: its database would break.
    ///   - connect: opens a connection to the hub, whose key it has checked.
    package init(
        atMost maximumCount: Int, isOneAtATime: Bool = false,
        connect: @escaping @Sendable () async throws -> HubConnection
    ) {
        self.isOneAtATime = isOneAtATime
        (self.maximumCount, self.connect) = (maximumCount, connect)
    }

    /// One request, with the whole answer.
    ///
    /// - Parameter isRepeatable: true if it may be sent twice (RFC 9110 § 9.2.2): a hub may close an idle
    ///   connection, and then it is not known whether the request has reached it.
    func send(
        _ request: HubRequest, isRepeatable: Bool, maximumBodyByteCount: Int,
        deadlines: HubConnection.Deadlines
    ) async throws -> (response: HubResponse, body: [UInt8]) {
        if isOneAtATime { await takeTurn() }
        defer { if isOneAtATime { passTurn() } }
        if isRepeatable, let connection = idle.popLast() {
            do {
                return try await send(request, over: connection, maximumBodyByteCount, deadlines)
            } catch let error as HubConnectionError where error.reason == .closed {}
        }
        return try await send(request, over: connect(), maximumBodyByteCount, deadlines)
    }

    private func takeTurn() async {
        guard isBusy else {
            isBusy = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func passTurn() {
        if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
    }

    private func send(
        _ request: HubRequest, over connection: HubConnection, _ maximumBodyByteCount: Int,
        _ deadlines: HubConnection.Deadlines
    ) async throws -> (response: HubResponse, body: [UInt8]) {
        let answer = try await connection.send(
            request, maximumBodyByteCount: maximumBodyByteCount, deadlines: deadlines)
        if answer.response["Connection"]?.lowercased() != "close", idle.count < maximumCount {
            idle.append(connection)
        } else {
            connection.close()
        }
        return answer
    }

    /// A connection that its user has for itself, as a stream does.
    package func open() async throws -> HubConnection { try await connect() }
}
