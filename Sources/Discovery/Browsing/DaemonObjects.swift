import CAvahi

/// Follows all A and AAAA records of one host on one interface: a resolver reports a single address, and two
/// servers may use the same host name. avahi's callback holds a pointer to this object.
final class HostWatch {
    let host: HostAddresses.Host
    // Unowned: the stack owns this object and outlives it.
    unowned let stack: DaemonBrowsing
    /// avahi's record browsers.
    var browsers: [OpaquePointer] = []

    init(_ host: HostAddresses.Host, stack: DaemonBrowsing) {
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
final class Resolution {
    let instance: ServiceInstance
    // Unowned: the stack owns this object and outlives it.
    unowned let stack: DaemonBrowsing
    var resolver: OpaquePointer?

    init(_ instance: ServiceInstance, stack: DaemonBrowsing) {
        self.instance = instance
        self.stack = stack
    }
}
