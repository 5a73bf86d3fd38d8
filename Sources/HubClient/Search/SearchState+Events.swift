import Addresses
package import Discovery

extension SearchState {
    package enum Step: Sendable {
        /// News of a browse, or a proof, whoever has it.
        case sighting(Sighting, browse: Int = 0)
        /// The browse has failed; the reason.
        case browseEnded(String, browse: Int = 0)
        /// Another source is unavailable; the reason.
        case note(String)
        /// UDP probes cannot be sent; the reason.
        case probesEnded(String)
        /// The server at this address shows its appliances without pairing.
        case unprotected(HubAddress)
        /// The hub at this address was asked for its key, but has not presented one.
        case noProof(HubAddress)
        /// Whether somebody accepts connections at this address.
        case reached(HubAddress, isOpen: Bool)
        /// A task that runs in parallel, such as trying a known address, has begun or ended.
        case begun, ended
        case swept(done: Int, total: Int)
        /// This process could not run for this long: the machine is busy, or was asleep.
        case stalled(Duration)
        case tick
    }

    /// All rows at one time. Only what shows them sorts them.
    package struct Table: Sendable {
        let rows: [AssessedHub]

        /// Impostors first, then by name.
        package var sorted: [AssessedHub] { rows.sorted(by: AssessedHub.precedes) }

        /// True if a hub of that name, port and id is there.
        package func contains(_ row: AssessedHub) -> Bool {
            let hub = row.hub
            return rows.contains { ($0.hub.name, $0.hub.port, $0.hub.id) == (hub.name, hub.port, hub.id) }
        }

        package func filter(_ isShown: (AssessedHub) -> Bool) -> Table { Table(rows: rows.filter(isShown)) }
    }

    package enum Event: Sendable {
        case table(Table)
        /// A new row, reported once it has been quiet long enough that all its addresses should be known.
        case added(AssessedHub)
        /// A row has changed; reported at once if changes are watched, otherwise at the end and only if it
        /// matters.
        case changed(AssessedHub)
        case removed(AssessedHub)
        /// An announced service cannot be a hub; the reason. In a flood, not all are reported.
        case unusable(String)
        /// The list may be incomplete; the reason.
        case incomplete(String)
        /// The search uses another method than usual; a description of it.
        case note(String)
        /// Something that the search waits for from now on, or the end of that has moved; the time since the
        /// start.
        case wait(SearchWait, at: Duration)
        /// The progress of the sweep, in addresses.
        case progress(done: Int, total: Int)
        /// The search is over; the hubs present, impostors first, then by name. Sockets and threads are
        /// closed after this.
        case over([AssessedHub])
    }
}
