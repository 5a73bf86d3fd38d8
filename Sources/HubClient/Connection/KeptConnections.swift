/// Sends requests to one hub, over connections that are kept for the next ones.
package actor KeptConnections {
    private let connect: @Sendable () async throws -> HubConnection
    private let maximumCount: Int
    private var idle: [HubConnection] = []

    /// - Parameters:
    ///   - maximumCount: the most connections that are kept.
    ///   - connect: opens a connection to the hub, whose key it has checked.
    package init(
        atMost maximumCount: Int, connect: @escaping @Sendable () async throws -> HubConnection
    ) {
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
        if isRepeatable, let connection = idle.popLast() {
            do {
                return try await send(request, over: connection, maximumBodyByteCount, deadlines)
            } catch let error as HubConnectionError where error.reason == .closed {}
        }
        return try await send(request, over: connect(), maximumBodyByteCount, deadlines)
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
    func open() async throws -> HubConnection { try await connect() }
}
