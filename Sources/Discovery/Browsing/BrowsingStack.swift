import CAvahi

/// What an mDNS stack tells a browse.
enum BrowsingEvent: Sendable {
    case announced(ServiceInstance, domain: [UInt8])
    case gone(ServiceInstance)
    /// No more instances are expected for now.
    case allForNow
    /// The address of an instance that was asked for; it comes again when something of it changes.
    case resolved(ResolvedService)
    case unresolved(ServiceInstance, ResolveError)
    /// A record of a host whose services were resolved.
    case address(NetworkAddress, HostAddresses.Host)
    case addressGone(NetworkAddress, HostAddresses.Host)
    /// The stack is of no use any more, but another one may be.
    case lost(DiscoveryError)
    /// The browse cannot go on.
    case failed(DiscoveryError)
}

/// A stack that can browse for one service type: owns what its C library has made for that.
///
/// All calls belong on the loop's thread. Events come from there too, some from within ``start()`` and
/// ``ask(_:domain:)``; nothing but ``free(_:)`` may be called from within one. Who makes one must call `close`.
protocol BrowsingStack: AnyObject {
    /// The most questions for addresses at a time.
    static var maximumQuestions: Int { get }

    init(
        on loop: EventLoopThread, serviceType: String, changed: @escaping (BrowsingEvent) -> Void
    ) throws(DiscoveryError)

    func start() throws(DiscoveryError)
    /// Asks for the address of an instance; `.unresolved` tells if that is not possible.
    func ask(_ instance: ServiceInstance, domain: [UInt8])
    /// Ends the question for an instance, if there is one.
    func free(_ instance: ServiceInstance)
    /// Frees everything, never from within an event; a second call does nothing.
    func close()
}

/// The A and AAAA records of one host on one interface, all of them: a resolver names one address, and two servers may
/// bear the same host name. avahi's callback points to it.
final class HostWatch<Stack: BrowsingStack> {
    let host: HostAddresses.Host
    // Unowned, because the stack holds it and outlives it.
    unowned let stack: Stack

    init(_ host: HostAddresses.Host, stack: Stack) {
        self.host = host
        self.stack = stack
    }

    /// What a record browser says of a record with these data.
    func event(_ event: AvahiBrowserEvent, _ data: some Sequence<UInt8>) -> BrowsingEvent? {
        guard let address = NetworkAddress(bytes: data, scope: host.interface.name) else { return nil }
        return switch event {
        case AVAHI_BROWSER_NEW: .address(address, host)
        case AVAHI_BROWSER_REMOVE: .addressGone(address, host)
        default: nil
        }
    }
}

/// One question for the address of one instance; avahi's callback points to it.
final class Resolution<Stack: BrowsingStack> {
    let instance: ServiceInstance
    // Unowned, because the stack holds it and outlives it.
    unowned let stack: Stack
    var resolver: OpaquePointer?

    init(_ instance: ServiceInstance, stack: Stack) {
        self.instance = instance
        self.stack = stack
    }
}
