package import Home
package import JSON

/// The appliances of one hub.
package actor HubHome {
    /// The most connections at once while the hub answers.
    package static let maximumConnections = OrderQueue.width
    /// The most bytes of an answer: 1,000 appliances take about 300 kB.
    package static let maximumBodyByteCount = 32 << 20

    private let connections: KeptConnections
    private let deadlines: HubConnection.Deadlines
    /// How long the hub took for its last answer.
    package private(set) var pace = Duration.zero

    package init(
        _ connections: KeptConnections,
        deadlines: HubConnection.Deadlines = .init(total: .seconds(60))
    ) {
        (self.connections, self.deadlines) = (connections, deadlines)
    }

    /// Every appliance, in the server's order.
    package func devices() async throws -> [ControlledDevice] { try await read(.devices) }

    /// One appliance.
    package func device(_ id: String) async throws -> ControlledDevice { try await read(.device(id)) }

    /// One activator.
    package func activator(_ id: String, of device: String) async throws -> Activator {
        try await read(.activator(id, of: device))
    }

    /// The manufacturers whose appliances can be added.
    package func collections() async throws -> [String] { try await read(.collections) }

    /// The kinds of appliances of one manufacturer.
    package func plugins(of collection: String) async throws -> [String] {
        try await read(.plugins(collection: collection))
    }

    /// What the server needs to know before it adds an appliance of this kind.
    package func plugin(_ plugin: String, of collection: String) async throws -> PluginDescription {
        try await read(.plugin(plugin, collection: collection))
    }

    /// Sends a request that changes something: ``ControlRequest/set(_:of:to:)``, `rename`, `remove`, `add`.
    package func perform(_ request: ControlRequest) async throws {
        do {
            _ = try await answer(to: request)
        } catch let error as ServerError {
            if case .add = request, let failure = SetUpError(error) { throw failure }
            throw error
        }
    }

    /// How long the server behind the hub took, as the hub says.
    func note(pace: Duration) { self.pace = pace }

    private func read<Value: JSONReadable & Sendable>(_ request: ControlRequest) async throws -> Value {
        let body = try await answer(to: request)
        guard !body.isEmpty else { throw ServerError.unreadable("it is empty") }
        do {
            return try JSONReader.read(Value.self, from: body)
        } catch {
            throw ServerError.unreadable(error.description)
        }
    }

    private func answer(to request: ControlRequest) async throws -> [UInt8] {
        try await answer(to: request.request, isRepeatable: request.isRepeatable)
    }

    /// The body of a good answer.
    ///
    /// - Parameter isRepeatable: true if it may be sent twice.
    func answer(to request: HubRequest, isRepeatable: Bool = true) async throws -> [UInt8] {
        var pauses = CrowdPauses(within: deadlines.total)
        while true {
            do {
                return try await attempt(request, isRepeatable: isRepeatable)
            } catch let error as ServerError where error.isOfCrowd {
                guard let pause = pauses.next() else { throw error }
                try await Task.sleep(for: pause)
            } catch let error as HubConnectionError where error.reason == .closed && isRepeatable {
                // A hub at its limit closes connections that have not said yet whose they are.
                guard let pause = pauses.nextClosed() else { throw error }
                try await Task.sleep(for: pause)
            }
        }
    }

    private func attempt(_ request: HubRequest, isRepeatable: Bool) async throws -> [UInt8] {
        let start = ContinuousClock.now
        let (response, body): (HubResponse, [UInt8])
        do {
            (response, body) = try await connections.send(
                request, isRepeatable: isRepeatable, maximumBodyByteCount: HubHome.maximumBodyByteCount,
                deadlines: deadlines)
        } catch {
            throw await SilentServer.judge(error, after: deadlines.quiet) { [connections] in
                try await connections.open()
            }
        }
        pace = .now - start
        guard (200..<300).contains(response.status) else {
            throw ServerError(status: response.status, contentType: response["Content-Type"], body: body)
        }
        return body
    }
}

/// The pauses before a request is sent again that has found a crowd: the person's own programs, mostly, which
/// share the connections that a hub gives a device. About 12 seconds in all, and no longer than the request
/// may take.
struct CrowdPauses {
    /// A closed connection may have another reason, and its request may have arrived: it is not sent often.
    private static let maximumClosed = 3

    private var pauses =
        [100, 200, 400, 800].map(Duration.milliseconds) + Array(repeating: .seconds(1), count: 10)
    private var closed = 0
    private let end: ContinuousClock.Instant?

    /// - Parameter time: nil: as long as it takes.
    init(within time: Duration?) { end = time.map { .now + $0 } }

    mutating func next() -> Duration? {
        guard let pause = pauses.first, end.map({ .now + pause < $0 }) ?? true else { return nil }
        return pauses.removeFirst()
    }

    /// After a connection was closed.
    mutating func nextClosed() -> Duration? {
        closed += 1
        return closed > CrowdPauses.maximumClosed ? nil : next()
    }
}

extension HubHome: OrderedHouse {
    package func set(_ activator: String, of device: String, to state: JSONValue) async throws {
        try await perform(.set(activator, of: device, to: state))
    }
}

extension ControlRequest {
    /// The HTTP request.
    package var request: HubRequest {
        HubRequest(
            method: method, target: target,
            headers: json == nil ? [] : [("Content-Type", "application/json")], body: json)
    }

    /// True if the request may be sent twice (RFC 9110 § 9.2.2). Setting a state may.
    var isRepeatable: Bool {
        if case .add = self { false } else { true }
    }
}
