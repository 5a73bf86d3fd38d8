import ArgumentParser
import FoundationEssentials
import HubService
import Pairing

/// `hubpair codes`: which pairing codes are out, and how to take them back.
struct CodesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "codes",
        abstract: "List the pairing codes that are out; take codes back.",
        discussion: """
            <code> is the name that the list shows, or its beginning, in any spacing and case. It says \
            nothing about the code's secret. A sheet of codes has a name of its own.

            A code for one device is listed until a day after its expiry, also if it was used.

            EXAMPLES:
              hubpair codes                         # which codes let somebody in
              hubpair codes void 7M2K               # take one back, or a whole sheet
              hubpair codes void --all --but-label  # take all back but the label
              hubpair codes --on 'Kitchen hub'      # from an owner's computer
            """,
        subcommands: [List.self, Revoke.self],
        defaultSubcommand: List.self
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the codes.",
            discussion: """
                EXAMPLES:
                  hubpair codes
                  hubpair codes list --all
                """)
        @Flag(help: "Show all codes of a sheet, each in a line of its own.")
        var all = false
        @OptionGroup var place: HubPlaceOption
        @Flag(help: .json) var json = false

        var line: ListCodes { ListCodes(each: all, place: place.hub, json: json) }

        func run() async throws { try await line.run() }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "void", abstract: "Take codes back: from now on they let nobody in.",
            discussion: """
                EXAMPLES:
                  hubpair codes void 7M2K
                  hubpair codes void --all --but-label
                """)
        @Argument(
            help: "The code or the sheet, as 'hubpair codes' shows it, or the beginning of it.",
            completion: NameCompletion.codes)
        var code: [CodeSelector] = []
        @Flag(help: "Take all codes back that are good.")
        var all = false
        @Flag(help: "With --all: leave the label on the hub good.")
        var butLabel = false
        @OptionGroup var place: HubPlaceOption
        @Flag(help: .json) var json = false

        func validate() throws {
            guard code.isEmpty || !all else {
                throw ValidationError("--all takes all codes back, and needs no names. Leave out one of both")
            }
            guard all || !code.isEmpty else {
                throw ValidationError("no code is named. Give names as 'hubpair codes' shows them, or --all")
            }
            guard all || !butLabel else { throw ValidationError("--but-label goes with --all") }
        }

        func run() async throws {
            let outcomes = try await place.hub.acting { hub in
                all ? try await hub.voidAll(keepsLabel: butLabel) : try await hub.void(code)
            }
            if json { return try JSONLine.write(outcomes.flatMap(\.void).map(\.json)) }
            for outcome in outcomes { Console.note(words(outcome)) }
        }

        private func words(_ outcome: VoidedCodes) -> String {
            let used = outcome.used.count
            let left = used == 0 ? "" : "; \(used) \(used == 1 ? "was" : "were") used before"
            switch outcome.void.count {
            case 0: return "no code was good, so nothing was changed" + left
            case 1:
                let code = outcome.void[0]
                guard code.kind == .once else {
                    return "the label \(code.name) is void: with it no device can ask any more"
                }
                return "the code \(code.name) is void" + left
            case let count: return "\(count) codes are void" + left
            }
        }
    }
}
