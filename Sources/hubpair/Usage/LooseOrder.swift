import Home
import Household
import Identity
import Pairing

/// Arguments in another order than the command takes them, and values in another language's words, where they
/// can only be meant one way.
///
///     devices role tablet=guest             devices role tablet guest
///     print --role Gast                     print --role guest
///     home scene at 22:00 evening           home scene at evening 22:00
///     home scene at evening 22 Uhr          home scene at evening 22:00
///     home timer off Lamp --in 20m          home timer Lamp off --in 20m
///     home scene at evening Mon - Fri 22:00    home scene at evening 22:00 'Mon - Fri'
///     home timer add Lamp off --in 20m      home timer Lamp off --in 20m
///     home history Lamp 24h                 home history Lamp --since 24h
///     home rule add Leak Smoke --when an    home rule add Leak Smoke --when on
///     home rule add Hot Oven --when '> 25'  home rule add Hot Oven --when 'above 25'
///     hub service add http://… Grafana      hub service add Grafana http://…
///     hubs add http://192.168.1.5 Attic     hubs add Attic 192.168.1.5
///     hubs add Attic 192.168.1.5 8000       hubs add Attic 192.168.1.5:8000
///     home timer Desk lamp off in 5 minutes    home timer 'Desk lamp' off --in 5m
///     home kind light Lamp                  home kind Lamp light
///     home lock all                         home lock --all
///     devices add Phone phone.p12           devices add Phone --output phone.p12
///     print --paper A4                      print --paper a4
enum LooseOrder {
    private static let roles = [
        "gast": "guest", "gäste": "guest", "guests": "guest", "mitglied": "member", "mitglieder": "member",
        "members": "member", "besitzer": "owner", "eigentümer": "owner", "inhaber": "owner",
        "owners": "owner",
    ]
    private static let conditions = [
        "true": "on", "yes": "on", "an": "on", "ein": "on", "false": "off", "no": "off", "aus": "off",
    ]

    static func read(_ said: [String]) -> [String] {
        let arguments = said.indices.map { index in
            let option = index > 0 ? said[index - 1] : ""
            switch option {
            case "--role": return roles[said[index].lowercased()] ?? said[index]
            case "--when": return condition(said[index]) ?? said[index]
            default: return said[index]
            }
        }
        let path = CommandPath(inCase(arguments))
        let values = CommandWords(path.rest, form: path.form).values
        guard path.rest.starts(with: values), let meant = meant(values, of: path.words) else {
            return path.words + path.rest
        }
        return path.words + meant + path.rest.dropFirst(values.count)
    }

    /// `--paper A4`, `--list Alarms`: the words that an option takes, in any case.
    private static func inCase(_ arguments: [String]) -> [String] {
        let path = CommandPath(arguments)
        guard path.rest.count > 1 else { return arguments }
        var rest = path.rest
        let form = path.form
        for index in rest.indices.dropFirst() {
            let words = form[rest[index - 1]]?.choices ?? []
            guard !words.contains(rest[index]) else { continue }
            rest[index] = words.first { $0.lowercased() == rest[index].lowercased() } ?? rest[index]
        }
        return path.words + rest
    }

    /// `an`, `> 25`, `over 25` in the words of a condition; nil if it is another.
    static func condition(_ text: String) -> String? {
        let said = text.lowercased()
        if let word = conditions[said] { return word }
        for (word, meant) in lines where said.hasPrefix(word) {
            let rest = text.dropFirst(word.count)
            guard rest.first == " " || [">", "<"].contains(word) else { continue }
            let line = "\(meant) \(rest.drop(while: \.isWhitespace))"
            if (try? SaidCondition(line)) != nil { return line }
        }
        return nil
    }

    private static let lines = [
        (">", "above"), ("over", "above"), ("more than", "above"), ("higher than", "above"),
        ("über", "above"), ("<", "below"), ("under", "below"), ("less than", "below"),
        ("lower than", "below"), ("unter", "below"), ("warmer than", "above"), ("hotter than", "above"),
        ("brighter than", "above"), ("colder than", "below"), ("cooler than", "below"),
        ("darker than", "below"),
    ]

    private static func meant(_ values: [String], of words: [String]) -> [String]? {
        switch (words.joined(separator: " "), values.count) {
        case ("devices role", 1):
            let sides = values[0].split(separator: "=").map(String.init)
            return sides.count == 2 ? role(sides[1]).map { [sides[0], $0] } : nil
        case ("devices role", 2): return role(values[1]).map { [values[0], $0] }
        case ("home scene at", 2...): return atTime(values)
        // `codes void all` is asked back: what is void does not come back, and a code may be called that.
        case ("messages acknowledge", 1):
            return ["all", "alle"].contains(values[0].lowercased()) ? ["--all"] : nil
        case ("home timer", 1), ("home unit", 1), ("home kind", 1), ("home picture", 1):
            return ["list", "ls", "show"].contains(values[0].lowercased()) ? [] : nil
        case ("home kind", 2):
            let kinds = values.map { ApplianceKind(rawValue: $0.lowercased()) != nil }
            return kinds == [true, false] ? [values[1], values[0].lowercased()] : nil
        case ("home lock", 1):
            return ["all", "alle", "everything", "locks"].contains(values[0].lowercased()) ? ["--all"] : nil
        case ("devices add", 2):
            let isFile = [".p12", ".pfx", ".mobileconfig"].contains(where: values[1].lowercased().hasSuffix)
            return isFile ? [values[0], "--output", values[1]] : nil
        case ("home timer", 3) where ["add", "set", "new", "start"].contains(values[0].lowercased()):
            return Array(values.dropFirst())
        case ("home timer", 4...): return timer(values)
        case ("home history", 2):
            guard Double(values[1]) == nil, SaidTime.span(values[1]) != nil else { return nil }
            return [values[0], "--since", values[1]]
        case ("home timer", 2):
            return isSetting(values[0]) && !isSetting(values[1]) ? [values[1], values[0]] : nil
        case ("hub service add", 2):
            return values[0].contains("://") && !values[1].contains("://") ? [values[1], values[0]] : nil
        case ("hub service add", 3), ("hubs add", 3):
            let isPort = UInt16(values[2]).map { $0 > 0 } ?? false
            return isPort && !values[1].contains("://") ? [values[0], "\(values[1]):\(values[2])"] : nil
        case ("hubs add", 2):
            let (name, place) =
                values[0].contains("://") ? (values[1], values[0]) : (values[0], values[1])
            return NoPicture.host(ofURL: place).map { [name, $0] }
        default: return nil
        }
    }

    /// `Desk lamp off in 5 minutes`, `Lamp on for 20m`, `Lamp on until 22 Uhr`, `Lamp in 2h on`.
    static func timer(_ values: [String]) -> [String]? {
        let options = [
            "for": "--for", "für": "--for", "in": "--in", "until": "--until", "till": "--until",
            "bis": "--until",
        ]
        guard let index = values.lastIndex(where: { options[$0.lowercased()] != nil }), index > 0,
            let option = options[values[index].lowercased()]
        else { return nil }
        if !isSetting(values[index - 1]), let last = values.last, isSetting(last), index + 2 < values.count {
            return timer(values[..<index] + [last] + values[index...].dropLast())
        }
        guard index > 1, isSetting(values[index - 1]) else { return nil }
        let said = values[(index + 1)...].joined()
        guard let time = option == "--until" ? SaidTime.clock(said) : SaidTime.span(said)?.written else {
            return nil
        }
        return [values[..<(index - 1)].joined(separator: " "), values[index - 1], option, time]
    }

    /// `22:00 evening`, `evening 22`, `evening 22 Uhr`, `evening 22:00 every day`, `evening mon fri 22:00`.
    private static func atTime(_ values: [String]) -> [String]? {
        var (name, time, rest) = (values[0], values[1], Array(values[2...]))
        let suns = ["sunrise", "sunset", "never"]
        if SaidTime.clock(name) != nil, SaidTime.clock(time) == nil, Int(digits: time) == nil,
            !suns.contains(where: time.lowercased().hasPrefix)
        {
            (name, time) = (time, name)
        }
        if let ending = rest.first, ["uhr", "am", "pm"].contains(ending.lowercased()),
            let whole = SaidTime.clock(time + ending)
        {
            (time, rest) = (whole, Array(rest.dropFirst()))
        } else if let hour = Int(digits: time), let whole = SaidTime.clock("\(hour):00") {
            time = whole
        }
        // `23 Uhr` as the last two
        if rest.count > 1, ["uhr", "am", "pm"].contains(rest[rest.count - 1].lowercased()),
            SaidTime.clock(rest.suffix(2).joined()) != nil
        {
            rest = rest.dropLast(2) + [rest.suffix(2).joined()]
        }
        if SaidTime.clock(time) == nil, let last = rest.last, SaidTime.clock(last) != nil {
            let days = ([time] + rest.dropLast()).joined(separator: " ")
            if SaidDays.names(days) != nil { (time, rest) = (last, [days]) }
        }
        let all = rest.joined(separator: " ").lowercased()
        if SaidDays.names(all) != nil { rest = [all] }
        if ["every day", "daily", "jeden tag", "täglich"].contains(all) { rest = [] }
        return [name, time] + rest
    }

    private static func role(_ text: String) -> String? {
        roles[text.lowercased()] ?? Role(rawValue: text.lowercased())?.rawValue
    }

    private static func isSetting(_ text: String) -> Bool { (try? SaidSetting(text)) != nil }
}
