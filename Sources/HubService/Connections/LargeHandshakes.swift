import NIOCore
import Synchronization

/// Places for clients whose certificates are larger than a device's: 16 connections of all strangers
/// together.
///
/// Each byte of a certificate takes up to 40 bytes of memory, during parsing and until the connection ends,
/// because BoringSSL keeps the whole chain with the session. 16 KiB from each of 512 strangers would take 270
/// MB; 1 KiB from each and 16 KiB from these few take at most 26 MB.
final class LargeHandshakes: Sendable {
    /// The maximum number of connections.
    static let count = 16

    /// Oldest first.
    private let channels = Mutex<[any Channel]>([])

    /// Adds a connection.
    ///
    /// - Returns: true if the oldest was closed to make room.
    func enter(_ channel: any Channel) -> Bool {
        let oldest: (any Channel)? = channels.withLock { channels in
            guard !channels.contains(where: { $0 === channel }) else { return nil }
            channels.append(channel)
            return channels.count > LargeHandshakes.count ? channels.removeFirst() : nil
        }
        if let oldest { ConnectionLimiter.end(oldest) }
        return oldest != nil
    }

    /// Removes a connection that is closed or belongs to an approved device.
    func leave(_ channel: any Channel) { channels.withLock { $0.removeAll { $0 === channel } } }
}
