/// What a hub and its relay say to each other on their TLS connections, before a caller's bytes.
///
/// The hub asks for the protocol `hubpair-relay/1` (ALPN, RFC 7301), with both pins checked, and sends one
/// byte: `C` for the control connection, `S` for a spare one. Then:
///
///     hub   = %x00 / proof        ; a ping, which the relay sends back
///     relay = %x00 / waiting / verdict / ProxyHeader
///     waiting = %x01 count(1)     ; on the control connection: so many callers have no spare connection
///     proof = %x02 length(3) PEM  ; the same: a certificate for public names with its chain; empty: none
///     verdict = %x02 %x00-02      ; to a proof; see ``Verdict``
///
/// A spare connection belongs to a caller from the ``ProxyHeader`` on, and carries its bytes from there.
package enum RelayWire {
    package static let applicationProtocol = "hubpair-relay/1"
    package static let control = UInt8(ascii: "C")
    package static let spare = UInt8(ascii: "S")
    package static let ping: UInt8 = 0x00
    package static let waiting: UInt8 = 0x01
    package static let proof: UInt8 = 0x02

    /// What a relay says to a proof.
    package enum Verdict: UInt8, Sendable {
        case taken = 0
        /// It is not the hub's, or no authority that the relay knows has issued it.
        case notBelieved = 1
        /// All its names are given to other hubs.
        case givenToOthers = 2
    }

    /// The proofs that a relay looks at of one connection.
    package static let maximumProofCount = 16

    /// How many spare connections a hub keeps.
    package static let spareCount = 3
    /// The most that it opens for waiting callers.
    package static let maximumSpareCount = 64
    /// Seconds between two pings on the control connection; without an answer by the next one it is lost.
    package static let controlPing: Int64 = 4
    /// The same on a spare one, which only keeps the way through routers open.
    package static let sparePing: Int64 = 20
    /// Seconds without a byte from the hub after which the relay gives a connection up.
    package static let silence: Int64 = 50
}

/// How long to wait before the next attempt to connect: doubling, with jitter, so that hubs do not come back
/// to a relay all at once.
package struct BackOff: Sendable {
    private var attempts = 0
    private static let first = 250
    /// A hub is to be back within 10 seconds.
    private static let last = 4_000

    package init() {}

    /// Milliseconds until the next attempt.
    ///
    /// - Parameter random: from 0 to 1.
    package mutating func next(random: Double) -> Int {
        let full = min(BackOff.first << min(attempts, 8), BackOff.last)
        attempts += 1
        return full / 2 + Int(Double(full / 2) * min(max(random, 0), 1))
    }

    package mutating func succeed() { attempts = 0 }
}

/// A budget of bytes for each second, with a burst of one second. A pure value: the time is a parameter.
package struct ByteBudget: Sendable {
    private let rate: Double
    private var tokens: Double
    private var last: UInt64

    /// - Parameters:
    ///   - rate: bytes a second.
    ///   - now: nanoseconds.
    package init(rate: Int, now: UInt64) {
        self.rate = Double(max(rate, 1))
        (tokens, last) = (Double(max(rate, 1)), now)
    }

    /// Takes bytes that have arrived.
    ///
    /// - Returns: nanoseconds until more may be read; 0: now.
    package mutating func take(_ count: Int, now: UInt64) -> UInt64 {
        tokens = min(rate, tokens + Double(now &- min(last, now)) / 1e9 * rate) - Double(count)
        last = max(last, now)
        return tokens >= 0 ? 0 : UInt64(min(-tokens / rate, 60) * 1e9)
    }
}
