import Identity
import NIOCore

/// The idle connections to the upstream of one event loop, separate for each device: bytes that an upstream
/// sends late, or in excess, never reach another device.
final class GatewayPool {
    /// The maximum number of idle connections of all devices.
    static let maximumIdleCount = 32
    /// The maximum number of idle connections of one device.
    static let maximumIdleCountOfDevice = 16
    /// How long a connection stays idle: less than servers allow, usually 60 s or more.
    private static let idleTime = TimeAmount.seconds(30)

    private let eventLoop: any EventLoop
    private let habits: UpstreamHabits
    /// Most recently used last.
    private var idle: [Pin: [UpstreamConnection]] = [:]
    private var count = 0
    private var isSweeping = false

    init(_ eventLoop: any EventLoop, _ habits: UpstreamHabits) {
        (self.eventLoop, self.habits) = (eventLoop, habits)
    }

    /// The most recently used idle connection of a device; nil if there is none.
    ///
    /// - Parameter isFresh: true for only a connection that was in use a moment ago.
    func take(for device: Pin, isFresh: Bool) -> UpstreamConnection? {
        guard var own = idle.removeValue(forKey: device) else { return nil }
        count -= own.count
        own.removeAll { !$0.isActive }
        let index = own.lastIndex { !isFresh || habits.isFresh($0.idleSince) }
        let taken = index.map { own.remove(at: $0) }
        if !own.isEmpty { idle[device] = own }
        count += own.count
        return taken
    }

    /// Returns a device's connection whose answer has been read completely. At a limit the one that has been
    /// idle for longest gives way: this one is fresh, and may carry what must not be repeated.
    func put(_ connection: UpstreamConnection, for device: Pin) {
        guard connection.isActive else { return connection.close() }
        if let own = idle[device], own.count >= GatewayPool.maximumIdleCountOfDevice {
            closeOldest(of: device, own)
        } else if count >= GatewayPool.maximumIdleCount {
            closeOldest()
        }
        connection.rest()
        idle[device, default: []].append(connection)
        count += 1
        sweepLater()
    }

    func close() {
        for connection in idle.values.joined() { connection.close() }
        idle = [:]
        count = 0
    }

    private func closeOldest() {
        let oldest = idle.min { one, other in
            guard let (first, second) = one.value.first.flatMap({ a in other.value.first.map { (a, $0) } })
            else { return false }
            return first.idleSince < second.idleSince
        }
        if let (device, own) = oldest { closeOldest(of: device, own) }
    }

    private func closeOldest(of device: Pin, _ own: [UpstreamConnection]) {
        guard let connection = own.first else { return }
        idle[device] = own.count > 1 ? Array(own.dropFirst()) : nil
        count -= 1
        connection.close()
    }

    private func sweepLater() {
        guard !isSweeping, count > 0 else { return }
        isSweeping = true
        eventLoop.assumeIsolated().scheduleTask(in: GatewayPool.idleTime) { [weak self] in self?.sweep() }
    }

    private func sweep() {
        isSweeping = false
        let limit = NIODeadline.now() - GatewayPool.idleTime
        for (device, own) in idle {
            let kept = own.filter { $0.idleSince > limit && $0.isActive }
            for connection in own where connection.idleSince <= limit { connection.close() }
            idle[device] = kept.isEmpty ? nil : kept
        }
        count = idle.values.reduce(0) { $0 + $1.count }
        sweepLater()
    }
}
