import ArgumentParser
import Testing

@testable import hubpair

@Suite struct CommandNameTests {
    /// A command without one costs every start of every command a tenth of a millisecond.
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
