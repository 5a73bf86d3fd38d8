// Apart from the settings, so that they do not depend on the session that reads them.
extension HubProber {
    /// The hubs that answer from now on. It does not end by itself: after ``answerTime`` break out of the
    /// loop or cancel the task, and everything (thread, sockets) is freed. Each iteration is a search of its
    /// own.
    ///
    /// A hub comes once for each of its addresses, and again when it says something new.
    public var replies: SearchResults<VerifiedReply> {
        SearchResults(maximumUnread: HubProber.maximumUnread) { output, ended throws(DiscoveryError) in
            try ProbeSession(self, output: output, ended: ended)
        }
    }
}
