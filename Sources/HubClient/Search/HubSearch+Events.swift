package import Discovery

extension HubSearch {
    /// What a search takes in.
    package enum Step: Sendable {
        case sighting(Sighting)
        /// The browse has failed; why, in words.
        case browseEnded(String)
        /// The browse goes on without a daemon; why, in words. It is over with ``Sighting/settled``.
        case embedded(String)
        /// Another source is missing; why, in words.
        case note(String)
        case proof(HubProof)
        /// The server at this address shows its appliances to anybody.
        case unprotected(HubAddress)
        /// The hub at this address was asked for its key, and has not shown one.
        case noProof(HubAddress)
        /// A row's hub was asked whether it is still there.
        case answered(DiscoveredHub.Key, Bool)
        /// A task beside the search has begun or ended: the try of a known address.
        case begun, ended
        case swept(done: Int, total: Int)
        /// Some time has passed.
        case tick
    }

    /// What a search reports.
    package enum Event: Sendable {
        /// The table has changed.
        case table([AssessedHub])
        /// A new row, once it has been quiet for long enough that all its addresses should be there.
        case added(AssessedHub)
        /// A row has changed: at once if changes are watched, else at the end, and only if it matters.
        case changed(AssessedHub)
        case removed(AssessedHub)
        /// Something announces itself as a hub but cannot be one; why, in words. Not all of a flood are
        /// reported.
        case unusable(String)
        /// The list may lack hubs; why, in words.
        case incomplete(String)
        /// The search takes another way than usual; which, in words.
        case note(String)
        /// How far the sweep is.
        case progress(done: Int, total: Int)
    }
}
