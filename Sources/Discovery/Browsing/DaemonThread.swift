import Synchronization

/// Browses through avahi-daemon on a thread of its own: libavahi-client waits for the daemon's answer to each
/// call, for up to 25 seconds if the daemon hangs, and whoever listens to the network must not wait with it.
///
/// Orders go in and events come out in their order, and many at a time: with 200 hubs there are hundreds.
actor DaemonThread {
    enum Order: Sendable {
        /// Connects, and begins to browse: ``BrowsingEvent/began`` follows, or
        /// ``BrowsingEvent/unavailable(_:)``.
        case start
        case ask(ServiceInstance, domain: [UInt8])
        case free(ServiceInstance)
        /// Frees everything.
        case close
    }

    private let loop: EventLoopThread
    private let serviceType: String
    private let follows: Bool
    private let report: @Sendable (BrowsingEvent) -> Void
    private let orders = Batch<Order>()
    private var stack: DaemonBrowsing?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// - Parameter report: called on the thread of this actor.
    init(
        serviceType: String, follows: Bool, report: @escaping @Sendable (BrowsingEvent) -> Void
    ) throws(DiscoveryError) {
        loop = try EventLoopThread()
        (self.serviceType, self.follows, self.report) = (serviceType, follows, report)
    }

    /// Returns at once. The last order must be ``Order/close``.
    nonisolated func post(_ order: Order) {
        if orders.add(order) { Task { await carryOut() } }
    }

    private func carryOut() {
        for order in orders.take() {
            switch order {
            case .start: start()
            case .ask(let instance, let domain): stack?.ask(instance, domain: domain)
            case .free(let instance): stack?.free(instance)
            case .close:
                stack?.close()
                stack = nil
            }
        }
    }

    private func start() {
        do throws(DiscoveryError) {
            let stack = try DaemonBrowsing(
                on: loop, serviceType: serviceType, follows: follows, changed: report)
            self.stack = stack
            try stack.start()
            report(.began)
        } catch {
            report(.unavailable(error))
        }
    }
}

/// What waits to be taken by another thread, in order: at most ``HubBrowser/maximumUnread`` items.
final class Batch<Item: Sendable>: Sendable {
    private let items = Mutex<[Item]>([])

    /// True if it is the first that waits: whoever takes them is to be woken.
    func add(_ item: Item) -> Bool {
        items.withLock { items in
            guard items.count < HubBrowser.maximumUnread else { return false }
            items.append(item)
            return items.count == 1
        }
    }

    func take() -> [Item] {
        items.withLock { items in
            defer { items = [] }
            return items
        }
    }
}
