package import FoundationEssentials
package import Pairing

/// Issues a pairing code: the hub remembers its ticket, durably, before anybody sees the code.
package struct IssueCode {
    /// The longest that a once code may live; its expiry must fit 32 bits.
    private static let maximumLifetime: Double = 100 * 365 * 86_400

    /// - Parameters:
    ///   - lifetime: seconds; nil for a label that stays valid.
    ///   - addressHint: where devices may find the hub.
    ///   - check: called with the code before the ticket is kept; if it throws, nothing has changed.
    package static func run(
        _ kind: PairingCode.Kind, lifetime: Double?, state: HubState, now: Date,
        addressHint: (Hub) -> PairingCode.AddressHint?, check: (PairingCode, Hub) throws -> Void
    ) throws -> (code: PairingCode, hub: Hub) {
        if let lifetime, !(1...maximumLifetime).contains(lifetime) { throw HubError.badLifetime }
        return try state.open().withLock { directory in
            let hub = try HubState.hub(in: directory)
            var tickets = try HubState.tickets(in: directory) ?? Tickets()
            let code = try PairingCode(
                kind: kind, expires: lifetime.map(now.addingTimeInterval), secret: .random(), hub: hub.pin,
                addressHint: addressHint(hub))
            try check(code, hub)
            tickets.issue(Ticket(of: code, issued: now), at: now)
            try directory.replace(Tickets.fileName, with: tickets.serialized)
            return (code, hub)
        }
    }
}
