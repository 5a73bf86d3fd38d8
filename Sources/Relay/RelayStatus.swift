package import FoundationEssentials
package import Identity
import JSON
import Pairing

/// How one hub stands to the relay: a line of the relay's file `relay-status`, which may be deleted.
package struct RelayStatus: Equatable, Sendable {
    package static let fileName = "relay-status"

    package let hub: Fingerprint
    package let isConnected: Bool
    /// Since when it is connected, or is not.
    package let since: Date
    package let callers: Int
    /// What has gone through for it, both ways, since the relay began.
    package let byteCount: UInt64

    init(hub: Fingerprint, isConnected: Bool, since: Date, callers: Int, byteCount: UInt64) {
        (self.hub, self.isConnected, self.since) = (hub, isConnected, since)
        (self.callers, self.byteCount) = (callers, byteCount)
    }

    /// The line `FINGERPRINT yes|no TIME CALLERS BYTES`.
    var line: String { "\(hub) \(isConnected ? "yes" : "no") \(since.timestamp) \(callers) \(byteCount)\n" }

    init?(_ line: Substring) {
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 5, let hub = Fingerprint(words[0]), let since = Date(timestamp: words[2]),
            let callers = Int(words[3]), let byteCount = UInt64(words[4]), ["yes", "no"].contains(words[1])
        else { return nil }
        self.init(
            hub: hub, isConnected: words[1] == "yes", since: since, callers: callers, byteCount: byteCount)
    }
}
