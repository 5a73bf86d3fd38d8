import CAvahi

// All addresses of a host: a resolver names one, and two servers may bear the same host name.
extension DaemonBrowsing {
    /// The A and AAAA records of one host on one interface; avahi's callback points to it.
    final class HostWatch {
        let host: HostAddresses.Host
        // Unowned, because the stack holds it and outlives it.
        unowned let stack: DaemonBrowsing

        init(_ host: HostAddresses.Host, stack: DaemonBrowsing) {
            self.host = host
            self.stack = stack
        }
    }

    /// The most hosts that are followed, with two objects of the daemon each.
    private static let maximumHosts = 280

    func watchHost(_ host: HostAddresses.Host) {
        guard let client, hosts[host] == nil, hosts.count < DaemonBrowsing.maximumHosts else { return }
        let watch = HostWatch(host, stack: self)
        hosts[host] = watch
        for type in [RecordType.a, RecordType.aaaa] {
            // It lives as long as the client. One that cannot be made leaves the resolver's address.
            _ = avahi_record_browser_new(
                client, Int32(bitPattern: host.interface.index), Int32(AVAHI_PROTO_UNSPEC),
                cString(Array(host.name.utf8)),
                1, UInt16(type), AVAHI_LOOKUP_USE_MULTICAST,
                { _, _, _, event, _, _, _, data, size, _, pointer in
                    guard let pointer else { return }
                    let watch = Unmanaged<HostWatch>.fromOpaque(pointer).takeUnretainedValue()
                    let bytes = UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : min(size, 17))
                    guard let address = NetworkAddress(bytes: bytes, scope: watch.host.interface.name) else {
                        return
                    }
                    if event == AVAHI_BROWSER_NEW { watch.stack.changed(.address(address, watch.host)) }
                    if event == AVAHI_BROWSER_REMOVE {
                        watch.stack.changed(.addressGone(address, watch.host))
                    }
                }, Unmanaged.passUnretained(watch).toOpaque())
        }
    }
}
