package import Addresses
package import FoundationEssentials
package import Pairing

/// Names the ways by which the hub is reached from outside, for its devices.
package struct ManageWays {
    private let state: HubState

    package init(state: HubState) { self.state = state }

    package func list() throws -> HubWays {
        let directory = try state.open()
        _ = try HubState.hub(in: directory)
        return try HubState.ways(in: directory)
    }

    /// Adds a way, of which the hub's devices hear when they connect next.
    ///
    /// - Returns: false if it was there already.
    @discardableResult
    package func add(_ address: HubAddress, now: Date) throws -> Bool {
        if case .address(let host) = address.host {
            // Devices would reach themselves, or nobody; one of a link they find by themselves.
            guard !host.isLoopback, !host.isUnspecified, !host.isMulticast, !host.isLinkLocal else {
                throw WayError.leadsNowhere("\(address)")
            }
        }
        return try change { ways in
            let count = ways.count
            ways.add(HubWays.Way(address: address.description, added: now))
            return ways.count > count
        }
    }

    /// Adds a relay that has admitted the hub.
    package func add(_ relay: HubWays.Relay) throws { try change { $0.add(relay) } }

    /// Removes a way, or a relay by its address, its name or its fingerprint.
    package func remove(_ text: String) throws {
        try change { ways in
            let address = HubAddress(text)?.description
            if let way = ways.ways.first(where: { $0.address == address }) { return ways.remove(way.address) }
            let fingerprint = Fingerprint(forgiving: text)
            let relays = ways.relays.filter {
                $0.address == address || $0.pin.fingerprint == fingerprint || $0.name.description == text
            }
            guard let relay = relays.first else { throw WayError.unknown(text) }
            guard relays.count == 1 else { throw WayError.several(relays.map(\.pin.fingerprint)) }
            ways.remove(relay.pin)
        }
    }

    private func change<Result>(_ body: (inout HubWays) throws -> Result) throws -> Result {
        try state.open().withLock { directory in
            _ = try HubState.hub(in: directory)
            let before = try HubState.ways(in: directory)
            var ways = before
            let result = try body(&ways)
            guard ways.count <= HubWays.maximumCount else { throw WayError.tooMany }
            if ways != before { try directory.replace(HubWays.fileName, with: ways.serialized) }
            return result
        }
    }
}

/// Why the ways of a hub stay as they are.
package enum WayError: Equatable, UserError {
    /// An address that no device outside can use.
    case leadsNowhere(String)
    case unknown(String)
    /// More than one relay has this name.
    case several([Fingerprint])
    case tooMany

    package var description: String {
        switch self {
        case .leadsNowhere(let address): "\(address) leads no device from outside to this hub"
        case .unknown(let text): "this hub has no way \"\(text)\""
        case .several: "more than one relay has this name"
        case .tooMany: "a hub has at most \(HubWays.maximumCount) ways"
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .leadsNowhere, .several, .tooMany: .usage
        case .unknown: .notFound
        }
    }

    package var hint: String? {
        switch self {
        case .leadsNowhere: "give the address that a VPN, a tunnel or the router's forwarded port has outside"
        case .unknown: "'hubpair hub ways' lists them"
        case .several(let relays):
            "name it by its fingerprint: " + relays.map(\.description).joined(separator: ", ")
        case .tooMany: "take one away first: hubpair hub ways remove WAY"
        }
    }
}
