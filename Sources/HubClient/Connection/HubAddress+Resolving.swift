package import Addresses
import Glibc

extension HubAddress {
    /// Resolves the host to its distinct addresses, in the system's order (RFC 6724). This call blocks.
    package func resolved() throws(HubConnectionError) -> [HubAddress] {
        guard case .name(let name) = host else { return [self] }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(name, nil, &hints, &list)
        guard status == 0 else {
            throw HubConnectionError(
                address: description, reason: .unknownHost(String(cString: gai_strerror(status))))
        }
        defer { freeaddrinfo(list) }
        var found: [HubAddress] = []
        for entry in sequence(first: list, next: { $0?.pointee.ai_next }) {
            guard let entry = entry?.pointee, let address = SystemAddress(entry.ai_addr)?.address else {
                continue
            }
            let resolved = HubAddress(address, port: port)
            if !found.contains(resolved) { found.append(resolved) }
        }
        guard !found.isEmpty else {
            throw HubConnectionError(address: description, reason: .unknownHost("it has no address"))
        }
        return found
    }
}
