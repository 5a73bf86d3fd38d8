import Addresses
import HubClient
import HubService
import Identity
import Pairing

/// Where devices outside reach the hub: the first of its ways with an IPv4 address, which a code can name.
struct AwayAddress {
    /// As a person types it.
    let address: String
    let choice: AddressChoice

    /// - Throws: if the hub has no way from outside.
    init(of state: HubState) throws {
        let ways = try ManageWays(state: state).list().told.compactMap { HubAddress($0.address) }
        guard let first = ways.first else {
            throw Failure(
                .configuration, "this hub has no way from outside",
                hint: "'hubpair hub ways add HOST:PORT' names one, "
                    + "'hubpair hub ways relay CODE' joins a relay")
        }
        for way in ways {
            let resolved = (try? way.resolved()) ?? []
            for case .address(let address) in resolved.map(\.host) where address.family == .ipv4 {
                (self.address, choice) = ("\(way)", .given(address.description, port: way.port))
                return
            }
        }
        (address, choice) = ("\(first)", .none)
    }
}
