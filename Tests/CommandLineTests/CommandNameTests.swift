import ArgumentParser
import Testing

@testable import hubpair

@Suite struct CommandNameTests {
    /// Each command without a name there slows every start by a tenth of a millisecond.
    @Test func everyCommandHasItsNameInItsConfiguration() {
        var commands: [any ParsableCommand.Type] = [Hubpair.self]
        var count = 0
        while let command = commands.popLast() {
            #expect(command.configuration.commandName != nil, "\(command)")
            commands += command.configuration.subcommands
            count += 1
        }
        #expect(count > 30)
    }
}
