extension SpokenLanguage {
    package static let german = SpokenLanguage(
        code: "de", name: "German",
        roles: [
            (
                .article,
                """
                der die das den dem des ein eine einen einem einer mein meine meinen meinem meiner unser
                unsere unseren unserem unserer
                """
            ),
            (.listArticle, "der die das den dem mein meine meinen unser unsere unseren"),
            (.quantifier, "alle allen alles jede jedes jeden jeder samtliche beide beiden"),
            (.whole, "alles"), (.alone, "alles"), (.both, "beide beiden"), (.device, "gerat gerate geraten"),
            (.pronoun, "es sie ihn"), (.of, "von"),
            (.to, "auf"), (.at, "bei mit"), (.place, "in im"), (.placeBeforeArticle, "auf"),
            (.adverb, "oben unten draussen"), (.brightness, "helligkeit"), (.and, "und"),
            (.then, "dann danach"), (.filler, "bitte mal doch mir noch gerade"),
            (.runs, "starte start aktiviere spiele beginne"),
            (.afterLevel, "dimmen stellen setzen drehen schalten fahren machen"),
            (
                .final,
                """
                anschalten einschalten anmachen ausschalten ausmachen abschalten offnen aufmachen
                schliessen zumachen abschliessen absperren zusperren verriegeln aufschliessen aufsperren
                entriegeln hochfahren hochziehen runterfahren herunterfahren herunterlassen runterlassen
                heller dunkler
                """
            ),
            (
                .time,
                """
                sekunde sekunden minute minuten stunde stunden tag tagen woche wochen moment weile zeit fruh
                morgen vormittag mittag nachmittag abend nacht uhr
                """
            ),
            (
                .question,
                """
                ist sind war waren hat habe haben was welche welcher welches welchen wie warum wann wo wer
                wieso ob brennt brennen lauft laufen
                """
            ),
            (
                .decisive,
                """
                ist sind war waren hat habe haben was welche welcher welches welchen wie warum wann wo wer
                wieso ob brennt brennen lauft laufen an aus auf zu ab hoch runter nicht nie niemals kein keine
                keinen keinem um bei in im nach vor bis ausser ohne mit oder aber wenn falls sobald solange
                wahrend fur von vom zum zur als und dann danach sonst ich du er sie es wir ihr man dass
                prozent weil damit nur erst wieder spater gleich heute abends morgens nachts immer doch
                """
            ),
        ],
        verbs: [
            SpokenVerb(
                words: "schalte schalt knipse knips",
                actions: ["an": .on, "ein": .on, "aus": .off, "ab": .off], levels: .plain, isForLocks: true),
            SpokenVerb(
                words: "mache mach",
                actions: [
                    "an": .on, "aus": .off, "auf": .open, "zu": .close, "hoch": .up, "runter": .down,
                    "heller": .brighter, "dunkler": .darker, "warmer": .warmer, "kalter": .cooler,
                    "kuhler": .cooler,
                ], levels: .plain),
            SpokenVerb(
                words: "stelle stell setze setz",
                actions: [
                    "an": .on, "aus": .off, "heller": .brighter, "dunkler": .darker, "warmer": .warmer,
                    "kalter": .cooler, "hoher": .up, "hoch": .up, "runter": .down,
                ], levels: .bare),
            SpokenVerb(
                words: "drehe dreh",
                actions: [
                    "auf": .up, "hoch": .up, "runter": .down, "herunter": .down, "warmer": .warmer,
                    "kalter": .cooler, "heller": .brighter, "dunkler": .darker,
                ],
                levels: .plain),
            SpokenVerb(
                words: "dimme dimm", actions: ["": .dim, "runter": .dim, "herunter": .dim], levels: .afterTo),
            SpokenVerb(words: "offne", actions: ["": .open], levels: .afterTo),
            SpokenVerb(words: "schliesse schliess", actions: ["": .close, "ab": .lock, "auf": .unlock]),
            SpokenVerb(words: "sperre sperr", actions: ["ab": .lock, "zu": .lock, "auf": .unlock]),
            SpokenVerb(words: "verriegle verriegele", actions: ["": .lock]),
            SpokenVerb(words: "entriegle entriegele", actions: ["": .unlock]),
            SpokenVerb(
                words: "fahre fahr ziehe zieh",
                actions: [
                    "hoch": .up, "rauf": .up, "auf": .open, "zu": .close, "runter": .down, "herunter": .down,
                    "hinunter": .down, "hinauf": .up,
                ], levels: .plain),
            SpokenVerb(
                words: "lass lasse", actions: ["runter": .down, "herunter": .down, "hoch": .up]),
            SpokenVerb(words: "hebe", actions: ["": .up, "an": .up]),
            SpokenVerb(words: "senke", actions: ["": .down, "ab": .down]),
        ],
        verbless: SpokenVerb(
            words: "",
            actions: [
                "an": .on, "ein": .on, "aus": .off, "auf": .open, "zu": .close, "hoch": .up, "rauf": .up,
                "runter": .down, "herunter": .down, "heller": .brighter, "dunkler": .darker,
                "warmer": .warmer, "kalter": .cooler, "kuhler": .cooler,
                "anschalten": .on, "einschalten": .on, "anmachen": .on, "ausschalten": .off,
                "ausmachen": .off, "abschalten": .off, "offnen": .open, "aufmachen": .open,
                "schliessen": .close, "zumachen": .close, "abschliessen": .lock, "absperren": .lock,
                "zusperren": .lock, "verriegeln": .lock, "aufschliessen": .unlock, "aufsperren": .unlock,
                "entriegeln": .unlock, "hochfahren": .up, "hochziehen": .up, "runterfahren": .down,
                "herunterfahren": .down, "herunterlassen": .down, "runterlassen": .down,
            ], levels: .plain, isForLocks: true),
        levels: [
            "voll": 1, "volle": 1, "ganz": 1, "maximum": 1, "maximal": 1, "halb": 0.5, "halbe": 0.5,
            "halfte": 0.5, "minimum": 0.01, "minimal": 0.01,
        ],
        numbers: SpokenNumbers(
            units: """
                null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn \
                funfzehn sechzehn siebzehn achtzehn neunzehn
                """, tens: "zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig",
            hundred: "hundert einhundert", joining: .unitsFirst("und", one: "ein"), others: ["zwo": 2]),
        percent: "prozent, %",
        polite: "bitte, hey, ok, okay, danke, vielen dank, jetzt, mal, doch, sofort",
        asking: """
            konntest du, kannst du, wurdest du, willst du, kann man, konnten sie, konnen sie,
            ich mochte, ich will
            """,
        temperature: "grad, grad celsius, celsius, c",
        degrees: "etwas, ein bisschen, ein wenig, ein klein wenig",
        endings: [
            [
                Ending("'s"), Ending("ern", minimum: 3), Ending("er", minimum: 3), Ending("en", minimum: 3),
                Ending("em", minimum: 3), Ending("es", minimum: 3), Ending("e", minimum: 3),
                Ending("n", minimum: 3), Ending("s", minimum: 3),
            ]
        ],
        plurals: """
            lichter lichtern lampen leuchten spots strahler rollos rolllaeden rollladen rolladen jalousien
            heizungen ventilatoren steckdosen schalter vorhange turen tore fenster schlosser
            """,
        kinds: [
            "light": "licht, lampe, leuchte, beleuchtung", "lamp": "licht, leuchte",
            "lock": "schloss, turschloss", "door": "tur", "gate": "tor", "window": "fenster",
            "blind": "rollo, rollladen, rolladen, jalousie",
            "shutter": "rollo, rollladen, rolladen, jalousie",
            "shade": "rollo", "curtain": "vorhang, gardine", "heater": "heizung", "heating": "heizung",
            "radiator": "heizung", "thermostat": "heizung", "fan": "ventilator, lufter",
            "switch": "schalter, steckdose", "plug": "steckdose", "socket": "steckdose", "sensor": "sensor",
            "television": "fernseher", "tv": "fernseher",
        ],
        tails: """
            lichter licht lampen lampe leuchten leuchte beleuchtung rollos rollo rollladen rolladen jalousien
            jalousie heizungen heizung ventilatoren ventilator steckdosen steckdose
            """,
        lockWords: """
            schloss turschloss riegel tur turen haustur wohnungstur gartentur kellertur terrassentur balkontur
            garagentur hintertur eingangstur zimmertur vordertur schiebetur nebentur tor tore garagentor
            gartentor hoftor einfahrtstor rolltor schiebetor garage alarm alarmanlage sirene ventil tresor
            safe fenster dachfenster kamera
            """,
        lightWords: "licht lampe leuchte dimmer beleuchtung",
        questions: [
            (.list, "was ist|sind PLACE? STATE PLACE?"), (.list, "was brennt|lauft PLACE?"),
            (.list, "ist irgendwas|irgendetwas|etwas|was PLACE? STATE PLACE?"),
            (.list, "welche|welcher|welches THINGS ist|sind PLACE? STATE PLACE?"),
            (.list, "welche|welches THINGS brennt|brennen|lauft|laufen PLACE?"),
            (.check, "ist|sind THINGS STATE PLACE?"), (.check, "ist|sind PLACE THINGS STATE"),
            (.check, "brennt|brennen|lauft|laufen THINGS"), (.check, "brennt|brennen|lauft PLACE THINGS"),
            (.check, "habe|hab ich THINGS STATE gelassen"),
            (.tell, "ist|sind THINGS STATE oder STATE"), (.tell, "wie hell|warm|hoch ist|sind THINGS"),
            (.tell, "wie ist der zustand|status von|vom THINGS"),
        ],
        states: [
            "an": .on, "ein": .on, "eingeschaltet": .on, "angeschaltet": .on, "aus": .off,
            "ausgeschaltet": .off, "auf": .open, "offen": .open, "geoffnet": .open, "zu": .closed,
            "geschlossen": .closed, "abgeschlossen": .locked, "abgesperrt": .locked, "verriegelt": .locked,
            "zugesperrt": .locked, "aufgeschlossen": .unlocked, "aufgesperrt": .unlocked,
            "entriegelt": .unlocked, "oben": .open, "unten": .closed,
        ])
}
