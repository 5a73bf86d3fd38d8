package import FoundationEssentials
package import Identity

/// Which hub a relay's callers reach by a public name. A hub proves its names with a certificate of its own
/// key that a public authority has issued; of two hubs with one name the later certificate counts, since
/// names change hands. A proof stays while its hub is away, so nobody takes its place meanwhile. A pure
/// value: the time is a parameter.
package struct RelayNames: Sendable {
    /// The most names of one hub.
    package static let maximumCount = 16

    private struct Proof {
        let hub: Fingerprint
        let begins: Date
        let ends: Date
    }

    private var proofs: [String: [Proof]] = [:]

    package init() {}

    /// Takes what a hub's certificate proves, in place of what an earlier one did.
    ///
    /// - Parameters:
    ///   - names: in lower case; more than ``maximumCount`` are left out.
    ///   - begins: when its time begins.
    ///   - ends: when its time is over.
    package mutating func prove(
        _ names: [String], by hub: Fingerprint, from begins: Date, until ends: Date
    ) {
        forget(hub)
        for name in Set(names.prefix(RelayNames.maximumCount)) {
            proofs[name, default: []].append(Proof(hub: hub, begins: begins, ends: ends))
        }
    }

    package mutating func forget(_ hub: Fingerprint) {
        for (name, all) in proofs {
            let others = all.filter { $0.hub != hub }
            proofs[name] = others.isEmpty ? nil : others
        }
    }

    /// The hub that holds a name now.
    package func holder(of name: String, at now: Date) -> Fingerprint? {
        proofs[name]?.filter { $0.begins <= now && now <= $0.ends }.max { $0.begins < $1.begins }?.hub
    }
}
