import Addresses

/// Tries one port on every address of a range, for networks where multicast and broadcast do not arrive.
package struct Sweep: Sendable {
    /// The maximum number of addresses that are asked concurrently.
    package static let width = 64
    /// The maximum time for TCP and TLS at one address.
    package static let connecting = Duration.milliseconds(500)
    /// The maximum time for a response of a connected server.
    static let answering = Duration.seconds(3)

    private let range: SweepRange
    private let port: UInt16

    package init(_ range: SweepRange, port: UInt16 = HubAddress.defaultPort) {
        self.range = range
        self.port = port
    }

    /// Asks all addresses. `report` is called once for each address, in any order, with the server there, if
    /// any, and the number of addresses done.
    func run(_ report: (_ found: (HubAddress, RecognizedServer)?, _ done: Int, _ total: Int) -> Void)
        async throws
    {
        let recognize = try RecognizeServer(connecting: Sweep.connecting, answering: Sweep.answering)
        let places = range.addresses.map { HubAddress($0, port: port) }
        var (next, done) = (0, 0)
        await withTaskGroup(of: (HubAddress, RecognizedServer)?.self) { group in
            while done < places.count, !Task.isCancelled {
                while next < places.count, next - done < Sweep.width {
                    group.addTask { [next] in try? await recognize.run([places[next]]) }
                    next += 1
                }
                guard let found = await group.next() else { break }
                done += 1
                report(found, done, places.count)
            }
            group.cancelAll()
        }
    }
}
