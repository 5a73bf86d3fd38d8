import Crypto
import Testing

@testable import Discovery

extension LiveBrowsing {
    /// What publishes, and what browses without a daemon, leaves no thread and no descriptor.
    @Suite struct PublishingLeaks {
        @Test func aThousandPublishersLeaveNothing() async throws {
            _ = try Lab.directory()
            var number = 0
            try await Held.nothingAfter {
                number += 1
                let publisher = try HubPublisher(
                    announcement("Hub", type: "_hp-leak2._tcp"), usesDaemon: number.isMultiple(of: 2))
                let task = Task { await publisher.run() }
                try await Task.sleep(for: .milliseconds(number % 3))
                task.cancel()
                await task.value
            }
        }

        @Test func aThousandEmbeddedBrowsesLeaveNothing() async throws {
            _ = try Lab.directory()
            var number = 0
            try await Held.nothingAfter {
                number += 1
                let task = Task {
                    for try await _ in HubBrowser(serviceType: "_hp-leak3._tcp", through: .embedded).sightings
                    {}
                }
                try await Task.sleep(for: .milliseconds(number % 3))
                task.cancel()
                _ = await task.result
            }
        }
    }
}
