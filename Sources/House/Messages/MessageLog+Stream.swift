/// Events: `message`, `acknowledged` with the whole message, and `reset` if the client has to list the
/// messages again.
extension MessageLog: EventSource {
    func page(after eventID: EventID?) async throws(DatabaseError) -> EventPage {
        try await store.page(after: eventID, of: feed)
    }

    /// The client comes back, and goes on after the last event that it has seen.
    func eventsWithoutDatabase() -> [UInt8]? { nil }
}
