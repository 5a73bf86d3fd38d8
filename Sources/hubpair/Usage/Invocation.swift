import ArgumentParser

/// From the arguments to the command that is run.
enum Invocation {
    /// Reads the arguments without `hubpair`.
    ///
    /// - Throws: `UnknownCommand`, `UnknownOption`, `StrayArgument`, or what ArgumentParser says.
    static func command(from arguments: [String]) throws -> any ParsableCommand {
        try command(from: arguments, mayMove: true)
    }

    private static func command(
        from arguments: [String], mayMove: Bool
    ) throws -> any ParsableCommand {
        let arguments = try NegativeSetting.moved(arguments)
        if let unknown = UnknownShell(in: arguments) { throw unknown }
        if let unknown = UnknownCommand(in: arguments) { throw unknown }
        if let unknown = UnknownOption(behindOneDash: arguments) { throw unknown }
        if let command = DirectParsing.command(from: arguments) { return command }
        do {
            return try Hubpair.parseAsRoot(arguments)
        } catch  where Hubpair.exitCode(for: error) == .validationFailure {
            if mayMove, let moved = OptionsInFront.moved(arguments) {
                return try command(from: moved, mayMove: false)
            }
            if let unknown = UnknownOption(in: arguments) { throw unknown }
            if let stray = StrayArgument(in: arguments) { throw stray }
            throw error
        }
    }
}
