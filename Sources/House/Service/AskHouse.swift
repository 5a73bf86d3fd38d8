import Glibc
package import HubService
import NIOHTTP1
import NIOPosix

/// Asks the house that runs; without one, the files themselves.
package enum AskHouse {
    private static let time = Duration.seconds(20)
    private static let maximumByteCount = 256 << 20

    /// - Parameters:
    ///   - question: a ``HouseQuestion`` as JSON.
    ///   - hub: whose household it is.
    /// - Returns: the answer or a ``HouseFault``, as JSON.
    package static func run(_ question: [UInt8], of hub: HubState) async -> [UInt8] {
        let group = MultiThreadedEventLoopGroup.singleton
        let client = LocalClient(LocalSocket.house, in: hub.sockets, on: group)
        do {
            let reply = try await client.open(.POST, HouseFields.questionPath, body: question, within: time)
            return try await reply.whole(maximum: maximumByteCount)
        } catch {
            // Nobody listens.
        }
        guard !hub.isHouseApart || geteuid() == 0 || geteuid() == hub.hookUser else {
            return HouseQuestions.bytes(
                HouseFault(
                    words: "the household of this hub does not answer",
                    hint: "'systemctl status hubpair-house' says more, or ask as root"
                ).members)
        }
        // What still lies where an older hub had it is the house's from now on.
        if hub.isHouseApart { try? hub.takeOverHousehold() }
        return HouseQuestions(hub.household).answer(question)
    }
}
