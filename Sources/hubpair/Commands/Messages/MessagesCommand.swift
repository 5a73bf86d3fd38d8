import ArgumentParser
import HubClient
import Identity

/// `hubpair messages`: what the house tells its people.
struct MessagesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "messages",
        abstract: "Show what the house tells: alarms, alerts and notifications.",
        discussion: """
            The hub keeps them. An alarm stays open until somebody acknowledges it; what has been read, each \
            paired computer and browser has for itself.

            EXAMPLES:
              hubpair messages
              hubpair messages --list unread
              hubpair messages watch --notify
              hubpair messages acknowledge 17
            """,
        subcommands: [List.self, MessagesWatchCommand.self, Read.self, Acknowledge.self],
        defaultSubcommand: List.self)
}

enum MessageList: String, CaseIterable, ExpressibleByArgument {
    case all, alarms, alerts, notifications, unread

    /// The hub's word for the kind of its messages.
    fileprivate var kind: String? {
        switch self {
        case .all, .unread: nil
        case .alarms, .alerts, .notifications: String(rawValue.dropLast())
        }
    }
}

extension MessagesCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the messages, oldest first.",
            discussion: """
                EXAMPLES:
                  hubpair messages
                  hubpair messages --list alarms --limit 20
                  hubpair messages --after 120 --json
                """)

        @Option(
            help: ArgumentHelp(
                "Which of them. (default: all)", valueName: "list"))
        var list: MessageList?

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("The first messages after the one with this number.", valueName: "id"),
            transform: countValue(0...Int.max, like: 120))
        var after: Int?

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "The most messages, 1 to 1000; without --after the last ones. (default: 50)",
                valueName: "count"),
            transform: countValue(1...ReadMessages.pageCount, like: 50))
        var limit = 50

        @OptionGroup var home: HouseholdOptions
        @Flag(help: .json) var json = false

        func run() async throws { try await home.use(show) }

        private func show(_ session: HomeSession) async throws {
            var query = ReadMessages.Query()
            (query.kind, query.isUnread, query.limit) = (list?.kind, list == .unread, limit)
            query.after = Int64(after ?? 0)
            let read = ReadMessages(session.household)
            let page = try await after == nil ? read.last(query) : read.page(query)
            if json { return try JSONLine.write(page.messages.map { $0.json(session) }) }
            for line in MessageLine.lines(page.messages) { try Console.output(line) }
            if page.messages.isEmpty { Console.note("there is no such message") }
            if page.hasMore, let last = page.messages.last {
                Console.note("there are more: --after \(last.id)")
            }
            let counts = MessageLine.counts(page)
            if !counts.isEmpty { Console.note(counts) }
        }
    }

    struct Read: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "read", abstract: "Mark a message as read on this computer, or all of them.",
            discussion: """
                EXAMPLES:
                  hubpair messages read 17
                  hubpair messages read all
                """)
        @OptionGroup var home: HouseholdOptions
        @Argument(help: ArgumentHelp("Its number, or all.", valueName: "id")) var id: String

        func run() async throws {
            let number = try id == "all" ? nil : messageNumber(id)
            try await home.use { session in
                let read = ReadMessages(session.household)
                if let number {
                    try await read.markRead(number, all: false)
                    return Console.note("message \(number) is read")
                }
                var query = ReadMessages.Query()
                query.limit = 1
                let page = try await read.page(query)
                guard page.newest > 0 else { return Console.note("there is no message") }
                try await read.markRead(page.newest, all: true)
                Console.note(
                    page.unreadCount == 1
                        ? "1 message is read now" : "\(page.unreadCount) messages are read now")
            }
        }
    }

    struct Acknowledge: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "acknowledge", abstract: "Take note of an alarm, for everybody.",
            discussion: """
                Members and owners do. The first acknowledgement counts.

                EXAMPLES:
                  hubpair messages acknowledge 17
                  hubpair messages acknowledge 17 --json
                """)
        @OptionGroup var home: HouseholdOptions
        @Flag(help: .json) var json = false
        @Argument(help: ArgumentHelp("The alarm's number.", valueName: "id")) var id: String

        func run() async throws {
            let number = try messageNumber(id)
            try await home.use { session in
                let message = try await ReadMessages(session.household).acknowledge(number)
                if json { return try JSONLine.write(message.json(session)) }
                let name = message.acknowledged.map { ", by \(shortened($0.name))" } ?? ""
                Console.note("alarm \(number) is acknowledged\(name): \(message.text)")
            }
        }
    }
}

/// The number of a message on the command line.
private func messageNumber(_ text: String) throws -> Int64 {
    guard text.utf8.count <= 18, let number = Int(digits: text), number > 0 else {
        throw UsageMistake(
            "\(quoted(text)) is no number of a message",
            hint: "'hubpair messages' lists them with their numbers")
    }
    return Int64(number)
}
