/// Tries one port on every address of a range, for networks where multicast and broadcast do not arrive.
package struct Sweep: Sendable {
    /// The most addresses that are asked at once.
    package static let width = 64
    /// The longest time for TCP and TLS at one address.
    package static let connecting = Duration.milliseconds(500)
    /// The longest time for an answer of a server that has been reached.
    static let answering = Duration.seconds(3)

    private let range: SweepRange
    private let port: UInt16

    package init(_ range: SweepRange, port: UInt16 = HubAddress.defaultPort) {
        self.range = range
        self.port = port
    }

    /// Asks all of them. `report` is called once for each address, in any order, with the hub there, if any,
    /// and the number of addresses that are done.
    func run(_ report: (_ found: (HubAddress, RecognizedServer)?, _ done: Int, _ total: Int) -> Void)
        async throws
    {
        let recognize = try RecognizeServer(connecting: Sweep.connecting, answering: Sweep.answering)
        let addresses = range.addresses
        var next = 0
        var done = 0
        await withTaskGroup(of: (HubAddress, RecognizedServer)?.self) { group in
            while done < addresses.count, !Task.isCancelled {
                while next < addresses.count, next - done < Sweep.width {
                    let address = HubAddress(addresses[next], port: port)
                    next += 1
                    group.addTask {
                        try? await recognize.run([address])
                    }
                }
                guard let found = await group.next() else { break }
                done += 1
                report(found, done, addresses.count)
            }
            group.cancelAll()
        }
    }
}
