extension SpokenLanguage {
    /// The persons of a question: who may have done it.
    private static let people = "i|we|you|anyone|anybody|someone|somebody"
    /// "Would you mind turning it off" is "would you turn it off".
    private static let gerunds = Dictionary(
        uniqueKeysWithValues: [
            "turning": "turn", "switching": "switch", "putting": "put", "setting": "set", "shutting": "shut",
            "opening": "open", "closing": "close", "locking": "lock", "unlocking": "unlock",
            "dimming": "dim", "raising": "raise", "lowering": "lower", "starting": "start",
            "stopping": "stop", "making": "make", "bringing": "bring",
        ].flatMap { gerund, verb in
            ["would you mind", "do you mind", "mind", "how about", "what about"].map {
                ("\($0) \(gerund)", "would you \(verb)")
            }
        })

    /// "Nineteen and a half" is 19.5.
    private static let halves = Dictionary(
        uniqueKeysWithValues: zip(
            5...,
            [
                "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen",
                "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty", "twenty one",
                "twenty two", "twenty three", "twenty four", "twenty five",
            ]
        ).flatMap { number, word in
            ["\(number) and a half", "\(word) and a half"].map { ($0, "\(number).5") }
        })

    package static let english = SpokenLanguage(
        code: "en", name: "English",
        roles: [
            (.article, "the a an my our"), (.listArticle, "the my our"),
            (.quantifier, "all every each everything both"), (.whole, "all everything"),
            (.alone, "everything"), (.both, "both"),
            (.device, "device devices"), (.pronoun, "it them"), (.of, "of"), (.direction, "up down"),
            (.to, "to"), (.at, "at"), (.by, "by"), (.place, "in"),
            (.adverb, "upstairs downstairs outside"), (.brightness, "brightness"), (.and, "and"),
            (.then, "then"), (.except, "except besides but"), (.filler, "please still currently"),
            (
                .time,
                """
                second seconds sec secs minute minutes mins hour hours days week weeks moment while bit time
                morning afternoon evening night
                """
            ),
            (
                .question,
                """
                is isn't are aren't was wasn't were did does has have had what which how why when where who
                should shall may might what's whats who's how's any anything
                """
            ),
            (
                .decisive,
                """
                is isn't are aren't was wasn't were did does has have had what which how why when where who
                should shall may might what's whats who's how's
                on off not no do don't dont doesn't never at by in after before until till unless except but
                besides if while for from to with without or of than then be been i you he she it they we them
                that
                it's and nor minus plus percent so because since once
                """
            ),
        ],
        verbs: [
            SpokenVerb(
                words: "turn",
                actions: ["on": .on, "off": .off, "up": .up, "down": .down, "higher": .warmer],
                levels: .plain,
                takesParticleFirst: true, isForLocks: true),
            SpokenVerb(
                words: "switch", actions: ["on": .on, "off": .off], levels: .plain, takesParticleFirst: true,
                isForLocks: true),
            SpokenVerb(
                words: "put", actions: ["on": .on, "off": .off, "up": .up, "down": .down], levels: .plain,
                takesParticleFirst: true),
            SpokenVerb(words: "set", actions: ["on": .on, "off": .off], levels: .bare),
            SpokenVerb(words: "change adjust", actions: [:], levels: .afterTo),
            SpokenVerb(words: "shut", actions: ["": .close, "off": .off], takesParticleFirst: true),
            SpokenVerb(
                words: "power", actions: ["on": .on, "off": .off, "up": .on, "down": .off],
                takesParticleFirst: true),
            SpokenVerb(
                words: "bring take bump crank knock", actions: ["up": .up, "down": .down], levels: .afterTo),
            SpokenVerb(
                words: "pop stick get", actions: ["on": .on, "off": .off, "going": .on]),
            SpokenVerb(
                words: "leave keep", actions: ["on": .on, "off": .off, "going": .on], isLeaving: true),
            SpokenVerb(words: "drop", actions: ["": .down], levels: .afterTo),
            SpokenVerb(words: "activate enable", actions: ["": .on], isForSwitches: true),
            SpokenVerb(words: "deactivate disable kill", actions: ["": .off], isForSwitches: true),
            SpokenVerb(words: "start run", actions: ["": .on], isForSwitches: true),
            SpokenVerb(words: "stop", actions: ["": .off], isForSwitches: true),
            SpokenVerb(words: "dim", actions: ["": .dim, "down": .dim], levels: .afterTo),
            SpokenVerb(words: "brighten", actions: ["": .brighter, "up": .brighter], levels: .afterTo),
            SpokenVerb(words: "darken", actions: ["": .darker], levels: .afterTo),
            SpokenVerb(words: "increase", actions: ["": .up], levels: .afterTo),
            SpokenVerb(words: "decrease reduce", actions: ["": .down], levels: .afterTo),
            SpokenVerb(words: "fade", actions: [:], levels: .afterTo),
            SpokenVerb(
                words: "make",
                actions: [
                    "brighter": .brighter, "lighter": .brighter, "darker": .darker, "dimmer": .darker,
                    "warmer": .warmer, "hotter": .warmer, "cooler": .cooler, "colder": .cooler,
                ], levels: .plain),
            SpokenVerb(words: "open", actions: ["": .open, "up": .open], levels: .afterTo),
            SpokenVerb(words: "close", actions: ["": .close], levels: .afterTo),
            SpokenVerb(words: "raise", actions: ["": .up], levels: .afterTo),
            SpokenVerb(words: "lower", actions: ["": .down], levels: .afterTo),
            SpokenVerb(words: "pull roll", actions: ["up": .up, "down": .down, "open": .open]),
            SpokenVerb(words: "let", actions: ["down": .down]),
            SpokenVerb(words: "lock bolt", actions: ["": .lock, "up": .lock]),
            SpokenVerb(words: "unlock unbolt", actions: ["": .unlock]),
        ],
        verbless: SpokenVerb(
            words: "",
            actions: [
                "on": .on, "off": .off, "up": .up, "down": .down, "brighter": .brighter, "darker": .darker,
                "warmer": .warmer, "hotter": .warmer, "higher": .warmer, "cooler": .cooler, "colder": .cooler,
            ], levels: .plain, isForLocks: true),
        levels: [
            "full": 1, "fully": 1, "maximum": 1, "max": 1, "half": 0.5, "halfway": 0.5, "quarter": 0.25,
            "third": 0.33,
            "minimum": 0.01, "min": 0.01,
        ],
        numbers: SpokenNumbers(
            units: """
                zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen \
                fifteen sixteen seventeen eighteen nineteen
                """, tens: "twenty thirty forty fifty sixty seventy eighty ninety", hundred: "hundred",
            joining: .tensFirst),
        percent: "percent, %, per cent",
        polite: """
            please, hey, ok, okay, thanks, thank you, now, kindly, for me, cheers, alexa, google, siri,
            if you would, if you could, if you like, please and thank you, thank you very much,
            pls, plz, instead, as well, too, just, right, so, hi, hello, yo, quickly, straight away,
            if possible
            """,
        asking: """
            could you, can you, would you, will you, i want you to, i'd like you to, i need you to,
            would you be so kind as to, could you be so kind as to, be so kind and, do me a favour and,
            do me a favor and, can u, could u, would u, would you be so good as to,
            could you be so good as to, would you be good enough to, be a dear and, be a love and,
            be so good as to, be so kind as to, go ahead and, remember to, can someone, could someone,
            can somebody, could somebody, can anyone, could anyone, would someone, would somebody
            """,
        wishes: """
            i want, i'd like, i would like, i need, we want, we'd like, we need, can i have, could i have,
            can we have, could we have, let's have, let us have, can i get, could i get, can we get,
            could we get, give me, give us
            """,
        telling: """
            tell me, show me, do you know, let me know, check, can you check, could you check,
            can you tell me, could you tell me, i want to know, i'd like to know
            """,
        temperature: "degrees, degree, degrees celsius, degree celsius, celsius, c",
        degrees: "a bit, a little, a little bit, slightly, a touch, a notch, a tad, some",
        endings: [
            [
                Ending("'s"), Ending("ss", "ss"), Ending("s", minimum: 3, isPlural: true),
            ],
            [Ending("che", "ch"), Ending("she", "sh"), Ending("sse", "ss"), Ending("xe", "x")],
        ],
        wholes: "whole entire complete",
        kinds: [
            "shutter": "blind, shade", "blind": "shade, shutter", "shade": "blind", "curtain": "drape",
            "lock": "door", "heater": "heating, heat, thermostat, radiator",
            "heating": "heater, heat, thermostat, radiator",
            "thermostat": "heating, heat, heater, radiator", "radiator": "heating, heater, heat, thermostat",
        ],
        areas: [
            "downstairs": "ground floor, lower floor, basement",
            "outside": "garden, outdoors, exterior, yard, outdoor",
            "upstairs": "first floor, upper floor, second floor, top floor, attic",
        ],
        standIns: "one ones those that",
        rewrites: [
            "except for": "except", "apart from": "except", "aside from": "except", "other than": "except",
            "with the exception of": "except", "excluding": "except", "but not": "except",
            "but for the": "except the",
            "what's": "what is", "whats": "what is", "how's": "how is", "lighting": "lights",
            "lights out": "lights off", "light out": "light off", "turn out the": "turn off the",
            "in every room": "", "in all rooms": "", "in all the rooms": "", "everywhere": "",
            "in the house": "", "in the whole house": "", "in the entire house": "",
            "throughout the house": "",
            "around the house": "",
            "the whole house": "everything", "every single": "every", "each and every": "every",
            "on the ground floor": "in the ground floor", "on the first floor": "in the first floor",
            "on the second floor": "in the second floor", "on the top floor": "in the top floor",
            "on the terrace": "in the terrace", "on the balcony": "in the balcony",
            "coffee maker": "coffee machine", "telly": "tv", "television": "tv", "turned on": "on",
            "turned off": "off", "switched on": "on",
            "switched off": "off", "half way": "halfway", "colour": "color", "right now": "now",
            "at the moment": "currently", "all the way": "fully", "full blast": "full",
            "turn of the": "turn off the",
            "right down": "down", "right up": "up", "the temp": "the temperature", "how about we": "",
            "close up the": "close the", "on the terrace light": "on the terrace light",
            "on the balcony light": "on the balcony light", "tele": "tv", "flip on": "turn on",
            "flip off": "turn off", "in the whole upstairs": "upstairs", "in the whole": "in the",
            "to the lowest": "to minimum", "to the highest": "to maximum",
            "two thirds": "66 percent", "three quarters": "75 percent",
            "some light in": "the lights on in", "tun": "turn", "trun": "turn", "tunr": "turn", "trn": "turn",
            "swich": "switch", "swithc": "switch", "swtich": "switch", "pleas": "please", "plese": "please",
            "teh": "the", "first turn": "turn", "first switch": "switch", "first close": "close",
        ].merging(gerunds) { own, _ in own }.merging(halves) { own, _ in own },
        scenes: [
            "THINGS", "run|start|activate|play|begin|set THINGS", "turn|switch|put on THINGS",
            "turn|switch|put THINGS on", "THINGS on", "set|switch|put the house|home to|into|in THINGS",
            "let's do THINGS", "switch|change|go to THINGS", "THINGS house|everyone|everybody|all",
            "it's THINGS", "it is THINGS",
        ],
        sceneWords: "scene mode",
        questions: [
            .init(.list, "what|which is|are STATE PLACE?"),
            .init(.list, "is anything|something STATE PLACE?"),
            .init(.list, "is anything|something PLACE STATE"),
            .init(.list, "what|which THINGS is|are STATE PLACE?"),
            .init(.list, "what|which THINGS PLACE is|are STATE"),
            .init(.list, "how many THINGS is|are STATE PLACE?"),
            .init(.list, "how many THINGS PLACE is|are STATE"),
            .init(.list, "is|are any THINGS STATE PLACE?"), .init(.list, "is|are any of THINGS STATE PLACE?"),
            .init(.list, "is|are there any THINGS STATE PLACE?"),
            .init(.check, "is|are there THINGS STATE PLACE?"), .init(.check, "is|are THINGS STATE PLACE?"),
            .init(.check, "if|whether|that THINGS is|are STATE PLACE?"),
            .init(.list, "did|has \(people) leave|left any THINGS STATE PLACE?"),
            .init(.check, "did|has \(people) leave|left THINGS STATE PLACE?"),
            .init(.check, "have i|we left THINGS STATE PLACE?"),
            .init(.list, "have i|we got any THINGS STATE PLACE?"),
            .init(.check, "is|are THINGS PLACE? all STATE PLACE?"),
            .init(.check, "THINGS STATE is|are it|they"),
            .init(.check, "did|have|has \(people) lock|locked THINGS", "locked"),
            .init(.check, "did|have|has \(people) unlock|unlocked THINGS", "unlocked"),
            .init(.check, "did|have|has \(people) close|closed|shut THINGS", "closed"),
            .init(.check, "did|have|has \(people) turn|switch|turned|switched off THINGS", "off"),
            .init(.check, "did|have|has \(people) turn|switch|turned|switched THINGS off", "off"),
            .init(.warmth, "how warm|cold|hot is it PLACE?"),
            .init(.warmth, "what is the temperature PLACE?"), .init(.warmth, "what temperature is it PLACE?"),
            .init(.tell, "is|are THINGS STATE or STATE"), .init(.tell, "THINGS STATE or STATE"),
            .init(.tell, "how bright|warm|cold|hot|high THINGS is|are"),
            .init(.tell, "how bright|warm|cold|hot|high is|are THINGS"),
            .init(.tell, "how far open|up|down is|are THINGS"),
            .init(.tell, "how far is|are THINGS open|up|down"),
            .init(.tell, "what is|are THINGS set to PLACE?"),
            .init(.tell, "what is the state|status of THINGS"),
            .init(.tell, "what is the temperature|brightness|level of|in THINGS"),
            .init(.check, "THINGS STATE PLACE?"), .init(.tell, "how is|are THINGS"),
            .init(.tell, "what is|are THINGS"),
        ],
        states: [
            "on": .on, "off": .off, "open": .open, "opened": .open, "closed": .closed, "shut": .closed,
            "locked": .locked, "unlocked": .unlocked, "lit": .on, "running": .on, "up": .open,
            "down": .closed,
        ])
}
