import FoundationEssentials
import Home
import Identity
import JSON
import Testing

@Suite struct SpokenGrammarTests {
    private func refusal(_ sentence: String) -> SpokenError? {
        do {
            _ = try SpokenTargets(devices: SpokenCase.family).orders(of: SpokenSentence(sentence))
            return nil
        } catch {
            return error as? SpokenError
        }
    }

    @Test(arguments: [
        ("", SpokenError.empty), ("please", .empty), (" ,,, ", .empty), ("turn on", .noThing),
        ("make it cosy", .noSetting("it cosy")), ("turn the tv", .noSetting("tv")),
        ("turn off the tv and the", .noThing), ("set the lamp to 140%", .outOfRange("140")),
        ("set the lamp to 101 percent", .outOfRange("101")), ("set the lamp to one", .bareNumber("one")),
        ("is the tv on", .question), ("the tv is on", .leftOver("is", in: "tv is")),
        ("turn on the tv and the fan off", .mixed("the fan off")), ("unlock it", .leftOver("it", in: "it")),
        ("dim lamp 1 by 20 percent", .needsTo("dim")), ("set lamp 40", .nameOrLevel("lamp")),
        ("set the front door to 40%", .lockSetting("Front door")),
        ("turn the tv on and the tv off", .contradiction("TV")),
        ("both hall lamps on", .notBoth("both hall lamps", ["Hall lamp"])),
        ("turn \u{FFFD} on", .noSetting("turn \u{FFFD} on")), (String(repeating: "a ", count: 400), .tooLong),
    ])
    func refuses(_ sentence: String, _ error: SpokenError) {
        #expect(refusal(sentence) == error)
    }

    @Test(arguments: [
        ("set the kitchen light to 1", "say \"1 percent\" or \"full\"; nothing was changed"),
        ("lamp 3 on", "did you mean \"Lamp 1\" or \"Lamp 2\"?; nothing was changed"),
        ("the hall on", "say which: \"Hall door\", \"Hall lamp\"; nothing was changed"),
        (
            "lamps on",
            "say which: \"Hall lamp\", \"Lamp 1\", \"Lamp 2\", or \"all lamps\"; nothing was changed"
        ),
        ("make the hall lamp brighter", "turn it on first, or say the level; nothing was changed"),
        ("turn up the hall lamp", "turn it on first, or say the level; nothing was changed"),
        ("brighten the hall lamp", "turn it on first, or say the level; nothing was changed"),
        (
            "make it cosy",
            "say it like \"turn the kitchen light off\" or \"dim the lamp to 40 percent\"; "
                + "nothing was changed"
        ),
        (
            "turn the lights off in the cellar",
            "a place is found by the names of its appliances: 'hubpair home' lists the appliances; "
                + "nothing was changed"
        ),
        (
            "open the front door",
            "what on and off do to it its maker decides: 'hubpair home set \"Front door\" on' or off "
                + "sets it; nothing was changed"
        ),
    ])
    func saysHowToMendIt(_ sentence: String, _ hint: String) {
        #expect(refusal(sentence)?.recoverySuggestion == hint)
    }

    @Test func everythingLeavesLocksAlone() throws {
        for sentence in [
            "turn everything off", "everything off", "turn it all off", "all of them off",
            "turn off all devices",
            "turn all devices off", "turn off all the devices", "every device off",
        ] {
            let understood = try SpokenTargets(devices: SpokenCase.family).orders(
                of: SpokenSentence(sentence))
            #expect(understood.orders.count == 8)
            #expect(understood.leftAlone.map(\.name) == ["Front door", "Hall door", "Garage door"])
        }
    }

    /// If any single word is added at any place of an order that is understood, it is refused or
    /// means the same: nothing is skipped.
    @Test(arguments: [
        "not", "no", "is", "was", "at", "by", "in", "after", "until", "don't", "never", "if", "when",
        "5", "six", "tomorrow", "radio", "or", "without", "unlock", "on", "off", "-", "the", "then",
        "to",
        "near", "brighter", "devices",
    ])
    func noWordIsSkipped(_ word: String) throws {
        let orders = [
            "turn the kitchen light off", "turn off the christmas tree", "hall lamp on", "all lamps off",
            "set lamp 1 to 40 percent", "turn the tv on and the hall lamp off",
            "turn off the light in the kitchen",
            "front door off", "turn the light off in the kitchen", "in the kitchen turn the light off",
            "turn the hall lamp on at 50 percent", "turn on lamp 1 to 30%", "turn off the tv the hall lamp",
            "turn off all devices", "turn off the tv then turn on the hall lamp",
        ]
        let targets = SpokenTargets(devices: SpokenCase.family)
        for order in orders {
            let meant = try targets.orders(of: SpokenSentence(order))
            let words = order.split(separator: " ").map(String.init)
            for index in 0...words.count {
                let sentence = (words[..<index] + [word] + words[index...]).joined(separator: " ")
                let understood = try? targets.orders(of: SpokenSentence(sentence))
                #expect(understood == nil || understood == meant, "\(sentence)")
            }
        }
    }
}
