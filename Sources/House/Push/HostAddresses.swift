import Addresses
import Dispatch
import Glibc

/// The addresses of a host that the house calls: a push service, a camera.
enum HostAddresses {
    /// Distinct ones in the system's order (RFC 6724); none if the name is unknown. It blocks a thread of its
    /// own, as long as the system takes.
    static func all(of host: String) async -> [NetworkAddress] {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var hints = addrinfo()
                var list: UnsafeMutablePointer<addrinfo>?
                guard getaddrinfo(host, nil, &hints, &list) == 0 else {
                    return continuation.resume(returning: [])
                }
                defer { freeaddrinfo(list) }
                // An address comes once for each kind of socket.
                var found: [NetworkAddress] = []
                for entry in sequence(first: list, next: { $0?.pointee.ai_next }) {
                    guard let entry = entry?.pointee, let address = SystemAddress(entry.ai_addr)?.address
                    else { continue }
                    if !found.contains(address) { found.append(address) }
                }
                continuation.resume(returning: found)
            }
        }
    }
}
