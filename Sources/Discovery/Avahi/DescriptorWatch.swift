import CAvahi
import CGlibc
import Glibc

/// Owns a file descriptor that an event loop watches, and calls back whenever it is readable, until `close`.
///
/// To be used on the loop's thread only. The owner must call `close`; until then the callback retains its
/// captures.
final class DescriptorWatch {
    let descriptor: Int32
    private let poll: UnsafePointer<AvahiPoll>
    private var watch: OpaquePointer?
    private var isReadable: (() -> Void)?

    /// Takes ownership of `descriptor`, and closes it even if this throws.
    init(_ descriptor: Int32, on loop: EventLoopThread, isReadable: @escaping () -> Void)
        throws(DiscoveryError)
    {
        self.descriptor = descriptor
        self.isReadable = isReadable
        poll = loop.poll
        watch = poll.pointee.watch_new?(
            poll, descriptor, AVAHI_WATCH_IN,
            { _, _, _, pointer in
                guard let pointer else { return }
                // This strong reference keeps the object alive while its callback runs, because the callback
                // may call close.
                let watch = Unmanaged<DescriptorWatch>.fromOpaque(pointer).takeUnretainedValue()
                watch.isReadable?()
            }, Unmanaged.passUnretained(self).toOpaque())
        guard watch != nil else {
            close()
            throw .avahi(AvahiCode.noMemory)
        }
    }

    /// Stops watching, closes the descriptor and releases the callback. A second call does nothing.
    func close() {
        guard isReadable != nil else { return }
        if let watch { poll.pointee.watch_free?(watch) }
        watch = nil
        isReadable = nil
        Glibc.close(descriptor)
    }
}

extension DescriptorWatch {
    /// Calls back when the kernel reports a change of links or addresses (rtnetlink(7)); nil if the netlink
    /// socket cannot be opened.
    static func networkChanges(on loop: EventLoopThread, changed: @escaping () -> Void) -> DescriptorWatch? {
        let descriptor = socket(
            AF_NETLINK, Int32(SOCK_RAW.rawValue) | O_CLOEXEC | O_NONBLOCK, Int32(NETLINK_ROUTE))
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        address.nl_groups = UInt32(RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR)
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_nl>.size))
            }
        }
        guard status == 0 else {
            Glibc.close(descriptor)
            return nil
        }
        return try? DescriptorWatch(descriptor, on: loop) {
            // The messages themselves are not read: the caller reads the whole state again, so an overrun
            // loses nothing.
            var buffer = [UInt8](repeating: 0, count: 8_192)
            for _ in 0..<64 where recv(descriptor, &buffer, buffer.count, 0) <= 0 { break }
            changed()
        }
    }
}
