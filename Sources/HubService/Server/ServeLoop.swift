import NIOCore

/// One client's connection, as its event loop sees it.
protocol LoopConnection: AnyObject {
    /// Closes the connection of a device that came in and may no longer.
    func closeUnlessStillApproved()
    /// Closes, after what is written has gone out.
    func drain()
    /// Closes at once.
    func close()
}

/// What belongs to one event loop; used on that loop only.
final class ServeLoop {
    let eventLoop: any EventLoop
    let shared: ServerContext
    let pool: GatewayPool
    private(set) var isDraining = false
    private var connections: [ObjectIdentifier: any LoopConnection] = [:]
    private var whenEmpty: EventLoopPromise<Void>?

    init(_ eventLoop: any EventLoop, shared: ServerContext) {
        self.eventLoop = eventLoop
        self.shared = shared
        pool = GatewayPool(eventLoop, shared: shared)
    }

    func add(_ connection: some LoopConnection) { connections[ObjectIdentifier(connection)] = connection }

    func remove(_ connection: some LoopConnection) {
        connections[ObjectIdentifier(connection)] = nil
        guard connections.isEmpty, let promise = whenEmpty else { return }
        whenEmpty = nil
        pool.close()
        promise.succeed()
    }

    /// Closes the connections of devices that may no longer come in.
    func sweep() {
        for connection in Array(connections.values) { connection.closeUnlessStillApproved() }
    }

    /// Lets requests in flight finish and closes everything else.
    ///
    /// - Returns: when nothing is left.
    func drain() -> EventLoopFuture<Void> {
        isDraining = true
        let promise = eventLoop.makePromise(of: Void.self)
        if connections.isEmpty {
            pool.close()
            promise.succeed()
            return promise.futureResult
        }
        if let whenEmpty {
            whenEmpty.futureResult.cascade(to: promise)
        } else {
            whenEmpty = promise
        }
        for connection in Array(connections.values) { connection.drain() }
        return promise.futureResult
    }

    /// Closes everything at once.
    func closeAll() {
        for connection in Array(connections.values) { connection.close() }
    }
}
