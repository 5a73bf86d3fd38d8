import NIOCore
import Synchronization

/// Room for clients whose certificates are larger than a device's: 16 connections at a time, of all strangers
/// together.
///
/// A certificate's byte costs up to 40 bytes of memory while it is parsed, and as long as its connection
/// lasts: BoringSSL keeps the whole chain with the session. 16 KiB from each of 512 strangers would be 270
/// MB; with 1 KiB from each and 16 KiB from these few it is 26 MB at most.
final class LargeHandshakes: Sendable {
    /// The most connections in it.
    static let count = 16

    /// The oldest first.
    private let channels = Mutex<[any Channel]>([])

    /// Takes a connection in.
    ///
    /// - Returns: true if the oldest was closed, to make room.
    func enter(_ channel: any Channel) -> Bool {
        let oldest: (any Channel)? = channels.withLock { channels in
            guard !channels.contains(where: { $0 === channel }) else { return nil }
            channels.append(channel)
            return channels.count > LargeHandshakes.count ? channels.removeFirst() : nil
        }
        if let oldest { ConnectionLimiter.end(oldest) }
        return oldest != nil
    }

    /// The connection needs no room any more: it is closed, or an approved device's.
    func leave(_ channel: any Channel) { channels.withLock { $0.removeAll { $0 === channel } } }
}
