import ArgumentParser

/// The lines that people and scripts use most, read without ArgumentParser: it reflects on every option of a
/// command, and searches all conformances of the program for each kind of value, 2 to 4 ms. `print` is not
/// even made one of its commands: ``CodeOrder``.
///
/// Anything else, and anything that is wrong, is nil here and read by ArgumentParser. What an option is if
/// nothing is said stands here and in its command; `GeneratedLinesTests` compares both.
enum PlainLines {
    /// Reads the arguments without `hubpair`.
    static func command(from arguments: [String]) -> (any ParsableCommand)? {
        let rest = Array(arguments.dropFirst())
        if arguments.first == "scan" { return ScanCommand.plain(rest) }
        guard rest.isEmpty || rest == ["--json"] else { return nil }
        return switch arguments.first {
        case "list": list(isJSON: !rest.isEmpty)
        case "home": home(isJSON: !rest.isEmpty)
        case "codes": codes(isJSON: !rest.isEmpty)
        case "devices": devices(isJSON: !rest.isEmpty)
        default: nil
        }
    }

    private static func list(isJSON: Bool) -> ListCommand {
        var command = ListCommand()
        (command.watch, command.noMDNS, command.noUDP) = (false, false, false)
        (command.timeout, command.scan, command.domain) = (nil, nil, nil)
        (command.types, command.explainsWaits) = ([], false)
        (command.configuration, command.json) = (.unsaid, isJSON)
        return command
    }

    private static func home(isJSON: Bool) -> HomeCommand.List {
        var options = HomeOptions()
        (options.hub, options.insecure, options.configuration) = (nil, false, .unsaid)
        var command = HomeCommand.List()
        (command.home, command.json) = (options, isJSON)
        (command.allHubs, command.timeout, command.by) = (false, nil, nil)
        return command
    }

    private static func codes(isJSON: Bool) -> CodesCommand.List {
        var command = CodesCommand.List()
        (command.each, command.place, command.json) = (false, .unsaid, isJSON)
        return command
    }

    private static func devices(isJSON: Bool) -> DevicesCommand.List {
        var command = DevicesCommand.List()
        (command.place, command.json) = (.unsaid, isJSON)
        return command
    }
}
