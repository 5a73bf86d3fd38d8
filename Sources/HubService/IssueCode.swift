package import FoundationEssentials
package import Pairing

/// Issues a pairing code: the hub remembers its ticket, durably, before anybody sees the code.
package struct IssueCode {
    /// - Parameters:
    ///   - lifetime: seconds; nil for a label that stays valid.
    ///   - addressHint: where devices may find the hub.
    ///   - check: called with the code before the ticket is kept; if it throws, nothing has changed.
    package static func run(
        _ kind: PairingCode.Kind, lifetime: Double?, state: HubState, now: Date,
        addressHint: (Hub) -> PairingCode.AddressHint?, check: (PairingCode, Hub) throws -> Void
    ) throws -> (code: PairingCode, hub: Hub) {
        if let lifetime {
            let expiry = now.timeIntervalSince1970 + lifetime
            guard lifetime >= 1, expiry >= 1, expiry < 4_294_967_296 else { throw HubError.badLifetime }
        }
        return try state.open().withLock { directory in
            let hub = try HubState.hub(in: directory)
            var tickets = try HubState.existing(Tickets.fileName, in: directory, Tickets.init(parsing:))
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
