import Addresses
import Discovery
import Identity

/// Looks for another machine that answers with this hub's key: a backup was restored there, and the old hub
/// goes on. Devices would come to either of them, and a device that one revokes stays welcome at the other.
///
/// It asks over UDP at the start and every ten minutes. The answer is signed; its source is not proven, so
/// this only warns, and `hubpair doctor` connects to be sure.
struct TwinWatch: Sendable {
    private static let interval = Duration.seconds(600)
    /// The network may come up after the hub.
    private static let firstLook = Duration.seconds(2)
    /// Strangers could pass answers on from any address.
    private static let mostNamed = 16

    /// Those of the keys that the hub shows.
    let pins: [Pin]
    /// The gates of a site have one key.
    let site: SiteHandle
    let log: ServeLog

    /// Goes on until its task is cancelled.
    func run() async {
        var named: Set<NetworkAddress> = []
        var pause = TwinWatch.firstLook
        while (try? await Task.sleep(for: pause)) != nil {
            pause = TwinWatch.interval
            for address in await look() where site.known == nil && named.count < TwinWatch.mostNamed {
                guard named.insert(address).inserted else { continue }
                log.warning(
                    .twin,
                    "another machine answers with this hub's key, at \(address); only one may serve with it: "
                        + "stop one of them, see 'hubpair doctor'")
            }
        }
    }

    /// The addresses that are not this machine's, and that answer with the hub's key.
    private func look() async -> Set<NetworkAddress> {
        let others = try? await Deadline(in: HubProber.answerTime).collect {
            var others: Set<NetworkAddress> = []
            do {
                for try await found in HubProber().replies where pins.contains(found.reply.pin) {
                    if !LocalNetwork.isOwn(found.address), !found.address.isLoopback {
                        others.insert(found.address)
                    }
                }
            } catch {
                // No network, or no descriptor left: the next look may have them.
            }
            return others
        }
        return others ?? []
    }
}
