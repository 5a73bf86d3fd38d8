package import Discovery

extension HubSearch {
    /// What happens to a search.
    package enum Step: Sendable {
        case sighting(Sighting)
        /// The browse has ended by itself: its words.
        case browseEnded(String)
        /// The browse goes on without a daemon: in words. Then it is over with ``Sighting/settled``.
        case embedded(String)
        /// Something else is missing: in words.
        case note(String)
        case proof(HubProof)
        /// The server at this address shows its devices to anybody.
        case unprotected(HubAddress)
        /// The hub at this address was asked for its key, and told none.
        case noProof(HubAddress)
        /// A row's hub was asked whether it is still there.
        case answered(DiscoveredHub.Key, Bool)
        /// A task beside the search has begun or ended: the tries of addresses that were known before.
        case begun, ended
        case swept(done: Int, total: Int)
        /// Time goes on.
        case tick
    }

    /// What a search has to say.
    package enum Event: Sendable {
        /// The table has changed.
        case table([AssessedHub])
        /// A row has been quiet for long enough that its addresses are all there, as far as can be known.
        case added(AssessedHub)
        /// It is another now: at once for who watches, else once more at the end, and only if it matters.
        case changed(AssessedHub)
        case removed(AssessedHub)
        /// Something announces itself as a hub but cannot be one: in words. A flood of these may be cut.
        case unusable(String)
        /// The list may lack hubs: in words.
        case incomplete(String)
        /// Another way than usual is taken: in words.
        case note(String)
        /// How far the sweep is.
        case progress(done: Int, total: Int)
    }
}
