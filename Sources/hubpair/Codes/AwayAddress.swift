import Addresses
import HubClient
import HubService
import Identity
import Pairing

/// Where devices outside reach the hub: the first of its ways with an IPv4 address, which a code can name.
struct AwayAddress {
    /// As a person types it: a relay's with the hub, which a typed code does not say.
    let address: String
    let choice: AddressChoice

    /// - Throws: if the hub has no way from outside.
    init(of state: HubState) throws {
        let told = try ManageWays(state: state).list().told
        let ways = told.compactMap { HubAddress($0.address) }
        let relays = Set(told.filter { $0.kind == .relay }.map(\.address))
        let hub = try HubState.hub(in: state.open()).pin.fingerprint
        func words(_ way: HubAddress) -> String { relays.contains("\(way)") ? "\(hub)@\(way)" : "\(way)" }
        guard let first = ways.first else {
            throw Failure(
                .configuration, "this hub has no way from outside",
                hint: "'hubpair hub ways add HOST:PORT' names one, "
                    + "'hubpair hub ways relay CODE' joins a relay")
        }
        for way in ways {
            let resolved = (try? way.resolved()) ?? []
            for case .address(let address) in resolved.map(\.host) where address.family == .ipv4 {
                (self.address, choice) = (words(way), .given(address.description, port: way.port))
                return
            }
        }
        (address, choice) = (words(first), .none)
    }
}
