import CAvahi

// All addresses of a host: a resolver names one, and two servers may bear the same host name.
extension BrowseSession {
    /// The A and AAAA records of one host on one interface; avahi's callback points to it.
    final class HostWatch {
        struct Key: Hashable, Sendable {
            let host: String
            let interface: NetworkInterface
        }

        let key: Key
        // Unowned, because the session holds it and outlives it.
        unowned let session: BrowseSession
        /// How often each is known: once for each family of packets that brought the record.
        var addresses: [NetworkAddress: Int] = [:]

        init(_ key: Key, session: BrowseSession) {
            self.key = key
            self.session = session
        }
    }

    /// The most hosts that are followed, with two objects of the daemon each.
    private static let maximumHosts = 280

    func watchHost(_ host: String, on interface: NetworkInterface) {
        let key = HostWatch.Key(host: host, interface: interface)
        guard let client, hosts[key] == nil, hosts.count < BrowseSession.maximumHosts else { return }
        let watch = HostWatch(key, session: self)
        hosts[key] = watch
        for type in [RecordType.a, RecordType.aaaa] {
            // It lives as long as the client. One that cannot be made leaves the resolver's address.
            _ = avahi_record_browser_new(
                client, Int32(bitPattern: interface.index), Int32(AVAHI_PROTO_UNSPEC),
                cString(Array(host.utf8)),
                1, UInt16(type), AVAHI_LOOKUP_USE_MULTICAST,
                { _, _, _, event, _, _, _, data, size, _, pointer in
                    guard let pointer else { return }
                    let watch = Unmanaged<HostWatch>.fromOpaque(pointer).takeUnretainedValue()
                    let bytes = UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : min(size, 17))
                    let key = watch.key
                    guard let address = NetworkAddress(bytes: bytes, scope: key.interface.name) else {
                        return
                    }
                    watch.session.assumeIsolated {
                        if event == AVAHI_BROWSER_NEW { $0.addressSeen(address, at: key) }
                        if event == AVAHI_BROWSER_REMOVE { $0.addressLost(address, at: key) }
                    }
                }, Unmanaged.passUnretained(watch).toOpaque())
        }
    }

    private func addressSeen(_ address: NetworkAddress, at key: HostWatch.Key) {
        staleAddresses[key]?.remove(address)
        guard let host = hosts[key],
            host.addresses[address] != nil || host.addresses.count < HubListing.maximumAddresses
        else { return }
        host.addresses[address, default: 0] += 1
        if host.addresses[address] == 1 { send(.address(address, host: key.host, interface: key.interface)) }
    }

    private func addressLost(_ address: NetworkAddress, at key: HostWatch.Key) {
        guard let host = hosts[key], let count = host.addresses[address] else { return }
        host.addresses[address] = count > 1 ? count - 1 : nil
        if count <= 1 { send(.addressGone(address, host: key.host, interface: key.interface)) }
    }
}
