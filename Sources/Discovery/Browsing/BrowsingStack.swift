import CAvahi

/// An event that an mDNS stack reports to a browse.
enum BrowsingEvent: Sendable {
    /// The stack browses.
    case began
    /// The stack could not begin.
    case unavailable(DiscoveryError)
    case announced(ServiceInstance, domain: [UInt8])
    case gone(ServiceInstance)
    /// All instances that the stack knew before it asked are announced.
    case cacheRead
    /// No more instances are expected for now.
    case allForNow
    /// The answer to ``BrowsingStack/ask(_:domain:)``; it is reported again whenever the service changes.
    case resolved(ResolvedService)
    case unresolved(ServiceInstance, ResolveError)
    /// An A or AAAA record of a host whose services were resolved was added.
    case address(NetworkAddress, HostAddresses.Host)
    case addressGone(NetworkAddress, HostAddresses.Host)
    /// The addresses of this host are not followed any more.
    case unwatched(HostAddresses.Host)
    /// The stack is unusable, but a new one may work.
    case lost(DiscoveryError)
    /// The browse has failed and cannot continue.
    case failed(DiscoveryError)
}

/// An mDNS stack that browses for one service type. Owns the C library's objects for that.
///
/// All calls must come from the loop's thread. Events arrive on that thread too, some from within ``start()``
/// and ``ask(_:domain:)``; an event handler may call only ``free(_:)``. The owner must call `close`.
protocol BrowsingStack: AnyObject {
    /// The maximum number of concurrent questions for addresses.
    static var maximumQuestions: Int { get }

    func start() throws(DiscoveryError)
    /// Starts to resolve an instance; reports `.unresolved` if that is not possible.
    func ask(_ instance: ServiceInstance, domain: [UInt8])
    /// Stops resolving an instance; does nothing if it is not being resolved.
    func free(_ instance: ServiceInstance)
    /// Frees everything; must not be called from within an event. A second call does nothing.
    func close()
}

/// Follows all A and AAAA records of one host on one interface: a resolver reports a single address, and two
/// servers may use the same host name. avahi's callback holds a pointer to this object.
final class HostWatch<Stack: BrowsingStack> {
    let host: HostAddresses.Host
    // Unowned: the stack owns this object and outlives it.
    unowned let stack: Stack
    /// avahi's record browsers.
    var browsers: [OpaquePointer] = []

    init(_ host: HostAddresses.Host, stack: Stack) {
        self.host = host
        self.stack = stack
    }

    /// The event for a record browser's callback with the record data `data` (4 or 16 bytes).
    func event(_ event: AvahiBrowserEvent, _ data: some Sequence<UInt8>) -> BrowsingEvent? {
        guard let address = NetworkAddress(bytes: data, scope: host.interface.name) else { return nil }
        return switch event {
        case AVAHI_BROWSER_NEW: .address(address, host)
        case AVAHI_BROWSER_REMOVE: .addressGone(address, host)
        default: nil
        }
    }
}

/// One running question for the address of one instance. avahi's callback holds a pointer to this object.
final class Resolution<Stack: BrowsingStack> {
    let instance: ServiceInstance
    // Unowned: the stack owns this object and outlives it.
    unowned let stack: Stack
    var resolver: OpaquePointer?

    init(_ instance: ServiceInstance, stack: Stack) {
        self.instance = instance
        self.stack = stack
    }
}
