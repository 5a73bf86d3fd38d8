/// The lines that people and scripts use most, read without ArgumentParser: it reflects on every option of a
/// command, and for each kind of option the runtime searches all conformances of the program, 2 to 4 ms.
///
/// What a command does is a plain value therefore, which its options only fill in. `GeneratedLinesTests`
/// compares both ways. What is wrong in a line, or not plain, is left to ArgumentParser.
enum PlainLines {
    /// Runs a plain line that needs no network; false for any other line.
    ///
    /// Without `await`: the process keeps its one thread. `scan` forks, and to start a thread is a tenth of
    /// the work of the others.
    ///
    /// - Parameter arguments: without `hubpair`.
    static func run(_ arguments: [String]) throws -> Bool {
        if let line = PrintCodes(plain: arguments) {
            try line.run()
        } else if let line = ScanImages(plain: arguments) {
            try line.run()
        } else if let json = flag("codes", arguments) {
            try ListCodes(json: json).runHere()
        } else if let json = flag("devices", arguments) {
            try ListDevices(json: json).runHere()
        } else if let json = flag("hubs", arguments) {
            try ListHubs(json: json).run()
        } else {
            return false
        }
        return true
    }

    /// `list`, `list --json`
    static func list(_ arguments: [String]) -> ListNetworkHubs? {
        flag("list", arguments).map { ListNetworkHubs(json: $0) }
    }

    /// `home`, `home --json`
    static func home(_ arguments: [String]) -> ListAppliances? {
        flag("home", arguments).map { ListAppliances(json: $0) }
    }

    /// True if the line is this command with `--json`, false if it is the command alone, nil if it is another
    /// line.
    private static func flag(_ command: String, _ arguments: [String]) -> Bool? {
        guard let word = arguments.first, word == command, arguments.count <= 2 else { return nil }
        return arguments.count == 1 ? false : arguments[1] == "--json" ? true : nil
    }
}
