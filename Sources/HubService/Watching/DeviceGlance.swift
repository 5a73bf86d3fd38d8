import Glibc

/// Whether what a look-up has found still holds, for one event loop: the same question to the kernel, without
/// the register's lock.
///
/// A loop asks for every request. It finds the queue of events empty, and then the version that it knows: so
/// nothing has happened, neither in the queue nor by the hand of another that has emptied it, since that
/// grows the version first (``DeviceRegister/versionNow``). Otherwise it looks up again.
final class DeviceGlance {
    private let register: DeviceRegister
    /// One of its own: the kernel tells each descriptor of a change once.
    private let mounts = StateEvents.openMounts()
    private var polled: [pollfd]

    init(_ register: DeviceRegister) {
        self.register = register
        polled = [
            pollfd(fd: -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: mounts, events: Int16(POLLPRI), revents: 0),
        ]
    }

    deinit { if mounts >= 0 { close(mounts) } }

    /// True if a look-up would find the list that had this version then.
    func holds(_ version: UInt64) -> Bool {
        let queue = register.queueDescriptor
        guard queue >= 0, mounts >= 0, !register.isLookDue else { return false }
        polled[0].fd = queue
        guard poll(&polled, nfds_t(polled.count), 0) == 0 else {
            if polled[1].revents != 0 { register.noteMounts() }
            return false
        }
        return register.versionNow == version
    }
}
