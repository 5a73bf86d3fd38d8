import FoundationEssentials
import Pairing

extension KnownHubs {
    /// Takes over the hubs of a site that one of them has told of: all let this computer in.
    ///
    /// A hub that lies can add hubs that are its own, which learn which key this computer has, and no more: a
    /// hub that is known keeps its name, its key unless that itself has named another, and its ways unless it
    /// came from the same hub. Of one teller no more are kept than it may tell of at a time, or it could fill
    /// the file with ever new ones.
    ///
    /// - Returns: the hubs of which a new key was taken over.
    @discardableResult
    mutating func take(_ told: [SiteHub], by teller: Pin, at now: Date) -> [(hub: KnownHub, new: Pin)] {
        var followed: [(hub: KnownHub, new: Pin)] = []
        let left = hubs.first { $0.pin == teller }?.left ?? []
        for each in told where each.pin != teller && !left.contains(each.pin.fingerprint) {
            if let statement = each.statement {
                guard !left.contains(statement.old.fingerprint) else { continue }
                if let hub = hubs.first(where: { $0.pin == statement.old }),
                    (try? statement.check(pinned: hub.pin, serial: hub.serial, at: now)) != nil
                {
                    follow(statement)
                    followed.append((hub, statement.new))
                }
            }
            if var hub = hubs.first(where: { $0.pin == each.pin }) {
                guard hub.by == teller.fingerprint else { continue }
                let before = hub
                hub.tell(each.ways)
                if hub != before { insert(hub) }
                continue
            }
            guard hubs.count(where: { $0.by == teller.fingerprint }) < SiteHub.maximumCount else { continue }
            // The user had added it by its address.
            let noted = added.first { $0.id == each.pin.fingerprint }
            if let noted { forgetAdded(noted.name) }
            let others = hubs.map(\.name) + added.map(\.name)
            var hub = KnownHub(
                name: noted?.name ?? PairFiles.freeName(each.name, among: others), pin: each.pin,
                address: each.ways.first?.address, paired: now)
            hub.by = teller.fingerprint
            hub.tell(each.ways)
            insert(hub)
        }
        return followed
    }
}
