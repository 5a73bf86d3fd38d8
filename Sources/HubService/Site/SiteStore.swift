package import Pairing

/// Where the gates of a site keep what they share: it outlives each of them, and never answers with what a
/// majority has not agreed on.
///
/// A gate without a site has no store: its keyfiles are all there is.
package protocol SiteStore: Sendable {
    /// The revision of the last change.
    func head() throws(SiteError) -> Int64

    /// All that is shared, as it was at one moment.
    func snapshot() throws(SiteError) -> SiteSnapshot

    /// Makes a change in one step, if the last change before is that of the revision `head`. Whether it was
    /// made is known also if the member that was asked dies over it.
    ///
    /// - Returns: its revision; nil if another gate was faster, and nothing has changed.
    func commit(_ change: SiteChange, on head: Int64) throws(SiteError) -> Int64?

    /// When devices were last let in at any gate, as far as that has changed after the revision `revision`;
    /// and up to which revision this is. No change is based on it.
    func seen(after revision: Int64) throws(SiteError) -> SeenAtGates

    /// Tells the other gates when devices were let in here; nil for those that nobody knows any more.
    func note(_ seen: [Fingerprint: LastSeen.Entry?]) throws(SiteError)

    /// The gates of the site, with their hosts' names.
    func gates() throws(SiteError) -> [(id: String, name: String)]

    /// What gates have told of their journals after the revision `revision`; and up to which this is.
    func journals(
        after revision: Int64
    ) throws(SiteError) -> (pieces: [JournalOfGates.Piece], revision: Int64)

    /// Tells the other gates of this gate's journal. The pieces of it that end with one of the entries
    /// `dropped` go.
    func tell(_ piece: JournalOfGates.Piece, dropping dropped: [Int]) throws(SiteError)

    /// Tells of every change after the revision `revision`, in order, until it is closed or broken.
    func watch(
        after revision: Int64, _ tell: @escaping @Sendable (SiteNews) -> Void
    ) throws(SiteError) -> any SiteStream

    /// Tells of changes of what the houses of a hub share; nil if nobody does.
    func watchHouse(
        of hub: Fingerprint, _ tell: @escaping @Sendable (Bool) -> Void
    ) throws(SiteError) -> (any SiteStream)?
}

extension SiteStore {
    package func watchHouse(
        of hub: Fingerprint, _ tell: @escaping @Sendable (Bool) -> Void
    ) throws(SiteError) -> (any SiteStream)? { nil }
}

/// Changes that are being told.
package protocol SiteStream: Sendable {
    /// False once another member answers than the one that tells: that one may hang.
    var isOfWhoAnswers: Bool { get }

    func close()
}

/// What a watch tells.
package enum SiteNews: Equatable, Sendable {
    /// Parts that changed, nil for those that are gone, up to a revision.
    case changed([String: SiteSnapshot.Part?], head: Int64)
    /// Nothing more comes: all is to be read again.
    case broken
}
