import NIOCore

/// The state of one event loop, used only on that loop.
final class ServeLoop {
    let eventLoop: any EventLoop
    let shared: ServerContext
    let pool: GatewayPool
    private(set) var isDraining = false
    private var connections: [ObjectIdentifier: ServeConnection] = [:]
    private var whenEmpty: EventLoopPromise<Void>?

    init(_ eventLoop: any EventLoop, shared: ServerContext) {
        self.eventLoop = eventLoop
        self.shared = shared
        pool = GatewayPool(eventLoop, shared.link.habits)
    }

    func add(_ connection: ServeConnection) { connections[ObjectIdentifier(connection)] = connection }

    func remove(_ connection: ServeConnection) {
        connections[ObjectIdentifier(connection)] = nil
        guard connections.isEmpty, let promise = whenEmpty else { return }
        whenEmpty = nil
        pool.close()
        promise.succeed()
    }

    /// Closes the connections of devices that have lost access.
    func sweep() {
        for connection in Array(connections.values) { connection.closeUnlessStillApproved() }
    }

    /// Notes which devices are here.
    func noteDevices() {
        for connection in connections.values { connection.noteDevice() }
    }

    /// Lets requests in progress finish and closes all other connections.
    ///
    /// - Returns: a future that succeeds when all are closed.
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
