import Home

/// A number below 0, as in `home set freezer -18`, `home scene set party freezer -18` and `home unit freezer
/// °C -30..-10`. ArgumentParser takes it for an option, and would say that an argument is missing.
enum NegativeSetting {
    /// The arguments with a negative number at the end, behind `--`: both commands take it last. Others as
    /// they are.
    ///
    /// - Throws: for what is below 0 and no number of a unit: `-40%`.
    static func moved(_ arguments: [String]) throws(SettingError) -> [String] {
        let commands = [["home", "set"], ["home", "scene", "set"], ["home", "unit"]]
        guard let command = commands.first(where: { arguments.starts(with: $0) }) else { return arguments }
        let form = CommandPath(command).form
        var isValue = false
        for (index, argument) in arguments.enumerated().dropFirst(command.count).prefix(while: {
            $0.element != "--"
        }) {
            let next = argument.utf8.dropFirst().first ?? 0
            let isNumber = (0x30...0x39).contains(next) || next == UInt8(ascii: ".")
            if !isValue, isNumber, argument.utf8.first == UInt8(ascii: "-") {
                if command.last == "set", (try? SaidSetting(argument)) == nil { throw .outOfRange(argument) }
                // A second `--` would be read as a value.
                guard !arguments.contains("--") else { return arguments }
                return Array(arguments[..<index]) + Array(arguments[(index + 1)...]) + ["--", argument]
            }
            isValue = form[argument]?.takesValue == true
        }
        return arguments
    }
}
