import CAvahi

extension DaemonBrowsing {
    /// The most hosts that are followed, with two objects of the daemon each.
    private static let maximumHosts = 280

    func watchHost(_ host: HostAddresses.Host) {
        guard let client, hosts[host] == nil, hosts.count < DaemonBrowsing.maximumHosts else { return }
        let watch = HostWatch(host, stack: self)
        hosts[host] = watch
        for type in [RecordType.a, RecordType.aaaa] {
            // It lives as long as the client. One that cannot be made leaves the resolver's address.
            _ = avahi.avahi_record_browser_new(
                client, Int32(bitPattern: host.interface.index), Int32(AVAHI_PROTO_UNSPEC),
                cString(Array(host.name.utf8)),
                1, UInt16(type), AVAHI_LOOKUP_USE_MULTICAST,
                { _, _, _, event, _, _, _, data, size, _, pointer in
                    guard let pointer else { return }
                    let watch = Unmanaged<HostWatch<DaemonBrowsing>>.fromOpaque(pointer).takeUnretainedValue()
                    let bytes = UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : min(size, 17))
                    watch.event(event, bytes).map(watch.stack.changed)
                }, Unmanaged.passUnretained(watch).toOpaque())
        }
    }
}
