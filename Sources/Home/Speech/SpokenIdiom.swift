/// Sentences that say it in another way than the grammar: as a sentence that it knows. Looked at only when
/// the grammar does not understand a sentence itself, so no sentence changes its meaning by it. None opens or
/// unlocks: that takes a name in full.
///
/// `*` stands for one or more words, the same in both forms, in their order.
enum SpokenIdiom {
    private static let english =
        [
            ("heat * to * degrees", "set * to * degrees"), ("heat * to *", "set * to * degrees"),
            ("it's too cold in *", "make it warmer in *"), ("it is too cold in *", "make it warmer in *"),
            ("it's too warm in *", "make it cooler in *"), ("it is too warm in *", "make it cooler in *"),
            ("it's too hot in *", "make it cooler in *"), ("it is too hot in *", "make it cooler in *"),
            ("close the garage", "close the garage door"), ("shut the garage", "close the garage door"),
            ("flip * on", "turn * on"), ("flip * off", "turn * off"), ("lock up", "lock everything"),
            ("make sure * is off", "turn * off"), ("make sure * are off", "turn * off"),
            ("make sure * is on", "turn * on"), ("make sure * are on", "turn * on"),
            ("make sure * is locked", "lock *"), ("make sure * are locked", "lock *"),
            ("make sure * is closed", "close *"), ("make sure * are closed", "close *"),
            ("* should be off", "turn * off"), ("* should be on", "turn * on"),
            ("* should be closed", "close *"), ("* should be locked", "lock *"),
            ("more light in *", "make it brighter in *"), ("little more light in *", "make it brighter in *"),
            ("less light in *", "make it darker in *"), ("is * house locked", "is everything locked"),
            ("is * house locked up", "is everything locked"), ("lock up * house", "lock everything"),
            ("warm up *", "make it warmer in *"), ("heat up *", "make it warmer in *"),
            ("warm * up", "make it warmer in *"), ("cool down *", "make it cooler in *"),
            ("cool * down", "make it cooler in *"), ("it's cold in *", "make it warmer in *"),
            ("it's freezing in *", "make it warmer in *"), ("it's too dark in *", "make it brighter in *"),
            ("it's too bright in *", "make it darker in *"), ("how warm is *", "how warm is it in *"),
            ("how cold is *", "how warm is it in *"), ("how hot is *", "how warm is it in *"),
            ("full brightness on *", "set * to 100 percent"),
            ("full brightness for *", "set * to 100 percent"),
            ("full brightness in *", "set the lights in * to 100 percent"),
            ("half brightness on *", "set * to 50 percent"), ("half brightness for *", "set * to 50 percent"),
            ("half brightness in *", "set the lights in * to 50 percent"),
            ("set * to its lowest", "set * to minimum"), ("set * to its highest", "set * to maximum"),
            ("dim everything in *", "dim the lights in *"), ("brighten up *", "make it brighter in *"),
            ("make it dark in *", "turn off the lights in *"),
            ("i can't see anything in *", "turn on the lights in *"),
            ("i'm cold in *", "make it warmer in *"), ("it's chilly in *", "make it warmer in *"),
            ("it's hot in *", "make it cooler in *"), ("it's boiling in *", "make it cooler in *"),
            ("it's dark in *", "make it brighter in *"),
            ("turn both lamps in * on", "turn both lights in * on"),
            ("turn on both lamps in *", "turn on both lights in *"),
            ("turn off both lamps in *", "turn off both lights in *"),
            ("anything on", "is anything on"), ("anything on *", "is anything on *"),
            ("anything open", "is anything open"), ("anything open *", "is anything open *"),
            ("anything left on", "is anything on"), ("anything still on", "is anything on"),
            ("state of *", "what is the state of *"), ("status of *", "what is the status of *"),
            ("i need light in *", "turn on the lights in *"),
            ("i need some light in *", "turn on the lights in *"),
            ("i need more light in *", "make it brighter in *"), ("* is too bright", "make * darker"),
            ("* is too dark", "make * brighter"), ("* is too dim", "make * brighter"),
            ("* is too cold", "make * warmer"), ("* is too warm", "make * cooler"),
            ("* is too hot", "make * cooler"), ("* can go off", "turn * off"),
            ("* can go off now", "turn * off"), ("* can be turned off", "turn * off"),
            ("* , it's bedtime", "*"), ("* , it's late", "*"), ("* , it's getting late", "*"),
            ("* , it's time for bed", "*"), ("* , it's dark", "*"), ("* , it's getting dark", "*"),
            ("set the scene to *", "run *"), ("change the scene to *", "run *"), ("time for *", "run *"),
            ("it's time for *", "run *"), ("what colour is *", "what is the state of *"),
            ("what color is *", "what is the state of *"), ("what's going on in *", "what is on in *"),
            ("what's happening in *", "what is on in *"),
            ("turn * on but only *", "turn * on to *"), ("turn on * but only *", "turn * on to *"),
            ("let there be light in *", "turn on the lights in *"),
        ] + going("i'm going *", "i'm leaving", "we're going *", "we're leaving") + again + settingIt
    /// "Turn the lamp off, I'm going to bed": why it is said.
    private static func going(_ reasons: String...) -> [(String, String)] {
        reasons.map { ("* , \($0)", "*") }
    }

    /// "Turn the fan off again".
    private static let again = ["on", "off"].flatMap { way in
        [("* \(way) again", "* \(way)")]
            + ["turn", "switch", "put"].map { ("\($0) \(way) * again", "\($0) \(way) *") }
    }

    /// "Turn the lamp on and set it to 40 percent" is "turn the lamp on to 40 percent".
    private static let settingIt = ["turn", "switch", "put"].flatMap { verb in
        ["set", "dim", "turn", "put"].flatMap { other in
            ["it", "them"].flatMap { it in
                [
                    ("\(verb) * on and \(other) \(it) to *", "turn * on to *"),
                    ("\(verb) on * and \(other) \(it) to *", "turn * on to *"),
                ]
            }
        }
    }

    private static let german =
        [
            ("heiz * auf * grad", "stell * auf * grad"), ("heize * auf * grad", "stell * auf * grad"),
            ("mir ist kalt im *", "im * warmer"), ("mir ist zu kalt im *", "im * warmer"),
            ("es ist zu kalt im *", "im * warmer"), ("es ist zu warm im *", "im * kalter"),
            ("mir ist zu warm im *", "im * kalter"), ("ich hatte es im * gern warmer", "im * warmer"),
            ("ich hatte es im * gerne warmer", "im * warmer"),
            ("mach die garage zu", "mach das garagentor zu"),
            ("garage zu", "garagentor zu"), ("* , nur * nicht", "* ausser *"),
            ("schliess ab", "schliess alles ab"), ("abschliessen", "alles abschliessen"),
            ("wie warm ist * kuche", "wie warm ist es in * kuche"), ("es ist zu dunkel im *", "im * heller"),
            ("es ist zu hell im *", "im * dunkler"), ("es ist kalt im *", "im * warmer"),
            ("es ist zu kalt in *", "in * warmer"), ("es ist zu warm in *", "in * kalter"),
            ("es ist zu dunkel in *", "in * heller"), ("es ist zu hell in *", "in * dunkler"),
            ("wie warm ist das *", "wie warm ist es im *"), ("wie kalt ist das *", "wie warm ist es im *"),
            ("wie kalt ist es im *", "wie warm ist es im *"), ("mehr licht im *", "im * heller"),
            ("mach mehr licht im *", "im * heller"), ("mach mehr licht in *", "in * heller"),
            ("bisschen mehr licht im *", "im * heller"), ("bisschen mehr licht in *", "in * heller"),
            ("* soll aus", "* aus"), ("* soll an", "* an"), ("mehr licht in *", "in * heller"),
            ("weniger licht im *", "im * dunkler"), ("weniger licht in *", "in * dunkler"),
            ("* soll aus sein", "* aus"), ("* sollen aus sein", "* aus"), ("* soll an sein", "* an"),
            ("* sollen an sein", "* an"), ("ist * haus abgeschlossen", "ist alles abgeschlossen"),
            ("ist * haus zu", "ist alles abgeschlossen"),
            ("mir ist kalt in *", "in * warmer"), ("mir ist zu kalt in *", "in * warmer"),
            ("mir ist warm im *", "im * kalter"), ("mir ist zu warm in *", "in * kalter"),
            ("welche temperatur hat *", "wie warm ist *"), ("wie viel grad hat *", "wie warm ist *"),
            ("welche temperatur ist es im *", "wie warm ist es im *"),
            ("welche temperatur ist im *", "wie warm ist es im *"),
            ("welche temperatur ist es in *", "wie warm ist es in *"),
            ("volle helligkeit im *", "lichter im * auf 100 prozent"),
            ("volle helligkeit in *", "lichter in * auf 100 prozent"),
            ("* wieder an", "* an"), ("* wieder ein", "* ein"), ("* wieder aus", "* aus"),
            ("ich brauche licht im *", "licht an im *"), ("ich brauche licht in *", "licht an in *"),
            ("ich brauche mehr licht im *", "im * heller"), ("ich brauche mehr licht in *", "in * heller"),
            ("* ist zu hell", "mach * dunkler"),
            ("* ist zu dunkel", "mach * heller"), ("szene * einschalten", "starte *"),
            ("szene * starten", "starte *"), ("welche farbe hat *", "wie ist der status von *"),
            ("* kann aus", "* aus"), ("* kann jetzt aus", "* aus"), ("* kann ausgehen", "* aus"),
            ("status von *", "wie ist der status von *"), ("zustand von *", "wie ist der zustand von *"),
        ] + anywhere + going("ich gehe *", "ich geh *", "wir gehen *", "wir fahren *") + makingLight

    /// "Ist noch irgendwo Licht an?"
    private static let anywhere = ["noch irgendwo", "irgendwo noch", "irgendwo"].flatMap { place in
        [
            ("ist \(place) licht an", "welche lampen sind an"),
            ("brennt \(place) licht", "welche lampen sind an"),
        ]
    }

    /// "Mach bitte Licht im Flur" is "mach Licht an im Flur".
    private static let makingLight = ["mach", "mache"].flatMap { verb in
        ["", "bitte ", "mal ", "mir ", "mir bitte ", "bitte mal ", "uns "].flatMap { polite in
            ["in *", "im *", "auf *", "oben", "unten", "draussen"].map { place in
                ("\(verb) \(polite)licht \(place)", "\(verb) licht an \(place)")
            }
        }
    }

    /// Nil for a sentence of no such form.
    static func plain(_ text: String, _ language: SpokenLanguage) -> String? {
        var words = SpokenText.tokens(text)
        while let last = words.last, [".", "?", "!", "please", "bitte"].contains(last) { words.removeLast() }
        let polite: Set = [",", "please", "bitte", "hey", "a", "ein"]
        while let first = words.first, polite.contains(first) { words.removeFirst() }
        for (form, plain) in language.code == "de" ? german : english {
            let form = form.split(separator: " ").map(String.init)
            guard var found = captures(of: form[...], in: words[...]) else { continue }
            return plain.split(separator: " ").map { word in
                word == "*" ? found.removeFirst().joined(separator: " ") : String(word)
            }.joined(separator: " ")
        }
        return nil
    }

    /// What stands for each `*`; nil if the words are not of the form. Sentences are short, and a form has
    /// two at most.
    private static func captures(
        of form: ArraySlice<String>, in words: ArraySlice<String>
    ) -> [[String]]? {
        guard let first = form.first else { return words.isEmpty ? [] : nil }
        guard first == "*" else {
            return words.first == first ? captures(of: form.dropFirst(), in: words.dropFirst()) : nil
        }
        for count in 1...max(1, words.count) where count <= words.count {
            if let rest = captures(of: form.dropFirst(), in: words.dropFirst(count)) {
                return [Array(words.prefix(count))] + rest
            }
        }
        return nil
    }
}
