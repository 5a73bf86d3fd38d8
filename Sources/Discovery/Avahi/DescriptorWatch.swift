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

    var isOpen: Bool { isReadable != nil }

    /// Stops watching, closes the descriptor and releases the callback. A second call does nothing.
    func close() {
        guard isOpen else { return }
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
        guard let descriptor = RouteSocket.open() else { return nil }
        return try? DescriptorWatch(descriptor, on: loop) {
            RouteSocket.drain(descriptor)
            changed()
        }
    }
}
