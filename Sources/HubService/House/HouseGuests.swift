import GatewayRules
import Pairing
import Synchronization

/// Which appliances guests may set, as the house says. Each request asks it anew; for one that is under way
/// when something changes, its verdict is kept.
final class HouseGuests: Sendable {
    /// So many appliances are set by guests at a time, at most; beyond them a verdict is not kept.
    private static let maximumCount = 1_000

    private let link: HouseLink
    private let verdicts = Mutex<[String: GuestVerdict]>([:])

    init(_ link: HouseLink) { self.link = link }

    /// The last verdict; nil if nobody has asked.
    func verdict(on appliance: String) -> GuestVerdict? { verdicts.withLock { $0[appliance] } }

    /// Asks the house; fails closed.
    func ask(about appliance: String) async -> GuestVerdict {
        let verdict = await link.verdict(on: appliance)
        verdicts.withLock { verdicts in
            if verdicts.count >= HouseGuests.maximumCount { verdicts = [:] }
            verdicts[appliance] = verdict
        }
        return verdict
    }

    /// Asks again for all that are kept: their people may have said otherwise.
    func filesChanged() async {
        for appliance in verdicts.withLock({ Array($0.keys) }) { _ = await ask(about: appliance) }
    }
}
