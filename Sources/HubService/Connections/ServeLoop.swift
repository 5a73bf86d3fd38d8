import NIOCore

/// The state of one event loop, used only on that loop.
final class ServeLoop {
    let eventLoop: any EventLoop
    let shared: ServerContext
    let pool: GatewayPool
    /// Whether what is known of devices still holds.
    let glance: DeviceGlance
    private var pools: [ObjectIdentifier: GatewayPool] = [:]
    private(set) var isDraining = false
    private var connections: [ObjectIdentifier: ServeConnection] = [:]
    private var whenEmpty: EventLoopPromise<Void>?

    init(_ eventLoop: any EventLoop, shared: ServerContext) {
        self.eventLoop = eventLoop
        self.shared = shared
        glance = DeviceGlance(shared.devices.register)
        pool = GatewayPool(eventLoop, shared.link.habits)
    }

    func add(_ connection: ServeConnection) { connections[ObjectIdentifier(connection)] = connection }

    func remove(_ connection: ServeConnection) {
        connections[ObjectIdentifier(connection)] = nil
        guard connections.isEmpty, let promise = whenEmpty else { return }
        whenEmpty = nil
        closePools()
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
            closePools()
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

    private func closePools() {
        pool.close()
        for pool in pools.values { pool.close() }
    }

    /// The idle connections to a service; nil: to the server behind the hub.
    func pool(of service: ServedService?) -> GatewayPool {
        guard let service else { return pool }
        if let pool = pools[ObjectIdentifier(service)] { return pool }
        let pool = GatewayPool(eventLoop, service.link.habits)
        pools[ObjectIdentifier(service)] = pool
        return pool
    }

    /// Closes what belongs to a service.
    func close(_ service: ServedService) {
        for connection in Array(connections.values) where connection.service === service {
            connection.close()
        }
        pools.removeValue(forKey: ObjectIdentifier(service))?.close()
    }

    /// Closes everything at once.
    func closeAll() {
        for connection in Array(connections.values) { connection.close() }
    }
}
