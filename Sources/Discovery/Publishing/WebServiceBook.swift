/// Which web services are to be published, under which names, and which of them are.
struct WebServiceBook: Sendable {
    private struct Entry: Sendable {
        let service: WebAnnouncement
        var name: String
        var isEstablished = false
        var renames = RenamePolicy()
    }

    private var entries: [Entry] = []

    /// Takes the services in place of those before.
    ///
    /// - Returns: those that are no more.
    mutating func keep(_ services: [WebAnnouncement]) -> [WebAnnouncement] {
        let gone = entries.map(\.service).filter { !services.contains($0) }
        entries = services.map { service in
            entries.first { $0.service == service } ?? Entry(service: service, name: "\(service.name)")
        }
        return gone
    }

    /// What is not established, and under which name to publish it.
    var open: [(service: WebAnnouncement, name: String)] {
        entries.filter { !$0.isEstablished }.map { ($0.service, $0.name) }
    }

    /// Another stack has to publish all of them.
    mutating func beginAnew() { for index in entries.indices { entries[index].isEstablished = false } }

    /// - Returns: under which name it is published; nil for what is no more.
    mutating func established(_ service: WebAnnouncement) -> String? {
        guard let index = entries.firstIndex(where: { $0.service == service }) else { return nil }
        entries[index].isEstablished = true
        return entries[index].name
    }

    /// Its name is taken.
    ///
    /// - Returns: the name to try at once; nil if the next try comes later, or never.
    mutating func taken(_ service: WebAnnouncement) -> String? {
        guard let index = entries.firstIndex(where: { $0.service == service }) else { return nil }
        let name = alternativeName(to: entries[index].name)
        entries[index].name = name
        entries[index].isEstablished = false
        return entries[index].renames.delay() == .zero ? name : nil
    }
}
