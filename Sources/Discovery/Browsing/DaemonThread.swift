import Synchronization

/// Browses through avahi-daemon on a thread of its own: libavahi-client waits for the daemon's answer to each
/// call, for up to 25 seconds if the daemon hangs, and whoever listens to the network must not wait with it.
///
/// Orders go in and events come out in their order, and many at a time: with 200 hubs there are hundreds.
actor DaemonThread {
    typealias Order = @Sendable (isolated DaemonThread) -> Void

    private let loop: EventLoopThread
    private let serviceType: String
    private let follows: Bool
    private let report: @Sendable (BrowsingEvent) -> Void
    private let orders = Batch<Order>()
    var stack: DaemonBrowsing?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// - Parameter report: called on the thread of this actor.
    init(
        serviceType: String, follows: Bool, report: @escaping @Sendable (BrowsingEvent) -> Void
    ) throws(DiscoveryError) {
        loop = try EventLoopThread()
        (self.serviceType, self.follows, self.report) = (serviceType, follows, report)
    }

    /// Returns at once. The last order must be to drop the stack.
    nonisolated func post(_ order: @escaping Order) {
        if orders.add(order) == .first { Task { await carryOut() } }
    }

    private func carryOut() {
        for order in orders.take() { order(self) }
    }

    /// Connects, and begins to browse: ``BrowsingEvent/began`` follows, or ``BrowsingEvent/unavailable(_:)``.
    func start() {
        do throws(DiscoveryError) {
            stack = try DaemonBrowsing(
                on: loop, serviceType: serviceType, follows: follows, changed: report)
            report(.began)
        } catch {
            report(.unavailable(error))
        }
    }
}

/// What waits to be taken by another thread, in order: with 200 hubs an mDNS stack says hundreds of things,
/// each a moment after the other, and to wake somebody for each costs more than the search itself.
///
/// Holds at most ``HubBrowser/maximumUnread`` items; the threat is a host that announces thousands of
/// services.
package final class Batch<Item: Sendable>: Sendable {
    package enum Addition { case first, further, refused }

    private let items = Mutex<[Item]>([])

    package init() {}

    /// Adds an item, from any thread. `first`: whoever takes them is to be woken; `refused`: it is full.
    package func add(_ item: Item) -> Addition {
        items.withLock { items in
            guard items.count < HubBrowser.maximumUnread else { return .refused }
            items.append(item)
            return items.count == 1 ? .first : .further
        }
    }

    package func take() -> [Item] {
        items.withLock { items in
            defer { items = [] }
            return items
        }
    }
}
