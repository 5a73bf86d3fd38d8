import Addresses
import Home
import Household
import HubClient
import Identity
import JSON
import Pairing

/// A word more than the command takes, or one that it lacks.
struct StrayArgument {
    /// Words between others that say nothing.
    private static let fillers: Set<String> = [
        "to", "in", "into", "as", "at", "is", "=", "->", "→", "with", "from", "and", "of", "the", ";",
        "please", "now", "auf", "mit", "und", "bitte", "jetzt",
    ]

    private static let everything: Set<String> = ["all", "everything", "alles", "alle"]
    /// Options whose value never has a space in it.
    private static let strict: Set<String> = [
        "--scan", "--port", "--limit", "--sheet", "--paper", "--format", "--upstream", "--listen",
        "--address", "--role", "--by", "--max-body", "--max-connections", "--timeout", "--since",
        "--expires", "--stay",
    ]

    static let lights: Set<String> = [
        "light", "lights", "lamps", "licht", "lichter", "lampen",
    ]
    private static let places: Set<String> = ["--address", "--hub", "--listen"]

    private let path: CommandPath
    private let form: CommandForm
    private let values: [String]

    /// Nil if the command that the arguments name takes as many words.
    static func mistake(in path: CommandPath) -> UsageMistake? {
        let form = path.form
        let values = CommandWords(path.rest, form: form).values
        let isForMany = path.rest.contains { $0.hasPrefix("--room") || $0.hasPrefix("--type") }
        if path.words == ["home", "set"], !isForMany, values.count < 2 {
            let missing = values.isEmpty ? "the appliance, and what to set it to" : "what to set it to"
            // `home set on`
            let isSetting = values.first.map { (try? Setting($0)) != nil } ?? false
            let line = isSetting ? ["APPLIANCE"] + values : values + ["on"]
            return UsageMistake("missing: \(missing)", hint: "\(SuggestedLine(path.words, line))")
        }
        // `home timer off --in 5m`
        if path.words == ["home", "timer"], let first = values.first, GermanOrder.switched(first) == first {
            let times = CommandWords(path.rest, form: form).values.dropFirst()
            let span = StrayArgument.span(Array(times.drop { fillers.contains($0.lowercased()) })) ?? "10m"
            return UsageMistake(
                "missing: the appliance", hint: "hubpair home timer APPLIANCE \(first) --in \(span)")
        }
        if path.words == ["devices", "role"], values.count == 1,
            Role(rawValue: values[0].lowercased()) != nil
        {
            return UsageMistake(
                "missing: the device", hint: "hubpair devices role DEVICE \(values[0].lowercased())")
        }
        guard values.count > form.mostValues else { return nil }
        return StrayArgument(path: path, form: form, values: values).mistake
    }

    private var mistake: UsageMistake {
        if values.contains("") { return UsageMistake("an argument is empty", hint: path.seeHelp) }
        if let equalsSign {
            return UsageMistake("unexpected argument '='", hint: UnknownOption.question(equalsSign))
        }
        if let (word, meant) = option {
            return UsageMistake(
                "unexpected argument '\(word)'",
                hint: meant.map(UnknownOption.question)
                    ?? "options begin with '-' as it is on the keyboard; \(path.seeHelp)")
        }
        if let doubled {
            return UsageMistake("unexpected argument '\(values[form.mostValues])'", hint: doubled)
        }
        if let joined {
            return UsageMistake("unexpected argument '\(values[form.mostValues])'", hint: joined)
        }
        if let filled {
            return UsageMistake("unexpected argument '\(values[form.mostValues])'", hint: filled)
        }
        switch path.words {
        case ["list"] where CommandPath.isCall(path.rest) && !CommandPath(path.rest).words.isEmpty:
            return UsageMistake(
                "'hubpair list' lists the hubs of the network",
                hint: SuggestedLine.question(SuggestedLine([], path.rest)))
        // `list -w 5`
        case ["list"]
        where Double(values[0]) != nil && path.rest.contains { ["-w", "--watch"].contains($0) }:
            return UsageMistake(
                "'hubpair list' takes no name",
                hint: "--watch goes on until Ctrl-C; a search has a time: hubpair list --timeout 5s")
        case ["list"]:
            let isRange = values.count == 1 && values[0].contains(".") && values[0].first?.isNumber == true
            return UsageMistake(
                "'hubpair list' takes no name",
                hint: isRange
                    ? SuggestedLine.question(SuggestedLine(["list"], ["--scan"] + values))
                    : (values[0].first?.isLetter == true
                        ? meant(["--name", values.joined(separator: " ")]) : nil)
                        ?? "'hubpair list' alone shows all hubs")
        case ["doctor"]:
            return UsageMistake(
                "'hubpair doctor' takes no name", hint: "'hubpair doctor' alone looks at everything")
        case ["home", "off"], ["home", "on"]:
            let bare = values.filter { !StrayArgument.fillers.contains($0.lowercased()) }
            let (word, name) = (path.words[1], bare.joined(separator: " "))
            if let many = many(bare) {
                return UsageMistake("'home \(word)' takes --room, --type or --all, and no name", hint: many)
            }
            let isAll = StrayArgument.everything.contains(name.lowercased())
            // `home off 'Desk lamp'`
            let all =
                isAll
                ? meant(["--all"])
                : CommandSynonyms.isAppliance(name)
                    ? SuggestedLine.question(SuggestedLine(["home", "set"], [name, word])) : nil
            return UsageMistake(
                "'home \(word)' takes --room, --type or --all, and no name",
                hint: all
                    ?? "a room: \(SuggestedLine(path.words, ["--room", name])); one appliance: "
                    + "\(SuggestedLine(["home", "set"], [name, word]))")
        default:
            return UsageMistake(
                "unexpected argument '\(values[form.mostValues])'", hint: hint ?? path.seeHelp)
        }
    }

    /// `home on lights Kitchen`, `home off everything in Kitchen`, `home off --room Kitchen lights`.
    private func many(_ words: [String]) -> String? {
        let lights = words.filter { StrayArgument.lights.contains($0.lowercased()) }
        let room = words.filter {
            !lights.contains($0) && !StrayArgument.everything.contains($0.lowercased())
        }
        // `Kitchen light` is one.
        let isOne = !room.isEmpty && lights == ["light"]
        guard room.count < words.count, !isOne, !lights.isEmpty || !room.isEmpty else { return nil }
        let options = path.rest.filter { !values.contains($0) }
        return meant(
            options + (lights.isEmpty ? [] : ["--type", "Light"])
                + (room.isEmpty ? [] : ["--room", room.joined(separator: " ")]))
    }

    /// `hub backup backup x.age`, `hubs use Attic Attic`: the same word twice.
    private var doubled: String? {
        let words = [path.words.last ?? ""] + path.rest
        let once = words.indices.dropFirst().filter { words[$0] != words[$0 - 1] }.map { words[$0] }
        return once.count < path.rest.count ? meant(once) : nil
    }

    /// `--name Kitchen hub`, `--stay 2 hours`, `--place 52.5 13.4`: the words behind an option's value belong
    /// to it.
    private var joined: String? {
        // `--name=Kitchen hub`
        let words = path.rest.flatMap { word in
            let name = word.prefix { $0 != "=" }
            return word.hasPrefix("--") && name != word && form[String(name)]?.takesValue == true
                ? [String(name), String(word.dropFirst(name.count + 1))] : [word]
        }
        for index in words.indices.dropLast(2) where form[words[index]]?.takesValue == true {
            var end = index + 2
            while end < words.count, !words[end].hasPrefix("-") || Double(words[end]) != nil { end += 1 }
            guard end > index + 2 else { continue }
            let value = words[(index + 1)..<end]
            // `--scan to 192.168.1.0/24`
            let rest = StrayArgument.fillers.contains(value.first ?? "") ? value.dropFirst() : value
            // `home off --room Kitchen lights`
            if ["on", "off"].contains(path.words.last), StrayArgument.lights.contains(rest.last ?? "") {
                return nil
            }
            // `--scan 192.168.1.0/24 now` has no name of several words.
            let isName = rest.count == 1 || !StrayArgument.strict.contains(words[index])
            // `--address 192.168.1.5 8000`
            let isPort = rest.count == 2 && UInt16(rest.last ?? "") != nil
            // `--name Kitchen 9000`
            if isPort, words[index] == "--name", form["--port"] != nil, !words.contains("--port"),
                let line = meant(Array(words[...(index + 1)]) + ["--port", rest.last ?? ""] + words[end...])
            {
                return line
            }
            let address =
                isPort && StrayArgument.places.contains(words[index]) ? rest.joined(separator: ":") : nil
            let texts = [
                address, StrayArgument.span(Array(rest)), isName ? rest.joined(separator: " ") : nil,
            ]
            for text in texts.compactMap(\.self) {
                let line = Array(words[...index]) + [text] + words[end...]
                // `--when on for 5 minutes`
                let condition = LooseOrder.condition(text) ?? text
                if words[index] == "--when", (try? SaidCondition(condition)) == nil {
                    return "a condition is on, off, 'above 25' or 'below 20%'"
                }
                if CommandPath.isCall(path.words + line) {
                    return SuggestedLine.question(SuggestedLine(path.words, line))
                }
            }
        }
        return nil
    }

    /// `rename TV to Telly`, `prune 30 days`, `set Lamp on for 10 minutes`: without the words in between.
    private var filled: String? {
        if let span = StrayArgument.span(values) { return meant([span]) }
        // `devices approve tablet for 2 days`
        if let index = values.firstIndex(where: { ["for", "für"].contains($0.lowercased()) }), index > 0,
            form["--stay"] != nil,
            let span = StrayArgument.span(Array(values[(index + 1)...]))
                ?? (index + 2 == values.count ? values.last : nil),
            let line = meant(Array(values[..<index]) + ["--stay", span])
        {
            return line
        }
        if path.words == ["home", "set"], let line = LooseOrder.timer(values) {
            return SuggestedLine.question(SuggestedLine(["home", "timer"], line))
        }
        let fillers = StrayArgument.fillers
        // The first may be a name, if it fits so.
        // Without `in` a span would be the days.
        guard path.words != ["home", "scene", "at"] else { return nil }
        let bare = path.rest.enumerated().filter { $0.offset == 0 || !fillers.contains($0.element) }.map(
            \.element)
        return [
            bare, bare.first.map(fillers.contains) == true ? Array(bare.dropFirst()) : bare,
            Array(path.rest.prefix { $0 != "#" }),
        ].lazy
            .compactMap { $0.count < path.rest.count ? meant($0) : nil }.first
    }

    private func meant(_ rest: [String], below words: [String]? = nil) -> String? {
        let words = words ?? path.words
        return CommandPath.isCall(words + rest) ? SuggestedLine.question(SuggestedLine(words, rest)) : nil
    }

    /// `2 hours` as `2h`.
    private static func span(_ words: [String]) -> String? {
        guard words.count == 2, Double(words[0]) != nil, words[1].first?.isLetter == true else { return nil }
        let long = ["month": 30, "monat": 30, "year": 365, "jahr": 365].first {
            words[1].lowercased().hasPrefix($0.key)
        }
        if let long, let count = Int(digits: words[0]), (1...100).contains(count) {
            return "\(count * long.value)d"
        }
        return SaidTime.span(words.joined())?.written
    }

    /// `--port = 8000`: the option as it is typed.
    private var equalsSign: String? {
        let words = path.rest
        guard let index = words.firstIndex(of: "="), index > 0, index + 1 < words.count,
            form[words[index - 1]]?.takesValue == true
        else { return nil }
        return "\(words[index - 1])=\(shellWord(words[index + 1], plain: ":%@,+"))"
    }

    /// The first word that is an option in another spelling, and how it is typed; nil for that if the command
    /// has none of that name.
    private var option: (word: String, meant: String?)? {
        for (index, word) in values.enumerated() {
            // A path of `call` may have an option's name.
            if word.hasPrefix("/"), path.words == ["call"] { continue }
            // Without a dash: an option with its value behind it, or a flag. The last word of a name is
            // neither, as in `pair Kitchen hub`.
            let isFlag = form["--" + word]?.takesValue == false
            // `name=Kitchen`
            let isPair = word.contains("=") && !word.hasPrefix("=")
            let isStray = index >= form.mostValues && (isFlag || isPair || index + 1 < values.count)
            let meant = UnknownOption.meant(by: word, in: form, plain: isStray)
            if meant != nil || UnknownOption.hasForeignDash(word) { return (word, meant) }
        }
        return nil
    }

    /// A word more, behind the option that it looks like the value of: `hub journal 10`.
    private var valued: String? {
        // Of a timer it is not clear whether for so long or after it.
        guard path.words != ["home", "timer"], values.count == form.mostValues + 1, let word = values.last,
            let index = path.rest.lastIndex(of: word)
        else { return nil }
        var names: [String] = []
        var value = word
        if Int(digits: word) != nil {
            names = ["--limit", "--listen"] + (["open", "add"].contains(path.words.last) ? ["--port"] : [])
            if form["--listen"] != nil { value = ":" + word }
        } else if word.hasPrefix(":"), UInt16(digits: word.dropFirst()) != nil {
            names = ["--listen"]
        } else if Double(word) == nil, SaidTime.span(word) != nil {
            names = ["--since", "--stay", "--for", "--expires", "--interval"]
            if path.words == ["print"], !path.rest.contains("guest") { names = ["--expires"] }
        } else if Role(rawValue: word.lowercased()) != nil {
            names = ["--role"]
        } else if let host = NoPicture.host(ofURL: word) {
            (names, value) = (["--hub"], host)
        } else if case .address? = HubAddress(word)?.host {
            names = path.words == ["print"] ? ["--address"] : ["--hub"]
        }
        var rest = path.rest
        rest.remove(at: index)
        return names.lazy.filter { form[$0] != nil }.compactMap { meant(rest + [$0, value]) }.first
    }

    private var hint: String? {
        if let valued { return valued }
        let all = values.joined(separator: " ")
        // `home list TV`, `hubs list Kitchen`: one of them is shown.
        let noun = path.words.last == "list" ? Array(path.words.dropLast()) : path.words
        if form.mostValues == 0, noun.count < path.words.count {
            return meant([all], below: noun + ["show"])
                ?? "'hubpair \(noun.joined(separator: " "))' alone shows all"
        }
        switch path.words.joined(separator: " ") {
        case "open":
            return ["page", "browser", "web", "ui", "seite"].contains(all.lowercased())
                ? meant([]) : meant(["--hub", NoPicture.place(all)])
        case "hub journal": return meant(["--list", all]) ?? meant([])
        case "home scene run":
            guard let time = values.last.flatMap(SaidTime.clock), let name = values.first else {
                return quotes([all])
            }
            return meant([name, time], below: ["home", "scene", "at"])
        case "setup":
            // An address or a port is not the hub's name.
            guard all.contains(where: \.isLetter), !all.contains("/") else { return nil }
            return SuggestedLine.question(SuggestedLine(["setup"], ["--name", all]))
        // `print to code.png`
        case "print"
        where values.count == 2 && StrayArgument.fillers.contains(values[0].lowercased())
            && StrayArgument.isPicture(values[1]):
            return SuggestedLine.question(SuggestedLine(["print"], ["--output", values[1]]))
        case "print" where ["printer", "lp", "lpr", "drucker"].contains(values.last?.lowercased() ?? ""):
            return "into a file, which any program prints: hubpair print --output code.pdf"
        case "print" where Role(rawValue: values[0].lowercased()) != nil:
            let role = values[0].lowercased()
            let span = StrayArgument.span(Array(values.dropFirst())) ?? values.dropFirst().first ?? "2d"
            return meant(["--role", role] + (role == "guest" ? ["--stay", span] : []))
        case "print":
            guard values.count == 1, StrayArgument.isPicture(all) else {
                return "'hubpair print' alone makes a code for one device"
            }
            return SuggestedLine.question(SuggestedLine(["print"], ["--output", all]))
        case "call":
            let methods = ["GET", "PUT", "POST", "PATCH", "DELETE", "HEAD"]
            if values.count == 3, let start = values[2].first, "{[".contains(start) {
                return meant([values[0], values[1], "--data", values[2]])
            }
            // `name=Lamp`, as some clients take a body
            let sides = values.last?.split(separator: "=", maxSplits: 1).map(String.init) ?? []
            if values.count == 3, sides.count == 2, !sides[0].hasPrefix("/") {
                let body = JSONValue.object([sides[0]: .string(sides[1])]).text
                return meant([values[0], values[1], "--data", body])
            }
            guard values.count == 3, methods.contains(values[1].uppercased()) else { return nil }
            return "\(SuggestedLine(["call"], ["--hub"] + values))"
        case "pair":
            // The first is a picture, and not a part of the hub's name.
            guard values[0].contains(".") || values[0].contains("/") else { return NoPicture.hint(all) }
            return meant([values[0], "--name", values.dropFirst().joined(separator: " ")])
        case "home set":
            guard let last = values.last, (try? Setting(last)) != nil else { return nil }
            // `home set Lamp on Fan off`
            if values.count > 3, (try? Setting(values[1])) != nil {
                return "one appliance at a time: \(SuggestedLine(path.words, Array(values[...1])))"
            }
            return quotes([values.dropLast().joined(separator: " "), last])
        case "devices approve" where values.contains { Role(rawValue: $0.lowercased()) != nil }:
            let role = values.first { Role(rawValue: $0.lowercased()) != nil } ?? ""
            let device = values.first { $0 != role && !StrayArgument.fillers.contains($0) } ?? "DEVICE"
            return meant([device, "--role", role.lowercased()])
        case "home room remove" where values.contains { ["from", "aus", "von"].contains($0.lowercased()) }:
            return meant([values[0]], below: ["home", "room", "out"])
        case "home scene remove" where values.count == 2:
            let appliances = NameCompletion.known(path).map { $0.lowercased() }
            guard let device = values.firstIndex(where: { appliances.contains($0.lowercased()) }) else {
                return quotes([all])
            }
            return meant([values[1 - device], values[device]], below: ["home", "scene", "out"])
        case "messages read", "messages acknowledge":
            return values.allSatisfy { Int(digits: $0) != nil }
                ? "one at a time: \(SuggestedLine(path.words, [values[0]]))"
                : "one number, or all: hubpair \(path.words.joined(separator: " ")) all"
        case "home scene at" where values.contains { ["in", "for"].contains($0.lowercased()) }:
            return "a scene runs at a time of the day: \(SuggestedLine(path.words, [values[0], "22:00"]))"
        case "home history":
            return
                "how far back is said by --since: \(SuggestedLine(path.words, [values[0], "--since", "24h"]))"
        case "devices role" where Role(rawValue: values.last?.lowercased() ?? "") != nil:
            return quotes([values.dropLast().joined(separator: " "), values.last ?? ""])
        case "home watch":
            return "it shows all that changes; of one alone: hubpair home watch | grep -F \(shellWord(all))"
        case "serve" where UInt16(digits: all[...]) ?? 0 > 0:
            return "it is the hub's own: 'hubpair setup --change --port \(all)'; "
                + "then start 'hubpair serve' again"
        case "home rule add":
            let isNamed = !["if", "when", "wenn", "falls"].contains(values[0].lowercased())
            let bare =
                (isNamed ? [] : ["NAME"])
                + values.filter { !["if", "when", "wenn", "falls", "is"].contains($0.lowercased()) }
            guard bare.count > 2, !path.rest.contains("--when") else {
                return "put a name with spaces in quotes"
            }
            let said = bare[2...].joined(separator: " ")
            let condition = LooseOrder.condition(said) ?? said
            return (try? SaidCondition(condition)) == nil
                ? "\(SuggestedLine(path.words, ["NAME", "APPLIANCE", "--when", "on"]))"
                : meant([bare[0], bare[1], "--when", condition]) ?? "put a name with spaces in quotes"
        case "hubs use", "hubs show", "hubs forget", "home show", "home remove", "devices approve",
            "devices revoke", "home scene show", "home scene remove":
            // A fingerprint is the whole name.
            guard Fingerprint(values[0]) == nil else { return nil }
            guard path.words.dropLast() != ["home", "scene"] else { return quotes([all]) }
            let known = NameCompletion.known(path).map { $0.lowercased() }
            let isOne = known.contains(values[0].lowercased()) && !known.contains(all.lowercased())
            return isOne ? "one at a time: \(SuggestedLine(path.words, [values[0]]))" : quotes([all])
        case "home timer" where values.count == 4:
            let word = values[2].lowercased()
            if ["at", "um"].contains(word), let time = SaidTime.clock(values[3]) {
                let said = ["turn", values[0], values[1], "at", time]
                return SuggestedLine.question(SuggestedLine(["home", "say"], said))
            }
            let option = ["for": "--for", "in": "--in", "until": "--until", "till": "--until"][word]
            return option.flatMap { meant([values[0], values[1], $0, values[3]]) }
        // `home timer Lamp 10 minutes`
        case "home timer" where StrayArgument.span(Array(values.suffix(2))) != nil && values.count == 3:
            let span = StrayArgument.span(Array(values.suffix(2))) ?? ""
            return meant([values[0], "on", "--for", span])
        case "home timer": return "say when: --for 20m, --in 10m or --until 22:00"
        case "hubs rename", "devices rename", "home rename", "home room rename":
            // The first name is one that is known, as far as it goes.
            let known = NameCompletion.known(path).map { $0.lowercased() }
            let count = (1..<values.count).last {
                known.contains(values.prefix($0).joined(separator: " ").lowercased())
            }
            let name = values.dropFirst(count ?? 1).drop { $0.lowercased() == "to" || $0 == "in" }
            return quotes([
                values.prefix(count ?? 1).joined(separator: " "), name.joined(separator: " "),
            ])
        default:
            // `hub journal today`, `home armed away`: it takes nothing, and means the same without it.
            let bare = path.rest.filter { !values.contains($0) }
            if form.mostValues == 0, let line = meant(bare) { return line }
            return form.mostValues > 1 ? "put a name with spaces in quotes" : nil
        }
    }

    /// The name of a file that `print` can draw.
    private static func isPicture(_ name: String) -> Bool {
        [".png", ".svg", ".pdf", ".txt"].contains(where: name.lowercased().hasSuffix)
    }

    private func quotes(_ rest: [String]) -> String {
        "put a name with spaces in quotes: \(SuggestedLine(path.words, rest))"
    }
}
