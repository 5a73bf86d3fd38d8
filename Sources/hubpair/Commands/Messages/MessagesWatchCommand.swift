import ArgumentParser
import FoundationEssentials
import HubClient
import Identity
import JSON

/// `hubpair messages watch`: messages as they come.
struct MessagesWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show messages as they come, until it is stopped.",
        discussion: """
            It goes on where it was when the connection breaks off or the hub has restarted: no message \
            comes twice, and none is left out. --json writes an object for each, whose 'event' is message, \
            repeated (its rule has come true again), acknowledged, reset (the hub's messages are others \
            now), lost or back.

            EXAMPLES:
              hubpair messages watch
              hubpair messages watch --notify
              hubpair messages watch --after 120 --json
            """)

    @Flag(help: "Show each on the desktop, too.") var notify = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Begin after the message with this number. (default: with what is new)", valueName: "id"),
        transform: countValue(0...Int.max, like: 120))
    var after: Int?

    @OptionGroup var home: HouseholdOptions
    @Flag(help: .json) var json = false

    func run() async throws {
        let desktop = try notify ? DesktopNotices() : nil
        try await home.use { try await watch($0, desktop) }
    }

    private func watch(_ session: HomeSession, _ desktop: DesktopNotices?) async throws {
        var query = ReadMessages.Query()
        query.limit = 1
        let page = try await ReadMessages(session.household).page(query)
        let counts = MessageLine.counts(page)
        if !json, !counts.isEmpty { Console.note(counts) }
        // With an id from the start nothing is lost when the first connection breaks off at once.
        var id = page.event
        if let after, let tag = page.event?.split(separator: "-").first {
            id = "\(tag)-\(min(Int64(after), page.newest))"
        }
        var output = MessageOutput(session: session, isJSON: json)
        var desktop = desktop
        try await FollowEvents(session.household, path: ["messages", "stream"]).run(after: id) { notice in
            switch notice {
            case .event(let event):
                guard let message = try output.show(event), ["message", "repeated"].contains(event.type)
                else { return }
                await desktop?.show(message, isAgain: event.type == "repeated", of: session.hub.name)
            case .lost(let error): try output.lost(error)
            case .back: try output.back()
            }
        }
    }
}

/// What `messages watch` writes.
private struct MessageOutput {
    let session: HomeSession
    let isJSON: Bool
    private var lastLine = Date()

    init(session: HomeSession, isJSON: Bool) { (self.session, self.isJSON) = (session, isJSON) }

    /// - Returns: the message that the event is about.
    mutating func show(_ event: ServerEvents.Event) throws -> SharedMessage? {
        let message = JSONValue(parsing: event.data).flatMap { SharedMessage($0) }
        switch (event.type, message) {
        case ("message", let message?), ("acknowledged", let message?), ("repeated", let message?):
            if isJSON {
                try write(event.type, message.members)
            } else if event.type == "message" {
                try line("\(message.id) \(message.kind): \(message.text)", at: message.time)
            } else if event.type == "repeated" {
                let words = "\(message.id) again, \(message.count) times: \(message.text)"
                try line(words, at: message.last ?? message.time)
            } else {
                let name = shortened(message.acknowledged?.name ?? "somebody")
                try line("\(message.id) acknowledged by \(name): \(message.text)", at: Date())
            }
        case ("reset", _):
            if isJSON { try write("reset") }
            if !isJSON { Console.note("the hub's messages are others now; 'hubpair messages' lists them") }
        default: break
        }
        return message
    }

    mutating func lost(_ error: any Error) throws {
        if isJSON { return try write("lost", error: "\(error)") }
        Console.note("warning: \(session.title): \(error); trying again until it is back")
    }

    mutating func back() throws {
        if isJSON { return try write("back") }
        Console.note("\(session.title) answers again")
    }

    private mutating func line(_ words: String, at time: Date) throws {
        let clock = LocalTime(time).textWithSeconds(seenAt: lastLine)
        lastLine = Date()
        try Console.output("\(clock) \(SafeText.escaped(Texts.words(words)))")
    }

    private func write(
        _ event: String, _ members: [String: JSONValue] = SharedMessage.noMembers, error: String? = nil
    ) throws {
        try JSONLine.write(session.line(members, ["event": .string(event), "error": .text(error)]))
    }
}
