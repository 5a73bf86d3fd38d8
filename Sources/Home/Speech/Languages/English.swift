extension SpokenLanguage {
    package static let english = SpokenLanguage(
        code: "en", name: "English",
        roles: [
            (.article, "the a an my our"), (.listArticle, "the my our"),
            (.quantifier, "all every each everything both"), (.whole, "all everything"),
            (.alone, "everything"), (.both, "both"),
            (.device, "device devices"), (.pronoun, "it them"), (.of, "of"), (.direction, "up down"),
            (.to, "to"), (.at, "at"), (.place, "in"), (.adverb, "upstairs downstairs outside"),
            (.brightness, "brightness"), (.and, "and"), (.then, "then"), (.filler, "please"),
            (.runs, "run start activate play begin"),
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
                if while for from to with without or of than then be been i you he she it they we them that
                it's and nor minus plus percent so because since once
                """
            ),
        ],
        verbs: [
            SpokenVerb(
                words: "turn", actions: ["on": .on, "off": .off, "up": .up, "down": .down], levels: .plain,
                takesParticleFirst: true, isForLocks: true),
            SpokenVerb(
                words: "switch", actions: ["on": .on, "off": .off], levels: .plain, takesParticleFirst: true,
                isForLocks: true),
            SpokenVerb(
                words: "put", actions: ["on": .on, "off": .off, "up": .up, "down": .down], levels: .plain,
                takesParticleFirst: true),
            SpokenVerb(words: "set", actions: ["on": .on, "off": .off], levels: .bare),
            SpokenVerb(words: "shut", actions: ["": .close, "off": .off], takesParticleFirst: true),
            SpokenVerb(words: "power", actions: ["on": .on, "off": .off], takesParticleFirst: true),
            SpokenVerb(words: "dim", actions: ["": .dim, "down": .dim], levels: .afterTo),
            SpokenVerb(words: "brighten", actions: ["": .brighter, "up": .brighter], levels: .afterTo),
            SpokenVerb(words: "darken", actions: ["": .darker], levels: .afterTo),
            SpokenVerb(words: "fade", actions: [:], levels: .afterTo),
            SpokenVerb(
                words: "make",
                actions: [
                    "brighter": .brighter, "lighter": .brighter, "darker": .darker, "dimmer": .darker,
                    "warmer": .warmer, "hotter": .warmer, "cooler": .cooler, "colder": .cooler,
                ]),
            SpokenVerb(words: "open", actions: ["": .open, "up": .open], levels: .afterTo),
            SpokenVerb(words: "close", actions: ["": .close], levels: .afterTo),
            SpokenVerb(words: "raise", actions: ["": .up], levels: .afterTo),
            SpokenVerb(words: "lower", actions: ["": .down], levels: .afterTo),
            SpokenVerb(words: "lock bolt", actions: ["": .lock, "up": .lock]),
            SpokenVerb(words: "unlock unbolt", actions: ["": .unlock]),
        ],
        verbless: SpokenVerb(
            words: "",
            actions: [
                "on": .on, "off": .off, "up": .up, "down": .down, "brighter": .brighter, "darker": .darker,
                "warmer": .warmer, "cooler": .cooler,
            ], levels: .plain, isForLocks: true),
        levels: ["full": 1, "maximum": 1, "max": 1, "half": 0.5, "minimum": 0.01, "min": 0.01],
        numbers: SpokenNumbers(
            units: """
                zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen \
                fifteen sixteen seventeen eighteen nineteen
                """, tens: "twenty thirty forty fifty sixty seventy eighty ninety", hundred: "hundred",
            joining: .tensFirst),
        percent: "percent, %, per cent",
        polite: "please, hey, ok, okay, thanks, thank you, now, kindly",
        asking: "could you, can you, would you, will you",
        temperature: "degrees, degree, degrees celsius, degree celsius, celsius, c",
        degrees: "a bit, a little, a little bit, slightly",
        endings: [
            [
                Ending("'s"), Ending("ss", "ss"), Ending("s", minimum: 3, isPlural: true),
            ],
            [Ending("che", "ch"), Ending("she", "sh"), Ending("sse", "ss"), Ending("xe", "x")],
        ],
        kinds: [
            "shutter": "blind, shade", "blind": "shade, shutter", "shade": "blind", "curtain": "drape",
            "heater": "heating", "heating": "heater", "thermostat": "heating", "radiator": "heating, heater",
        ],
        lockWords: "lock bolt door gate alarm siren valve safe window camera",
        lightWords: "light lamp bulb dimmer",
        questions: [
            (.list, "what|which is|are STATE PLACE?"), (.list, "what's|whats STATE PLACE?"),
            (.list, "is anything|something STATE PLACE?"), (.list, "what|which THINGS is|are STATE PLACE?"),
            (.list, "is|are any THINGS STATE PLACE?"), (.list, "is|are there any THINGS STATE PLACE?"),
            (.check, "is|are THINGS STATE PLACE?"), (.check, "did i leave THINGS STATE PLACE?"),
            (.check, "have i left THINGS STATE PLACE?"),
            (.tell, "is|are THINGS STATE or STATE"), (.tell, "how bright|warm|high is|are THINGS"),
            (.tell, "what is|are THINGS set to"), (.tell, "what is the state|status of THINGS"),
            (.tell, "how is|are THINGS"), (.tell, "what is|are THINGS"),
        ],
        states: [
            "on": .on, "off": .off, "open": .open, "opened": .open, "closed": .closed, "shut": .closed,
            "locked": .locked, "unlocked": .unlocked, "lit": .on, "running": .on, "up": .open,
            "down": .closed,
        ])
}
