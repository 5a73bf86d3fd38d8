package import NIOCore

/// How much a relay bears, for all, for each hub and for each caller.
package struct RelayLimits: Sendable {
    /// Connections of all callers and hubs.
    package var connections = 10_000
    /// Callers of one hub at a time.
    package var perHub = 512
    /// Connections of one source, an IPv4 address or an IPv6 /64, that are no admitted hub's.
    package var perCaller = 32
    /// Bytes a second, in both directions together, of all callers of one hub.
    package var hubRate = 64 << 20
    /// The same of one caller's connection.
    package var callerRate = 32 << 20
    /// The time from the first byte of a connection to its server name.
    package var hello = TimeAmount.seconds(5)
    /// How long a caller waits for its hub to send a spare connection.
    package var wait = TimeAmount.seconds(5)
    /// The time for the relay's own handshakes and requests.
    package var own = TimeAmount.seconds(10)
    /// How long one side may read nothing while bytes wait for it.
    package var stall = TimeAmount.seconds(60)
    /// Spare connections of one hub.
    package let spares = 128
    /// Bytes that wait for one side of a connection.
    package let waterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 32_768, high: 65_536)

    package init() {}
}
