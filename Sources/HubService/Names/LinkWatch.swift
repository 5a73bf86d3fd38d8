import Addresses
import CGlibc
import Dispatch
import Glibc

/// A thread that waits for the kernel to tell of new links and addresses, and calls a function each time,
/// until the watch is let go.
final class LinkWatch: Sendable {
    /// Readable when it is to end.
    private let end: Int32

    /// Nil if the system gives no descriptor for it.
    init?(_ changed: @escaping @Sendable () -> Void) {
        guard let routes = RouteSocket.open() else { return nil }
        var ends: [Int32] = [-1, -1]
        guard pipe2(&ends, O_CLOEXEC) == 0 else {
            RouteSocket.close(routes)
            return nil
        }
        end = ends[1]
        let isToEnd = ends[0]
        DispatchQueue(label: "hubpair.links").async {
            var polled = [
                pollfd(fd: isToEnd, events: Int16(POLLIN), revents: 0),
                pollfd(fd: routes, events: Int16(POLLIN), revents: 0),
            ]
            while true {
                _ = poll(&polled, nfds_t(polled.count), -1)
                // The other end is closed.
                if polled[0].revents != 0 { break }
                guard polled[1].revents != 0 else { continue }
                RouteSocket.drain(routes)
                changed()
            }
            RouteSocket.close(routes)
            close(isToEnd)
        }
    }

    deinit { close(end) }
}
