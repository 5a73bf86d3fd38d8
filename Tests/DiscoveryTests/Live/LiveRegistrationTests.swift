import Crypto
import Testing

@testable import Discovery

extension LiveBrowsing {
    /// avahi 0.8 leaves a service unregistered for ever (its issues 7 and 234); it is published again.
    @Suite struct Registration {
        /// While the probes are out (0 to 250 ms, then three times 250 ms) an interface's address goes and
        /// comes back: avahi 0.8 waits for ever for the probes that went with it. On a busy machine they
        /// begin later, and that takes several attempts.
        private func getStuck(
            _ address: String, on interface: String, of host: SecondHost? = nil,
            publishing type: String, by stack: HubPublisher.Stack, _ publisher: () throws -> HubPublisher
        ) async throws {
            let ip = ["ip"] + (host == nil ? [] : ["-n", "host2"]) + ["address"]
            for attempt in 0..<20 {
                let disturbance = Task {
                    try await Task.sleep(for: .milliseconds(300 * (1 + attempt % 4)))
                    try Lab.run(ip + ["delete", address, "dev", interface])
                    try Lab.run(ip + ["add", address, "brd", "+", "dev", interface])
                }
                let events = try await publishing(publisher()) { events in
                    try await disturbance.value
                    let seen = try await sightings(of: type) { !$0.hubs.isEmpty }
                    #expect(seen.hubs.map(\.name) == ["Hub"])
                    return events.all
                }
                guard events.first == .overdue(name: "Hub", by: stack) else { continue }
                #expect(events == [.overdue(name: "Hub", by: stack), .published(name: "Hub", by: stack)])
                return
            }
            Issue.record("avahi did not get stuck: then this test tells nothing")
        }

        @Test func aServiceThatTheDaemonHasStuckIsPublishedAgain() async throws {
            let type = "_hp-stuck._tcp"
            try await getStuck("192.168.77.1/24", on: "lan0", publishing: type, by: .daemon) {
                _ = try Lab.directory()
                return try HubPublisher(announcement("Hub", type: type))
            }
        }

        @Test func aServiceThatIsStuckWithoutADaemonIsPublishedAgain() async throws {
            let type = "_hp-stuck2._tcp"
            let other = try SecondHost()
            let timeout = RegistrationTimeout(first: .seconds(3))
            try await getStuck(
                "192.168.79.2/24", on: "lan2-far", of: other, publishing: type, by: .embedded
            ) {
                try other.within {
                    try HubPublisher(announcement("Hub", type: type), usesDaemon: false, timeout: timeout)
                }
            }
        }
    }
}
