import ArgumentParser
import HubClient
import Identity
import JSON

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

enum MessageKind: String, CaseIterable, ExpressibleByArgument {
    case alarms, alerts, notifications

    /// The hub's word for the kind of its messages.
    fileprivate var kind: String { String(rawValue.dropLast()) }
}

enum MessageList: String, CaseIterable, ExpressibleByArgument {
    case all, alarms, alerts, notifications, unread

    /// The hub's word for the kind of its messages.
    fileprivate var kind: String? { MessageKind(rawValue: rawValue)?.kind }
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

        /// What is said instead of a list.
        private var none: String {
            if after != nil { return "there are no messages after that one" }
            return switch list {
            case nil: "there are no messages yet"
            case .unread: "there are no unread messages"
            default: "there are no messages of this kind"
            }
        }

        private func show(_ session: HomeSession) async throws {
            var query = ReadMessages.Query()
            (query.kind, query.isUnread, query.limit) = (list?.kind, list == .unread, limit)
            query.after = Int64(after ?? 0)
            let read = ReadMessages(session.household)
            let page = try await after == nil ? read.last(query) : read.page(query)
            if json { return try JSONLine.write(page.messages.map { $0.json(session) }) }
            for line in MessageLine.lines(page.messages) { try Console.output(words: line) }
            if page.messages.isEmpty { Console.note(none) }
            if page.hasMore, let last = page.messages.last {
                Console.note("there are more: --after \(last.id)")
            }
            let counts = MessageLine.counts(page)
            if !counts.isEmpty { Console.note(counts) }
        }
    }

    struct Read: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "read", abstract: "Mark messages as read on this computer.",
            discussion: """
                EXAMPLES:
                  hubpair messages read 17
                  hubpair messages read --all
                  hubpair messages read --list notifications
                """)
        @OptionGroup var home: HouseholdOptions
        @Flag(help: "All of them.") var all = false
        @Option(help: ArgumentHelp("Those of a rule.", valueName: "name")) var rule: String?
        @Option(help: ArgumentHelp("Those of a kind.", valueName: "list")) var list: MessageKind?
        @Argument(help: ArgumentHelp("Its number, or all.", valueName: "id")) var id: String?

        func validate() throws {
            guard [all, rule != nil, list != nil, id != nil].count(where: \.self) == 1 else {
                throw ValidationError("give one of: a number, --all, --rule, --list")
            }
        }

        func run() async throws {
            let number = try id.flatMap { try $0 == "all" ? nil : messageNumber($0) }
            try await home.use { session in
                let read = ReadMessages(session.household)
                if let number {
                    try await read.markRead(number, all: false)
                    return Console.note("message \(number) is read")
                }
                if rule == nil, list == nil { return try await readAll(read) }
                let selection = rule.map { ReadMessages.Selection.rule($0) } ?? .kind(list?.kind ?? "")
                note(try await read.markRead(selection))
            }
        }

        /// By the way that hubs of every version know.
        private func readAll(_ read: ReadMessages) async throws {
            var query = ReadMessages.Query()
            query.limit = 1
            let page = try await read.page(query)
            guard page.newest > 0 else { return Console.note("there is no message") }
            try await read.markRead(page.newest, all: true)
            note(page.unreadCount)
        }

        private func note(_ count: Int64) {
            Console.note(count == 1 ? "1 message is read now" : "\(count) messages are read now")
        }
    }

    struct Acknowledge: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "acknowledge", abstract: "Take note of an alarm, or of many, for everybody.",
            discussion: """
                Members and owners do. The first acknowledgement counts. Of many --json says how many were \
                open.

                EXAMPLES:
                  hubpair messages acknowledge 17
                  hubpair messages acknowledge --all
                  hubpair messages acknowledge --rule 'Front door'
                """)
        @OptionGroup var home: HouseholdOptions
        @Flag(help: .json) var json = false
        @Flag(help: "All that are open.") var all = false
        @Option(help: ArgumentHelp("Those of a rule.", valueName: "name")) var rule: String?
        @Argument(help: ArgumentHelp("The alarm's number.", valueName: "id")) var id: String?

        func validate() throws {
            guard [all, rule != nil, id != nil].count(where: \.self) == 1 else {
                throw ValidationError("give one of: a number, --all, --rule")
            }
        }

        func run() async throws {
            let number = try id.map(messageNumber)
            try await home.use { session in
                let read = ReadMessages(session.household)
                guard let number else {
                    return try await acknowledgeMany(read, session)
                }
                let message = try await read.acknowledge(number)
                if json { return try JSONLine.write(message.json(session)) }
                let name = message.acknowledged.map { ", by \(shortened($0.name))" } ?? ""
                Console.note("alarm \(number) is acknowledged\(name): \(message.text)")
            }
        }

        private func acknowledgeMany(_ read: ReadMessages, _ session: HomeSession) async throws {
            let count = try await read.acknowledge(rule.map { .rule($0) } ?? .all)
            if json {
                try JSONLine.write(session.line(["count": .integer(count)]))
            } else if count > 0 {
                Console.note(count == 1 ? "1 alarm is acknowledged" : "\(count) alarms are acknowledged")
            } else {
                Console.note("no alarm\(rule.map { " of the rule \(quoted($0))" } ?? "") is open")
            }
            if count == 0 { throw ExitStatus.nothingFound }
        }
    }
}

/// The number of a message on the command line.
private func messageNumber(_ text: String) throws -> Int64 {
    guard text.utf8.count <= 18, let number = Int(digits: text), number > 0 else {
        let areSeveral = text.count > 1 && text.allSatisfy { $0.isNumber || $0 == "-" || $0 == "," }
        throw UsageMistake(
            "\(quoted(text)) is no number of a message",
            hint: areSeveral
                ? "one at a time, or --all" : "'hubpair messages' lists them with their numbers")
    }
    return Int64(number)
}
