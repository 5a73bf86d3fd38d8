import Home
import Pairing

/// Arguments that can only be meant one way, in the form that the command takes.
///
///     home set TV=on              home set TV on
///     home set Lamp 40 %          home set Lamp 40%
///     home set Lamp 40 percent    home set Lamp 40%
///     home set Lamp 0,5           home set Lamp 0.5
///     home set Lamp to half       home set Lamp 50%
///     home set 'Desk lamp on'     home set 'Desk lamp' on
///     home set Lamp state=on      home set Lamp on
///     home set Lamp dimmer=40%    home set Lamp dimmer 40%
///     home unit Oven °C 30 250    home unit Oven °C 30..250
///     home unit Oven 30-250 °C    home unit Oven °C 30..250
///     home room put TV in Kitchen    home room put Kitchen TV
///     home timer cancel Lamp      home timer Lamp --clear
///     devices role owner laptop   devices role laptop owner
///     hub service add Grafana 3000    hub service add Grafana http://127.0.0.1:3000
///     call /devices/              call GET /devices/
///     list --explain-wait         list --explain
///     hubs use “Kitchen hub”      hubs use 'Kitchen hub'
///     home lock Front door        home lock 'Front door'
///     home set the lamp on        home set lamp on
enum LooseWords {
    /// What is said in place of a value.
    private static let values = [
        "true": "on", "yes": "on", "an": "on", "ein": "on", "false": "off", "no": "off", "aus": "off",
        "einschalten": "on", "anschalten": "on", "ausschalten": "off", "abschalten": "off",
        "half": "50%", "halb": "50%", "full": "100%", "max": "100%", "maximum": "100%", "voll": "100%",
    ]
    /// What an appliance's setting is called where no activator is.
    private static let states = ["state", "value", "setting", "zustand", "wert"]
    private static let percent = ["%", "percent", "prozent"]
    private static let fillers: Set<String> = ["to", "auf", "as", "at", "is", "="]

    private static let articles: Set<String> = ["the", "das", "die", "der", "den"]
    /// Commands that take names of appliances, behind so many words of another kind.
    private static let taking = [
        ["home", "lock"]: 0, ["home", "room", "out"]: 0, ["home", "room", "put"]: 1,
        ["home", "room", "add"]: 1, ["home", "scene", "save"]: 1, ["home", "scene", "out"]: 1,
    ]

    static func read(_ said: [String]) -> [String] {
        let arguments = named(unquoted(said))
        let path = CommandPath(arguments)
        if path.words == ["list"], let place = arguments.firstIndex(of: "--explain-wait") {
            return arguments.replacing(place...place, with: ["--explain"])
        }
        let words = CommandWords(path.rest, form: path.form)
        let values = words.values
        guard let last = values.last, let place = words.lastValue else { return arguments }
        let end = arguments.count - path.rest.count + place
        let before = values.dropLast().last
        switch path.words {
        case ["home", "set"], ["home", "scene", "set"]:
            if path.words.count == 2, values.count > 2, articles.contains(values[0].lowercased()),
                path.rest.first == values[0]
            {
                return read(path.words + path.rest.dropFirst())
            }
            if percent.contains(last.lowercased()), let before, arguments[end - 1] == before,
                isNumber(plain(before))
            {
                return read(arguments.replacing(end - 1...end, with: [before + "%"]))
            }
            if values.count > 2, let before, arguments[end - 1] == before,
                fillers.contains(before.lowercased())
            {
                return read(arguments.replacing(end - 1...end, with: [last]))
            }
            // `set Lamp on please`
            if values.count > 2, ["please", "bitte", "now", "jetzt"].contains(last.lowercased()) {
                return read(arguments.replacing(end...end, with: []))
            }
            // Alone it is the appliance's name.
            let isAlone =
                values.count == 1 && !arguments.contains { $0.hasPrefix("--room") || $0.hasPrefix("--type") }
            if !isAlone, let value = value(last), value != last {
                return read(arguments.replacing(end...end, with: [value]))
            }
            // A whole order in one pair of quotation marks.
            // `Device 0` may be a name, and a number below 0 looks like an option.
            if values.count == 1, isAlone,
                !arguments.contains(where: { $0.hasPrefix("-") && Double($0) != nil }),
                Double(last.split(separator: " ").last ?? "") == nil, !CommandSynonyms.isAppliance(last),
                let space = last.lastIndex(where: { " ,:".contains($0) }),
                let value = value(String(last[last.index(after: space)...]))
            {
                let name = String(last[..<space].reversed().drop { " ,:".contains($0) }.reversed())
                if !name.isEmpty { return arguments.replacing(end...end, with: [name, value]) }
            }
            let sides = last.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            if values.count == 2, sides.count == 2, states.contains(sides[0].lowercased()),
                let value = value(sides[1])
            {
                return arguments.replacing(end...end, with: [value])
            }
            if values.count <= 2, sides.count == 2, !sides[0].isEmpty, let value = value(sides[1]) {
                return arguments.replacing(end...end, with: [sides[0], value])
            }
        case ["home", "unit"]:
            if values.count == 4, let before, arguments[end - 1] == before, isNumber(before), isNumber(last) {
                return arguments.replacing(end - 1...end, with: ["\(before)..\(last)"])
            }
            // `5 - 30`, `5 to 30`
            if values.count == 5,
                let start = arguments.indices.first(where: { arguments[$0...].starts(with: values[2...]) }),
                let range = range(values[2...].joined(separator: " "))
            {
                return arguments.replacing(start...start + 2, with: [range])
            }
            if values.count == 3, let before, arguments[end - 1] == before {
                if let range = range(last) { return arguments.replacing(end...end, with: [range]) }
                if let range = range(before) {
                    return arguments.replacing(end - 1...end, with: [last, range])
                }
            }
        case ["home", "room", "put"]:
            if values.count > 2, let before, ["in", "into", "to"].contains(before.lowercased()),
                arguments[end - 1] == before
            {
                let things = arguments.replacing(end - 1...end, with: [])
                return path.words + [last] + things.dropFirst(path.words.count)
            }
        case ["home", "timer"]:
            if path.rest.count == 2, values.count == 2,
                ["cancel", "clear", "remove", "delete", "stop"].contains(values[0].lowercased())
            {
                return path.words + [last, "--clear"]
            }
        case ["devices", "role"]:
            if values.count == 2, let before, Role(rawValue: before.lowercased()) != nil,
                Role(rawValue: last.lowercased()) == nil, arguments[end - 1] == before
            {
                return arguments.replacing(end - 1...end, with: [last, before])
            }
        case ["hub", "service", "add"]:
            if values.count == 2, let url = loopback(last) {
                return arguments.replacing(end...end, with: [url])
            }
        case ["call"]:
            if values.count == 1, last.hasPrefix("/") {
                return arguments.replacing(end...end, with: ["GET", last])
            }
        default: break
        }
        return arguments
    }

    /// Words that are together the name of an appliance, and none of them alone, in one.
    private static func named(_ arguments: [String]) -> [String] {
        let path = CommandPath(arguments)
        guard let start = taking[path.words], path.rest.count > start + 1 else { return arguments }
        let known = Set(NameCompletion.known(path).map { $0.lowercased() })
        var rest = Array(path.rest[..<start])
        var words = path.rest[start...]
        while let word = words.first, !word.hasPrefix("-") {
            let count = (2...5).first { count in
                count <= words.count
                    && known.contains(words.prefix(count).joined(separator: " ").lowercased())
            }
            let isName = known.contains(word.lowercased())
            rest.append(isName ? word : words.prefix(count ?? 1).joined(separator: " "))
            words = words.dropFirst(isName ? 1 : count ?? 1)
        }
        return path.words + rest + words
    }

    /// A setting as it is taken: `0,5` with a point, `40percent` with its sign, `half` as a number; nil if it
    /// is none.
    private static func value(_ text: String) -> String? {
        let lowered = text.lowercased()
        if let word = percent.dropFirst().first(where: lowered.hasSuffix) {
            let number = plain(String(lowered.dropLast(word.count)))
            return isNumber(number) ? number + "%" : nil
        }
        if let value = values[lowered] { return value }
        let point = text.count(where: { $0 == "," }) == 1 ? plain(text) : text
        return isSetting(point) ? point : nil
    }

    /// With a point in place of a comma.
    private static func plain(_ number: String) -> String {
        number.replacing(",", with: ".").filter { !$0.isWhitespace }
    }

    /// `5-30`, `5–30`, `5 to 30` as `5..30`; nil if it is no range.
    private static func range(_ text: String) -> String? {
        for separator in ["..", "…", " to ", " bis ", "–", "—", " - ", "-"] {
            // A minus in front belongs to the number.
            guard let between = text.dropFirst().firstRange(of: separator) else { continue }
            let ends = [text[..<between.lowerBound], text[between.upperBound...]].map { plain(String($0)) }
            return ends.allSatisfy(isNumber) ? ends.joined(separator: "..") : nil
        }
        return nil
    }

    /// `3000`, `:3000`, `localhost:3000`, `127.0.0.1:3000` as the URL of a server on this machine; nil if it
    /// is something else.
    private static func loopback(_ text: String) -> String? {
        let sides = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...2).contains(sides.count), let port = sides.last, UInt16(port) ?? 0 > 0,
            sides.count == 1 || ["", "localhost", "127.0.0.1"].contains(sides[0])
        else { return nil }
        return "http://127.0.0.1:\(port)"
    }

    /// Quotation marks that no shell takes away, from a web page or a word processor, around words that
    /// belong together.
    private static func unquoted(_ arguments: [String]) -> [String] {
        let opening: Set<Character> = ["“", "„", "‘", "‚", "«", "»"]
        let closing: Set<Character> = ["”", "“", "’", "‘", "»", "«"]
        var read: [String] = []
        var rest = arguments[...]
        while let word = rest.popFirst() {
            read.append(word)
            // What stood in quotation marks of the shell's is as it was meant.
            guard let first = word.first, opening.contains(first), !word.contains(where: \.isWhitespace),
                let end = ([word] + rest).firstIndex(where: {
                    $0.last.map(closing.contains) ?? false && $0.count > 1
                })
            else { continue }
            let whole = ([word] + rest.prefix(end)).joined(separator: " ")
            read[read.count - 1] = String(whole.dropFirst().dropLast())
            rest = rest.dropFirst(end)
        }
        return read
    }

    private static func isSetting(_ text: String) -> Bool { (try? SaidSetting(text)) != nil }
    private static func isNumber(_ text: String) -> Bool { Double(text) != nil }
}

extension [String] {
    fileprivate func replacing(_ range: ClosedRange<Int>, with words: [String]) -> [String] {
        var changed = self
        changed.replaceSubrange(range, with: words)
        return changed
    }
}
