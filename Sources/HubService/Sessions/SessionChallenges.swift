import Crypto
package import Pairing

/// Makes challenges that browsers sign, and knows its own again without keeping them: strangers can ask for
/// as many as they like, and none of them takes memory or another's place.
///
///     challenge = time random tag          ; 32 bytes
///     time      = 8OCTET                   ; milliseconds, big endian
///     random    = 8OCTET
///     tag       = 16OCTET                  ; the beginning of HMAC-SHA256(key, time random pin)
///
/// The key is made at the start of the hub. To browsers a challenge is 32 bytes without a meaning. That it
/// works only once is kept by ``SessionTable``, and only for the devices that have access.
package struct SessionChallenges: Sendable {
    /// Milliseconds.
    package static let lifetime: UInt64 = 60_000

    private let key = SymmetricKey(size: .bits256)

    package init() {}

    /// - Parameter now: milliseconds of a clock that only goes forward.
    package func make(for device: Pin, now: UInt64) -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        let head = bigEndian(now) + bigEndian(random.next())
        return head + tag(head, device)
    }

    /// True if the challenge was made here for this device, at most 60 s ago.
    package func isFresh(_ challenge: [UInt8], for device: Pin, now: UInt64) -> Bool {
        guard challenge.count == SessionRequest.challengeByteCount else { return false }
        let head = Array(challenge.prefix(16))
        let made = head.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let difference = zip(tag(head, device), challenge.dropFirst(16)).reduce(UInt8(0)) {
            $0 | ($1.0 ^ $1.1)
        }
        return difference == 0 && made <= now && now - made < SessionChallenges.lifetime
    }

    private func tag(_ head: [UInt8], _ device: Pin) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: head + device.bytes, using: key).prefix(16))
    }

    private func bigEndian(_ number: UInt64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
    }
}
