/// What became of datagrams.
public struct ProbeCounts: Hashable, Sendable {
    /// Datagrams that the kernel took.
    public var sent = 0
    /// Datagrams that the kernel refused, by errno: EPERM speaks for a firewall, ENETUNREACH for a missing
    /// route.
    public var refused: [Int32: Int] = [:]
    /// Replies (on a device) or probes (on a hub) that were good.
    public var accepted = 0
    /// What was dropped, by reason.
    public var dropped: [ProbeDrop: Int] = [:]

    /// Nothing so far.
    public init() {}

    mutating func note(_ errno: Int32) {
        if errno == 0 { sent += 1 } else { refused[errno, default: 0] += 1 }
    }
}
