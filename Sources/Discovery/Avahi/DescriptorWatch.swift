import CAvahi
import CGlibc
import Glibc

/// A descriptor on a loop: owns it, and calls back when it is readable until `close`.
///
/// Everything but the loop's own thread must leave it alone. Whoever makes one must see to it that `close` is
/// called; the callback holds what it captures until then.
final class DescriptorWatch {
    let descriptor: Int32
    private let poll: UnsafePointer<AvahiPoll>
    private var watch: OpaquePointer?
    private var isReadable: (() -> Void)?

    /// Takes over `descriptor`, and closes it also if this fails.
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
                // This reference keeps the object while its callback runs, which may call close.
                let watch = Unmanaged<DescriptorWatch>.fromOpaque(pointer).takeUnretainedValue()
                watch.isReadable?()
            }, Unmanaged.passUnretained(self).toOpaque())
        guard watch != nil else {
            close()
            throw .avahi(AvahiCode.noMemory)
        }
    }

    /// Lets go of the loop, the descriptor and the callback; a second call does nothing.
    func close() {
        guard isReadable != nil else { return }
        if let watch { poll.pointee.watch_free?(watch) }
        watch = nil
        isReadable = nil
        Glibc.close(descriptor)
    }
}

extension DescriptorWatch {
    /// Calls back when the kernel reports a change of links or addresses (rtnetlink(7)); nil if it cannot.
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
            // Only that something changed counts, and that is then read anew: so an overrun loses nothing.
            var buffer = [UInt8](repeating: 0, count: 8_192)
            for _ in 0..<64 where recv(descriptor, &buffer, buffer.count, 0) <= 0 { break }
            changed()
        }
    }
}
