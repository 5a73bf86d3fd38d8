extension SpokenLanguage {
    /// "Neunzehneinhalb" is 19,5.
    private static let halves = Dictionary(
        uniqueKeysWithValues: zip(
            5...,
            [
                "funf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwolf", "dreizehn", "vierzehn",
                "funfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn", "zwanzig", "einundzwanzig",
                "zweiundzwanzig", "dreiundzwanzig", "vierundzwanzig", "funfundzwanzig",
            ]
        ).map { number, word in ("\(word)einhalb", "\(number),5") })

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
            (.pronoun, "es sie ihn"), (.of, "von vom"), (.by, "um"),
            (.to, "auf"), (.at, "bei mit"), (.place, "in im"), (.placeBeforeArticle, "auf"),
            (.adverb, "oben unten draussen"), (.brightness, "helligkeit"), (.and, "und"),
            (.then, "dann danach"), (.except, "ausser"),
            (.filler, "bitte mal doch mir noch gerade wieder denn eigentlich etwa wirklich auch ma"),
            (.afterLevel, "dimmen stellen setzen drehen schalten fahren machen haben heizen"),
            (
                .final,
                """
                anschalten einschalten anmachen anknipsen ausschalten ausmachen ausknipsen abschalten
                abstellen offnen aufmachen schliessen zumachen abschliessen zuschliessen absperren zusperren
                verriegeln aufschliessen aufsperren entriegeln hochfahren hochziehen runterfahren
                herunterfahren herunterlassen runterlassen starten aktivieren deaktivieren loschen heller
                dunkler
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
                ist sind war waren hat habe hab haben hast was welche welcher welches welchen wie warum wann
                wo wer
                wieso ob brennt brennen lauft laufen steht stehen
                """
            ),
            (
                .decisive,
                """
                ist sind war waren hat habe hab haben was welche welcher welches welchen wie warum wann wo
                wer wieso ob brennt brennen lauft laufen steht stehen an aus auf zu ab hoch runter nicht nie
                niemals kein keine keinen keinem um bei in im nach vor bis ausser ohne mit oder aber wenn
                falls sobald solange wahrend fur von vom zum zur als und dann danach sonst ich du er sie es
                wir ihr man dass prozent weil damit nur erst wieder spater gleich heute abends morgens
                nachts immer doch
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
                    "an": .on, "aus": .off, "auf": .open, "zu": .close, "hoch": .up, "rauf": .up,
                    "runter": .down, "herunter": .down, "heller": .brighter, "dunkler": .darker,
                    "warmer": .warmer, "kalter": .cooler, "kuhler": .cooler,
                ], levels: .plain),
            SpokenVerb(
                words: "stelle stell setze setz",
                actions: [
                    "an": .on, "aus": .off, "ab": .off, "heller": .brighter, "dunkler": .darker,
                    "warmer": .warmer, "kalter": .cooler, "hoher": .up, "hoch": .up, "runter": .down,
                    "niedriger": .down,
                ], levels: .bare),
            SpokenVerb(
                words: "drehe dreh",
                actions: [
                    "auf": .up, "hoch": .up, "hoher": .up, "runter": .down, "herunter": .down,
                    "niedriger": .down, "warmer": .warmer, "kalter": .cooler, "kuhler": .cooler,
                    "heller": .brighter, "dunkler": .darker, "ab": .off,
                ],
                levels: .plain),
            SpokenVerb(words: "andere", actions: [:], levels: .afterTo),
            SpokenVerb(words: "tu tue", actions: ["an": .on, "aus": .off]),
            SpokenVerb(words: "starte start aktiviere", actions: ["": .on], isForSwitches: true),
            SpokenVerb(words: "stoppe stopp deaktiviere", actions: ["": .off], isForSwitches: true),
            SpokenVerb(
                words: "dimme dimm", actions: ["": .dim, "runter": .dim, "herunter": .dim], levels: .afterTo),
            SpokenVerb(words: "losche losch", actions: ["": .off], isForSwitches: true),
            SpokenVerb(words: "offne", actions: ["": .open], levels: .afterTo),
            SpokenVerb(
                words: "schliesse schliess",
                actions: ["": .close, "ab": .lock, "zu": .lock, "auf": .unlock]),
            SpokenVerb(words: "sperre sperr", actions: ["ab": .lock, "zu": .lock, "auf": .unlock]),
            SpokenVerb(words: "verriegle verriegele verriegel", actions: ["": .lock]),
            SpokenVerb(words: "entriegle entriegele entriegel", actions: ["": .unlock]),
            SpokenVerb(
                words: "fahre fahr ziehe zieh",
                actions: [
                    "hoch": .up, "rauf": .up, "auf": .open, "zu": .close, "runter": .down, "herunter": .down,
                    "hinunter": .down, "hinauf": .up,
                ], levels: .plain),
            SpokenVerb(
                words: "lass lasse",
                actions: ["an": .on, "aus": .off, "runter": .down, "herunter": .down, "hoch": .up],
                isLeaving: true),
            SpokenVerb(words: "schmeiss schmeisse wirf", actions: ["an": .on]),
            SpokenVerb(words: "hebe heb", actions: ["": .up, "an": .up]),
            SpokenVerb(words: "erhohe erhoh steigere", actions: ["": .up], levels: .afterTo),
            SpokenVerb(words: "senke senk", actions: ["": .down, "ab": .down], levels: .afterTo),
            SpokenVerb(words: "reduziere verringere", actions: ["": .down], levels: .afterTo),
        ],
        verbless: SpokenVerb(
            words: "",
            actions: [
                "an": .on, "ein": .on, "aus": .off, "auf": .open, "zu": .close, "hoch": .up, "rauf": .up,
                "runter": .down, "herunter": .down, "heller": .brighter, "dunkler": .darker,
                "warmer": .warmer, "hoher": .warmer, "kalter": .cooler, "kuhler": .cooler,
                "niedriger": .cooler,
                "anschalten": .on, "einschalten": .on, "anmachen": .on, "anknipsen": .on,
                "ausschalten": .off, "ausmachen": .off, "ausknipsen": .off, "abschalten": .off,
                "abstellen": .off, "offnen": .open, "aufmachen": .open, "schliessen": .close,
                "zumachen": .close, "abschliessen": .lock, "zuschliessen": .lock, "absperren": .lock,
                "zusperren": .lock, "verriegeln": .lock, "aufschliessen": .unlock, "aufsperren": .unlock,
                "entriegeln": .unlock, "hochfahren": .up, "hochziehen": .up, "loschen": .off, "dimmen": .dim,
                "runterfahren": .down,
                "herunterfahren": .down, "herunterlassen": .down, "runterlassen": .down,
            ], levels: .plain, isForLocks: true),
        levels: [
            "voll": 1, "volle": 1, "ganz": 1, "maximum": 1, "maximal": 1, "maximale": 1, "halb": 0.5,
            "halbe": 0.5, "halfte": 0.5, "viertel": 0.25, "dreiviertel": 0.75, "drittel": 0.33,
            "minimum": 0.01,
            "minimal": 0.01,
        ],
        numbers: SpokenNumbers(
            units: """
                null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn \
                funfzehn sechzehn siebzehn achtzehn neunzehn
                """, tens: "zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig",
            hundred: "hundert einhundert", joining: .unitsFirst("und", one: "ein"), others: ["zwo": 2],
            decimalMark: ","),
        percent: "prozent, %",
        polite: """
            bitte, hey, ok, okay, danke, vielen dank, jetzt, mal, doch, sofort, pls, bitteschon, bitte schon,
            dankeschon, danke schon, ma, alexa, google, siri, halt, einfach, hallo, hi, yo, mal eben, eben,
            kurz,
            mal kurz, schnell, mal schnell, gleich mal, wenn du so lieb bist, wenn's geht, wenn moglich
            """,
        asking: """
            konntest du, kannst du, wurdest du, willst du, kann man, konnten sie, konnen sie, wurden sie,
            du sollst, du kannst, du konntest, sei so gut und, sei so lieb und, seien sie so gut und,
            sei so nett und, seien sie so nett und, seien sie so freundlich und, warst du so nett und,
            warst du so lieb und, bist du so nett und, bist du so lieb und, ware es moglich, konnten wir,
            konnen wir, darf ich bitten,
            konntest du so lieb sein und, kannst du so lieb sein und, wurdest du so lieb sein und
            """,
        wishes: "ich mochte, ich will, ich hatte gern, ich hatte gerne, ich hatte, ich wunsche mir",
        telling: """
            sag mir, sage mir, zeig mir, zeige mir, weisst du, kannst du mir sagen, sagen sie, sagen sie mal,
            sag mal, sag
            """,
        temperature: "grad, grad celsius, grad warm, celsius, c",
        degrees: """
            etwas, bisschen, ein bisschen, ein wenig, ein klein wenig, ein stuck, ein stuckchen, weiter,
            ein stuck weiter, ein stuckchen weiter, noch ein stuck, noch weiter
            """,
        endings: [
            [
                Ending("'s"), Ending("ern", minimum: 3), Ending("er", minimum: 3), Ending("en", minimum: 3),
                Ending("em", minimum: 3), Ending("es", minimum: 3), Ending("e", minimum: 3),
                Ending("n", minimum: 3), Ending("s", minimum: 3),
            ]
        ],
        plurals: """
            lichter lichtern lampen leuchten spots strahler rollos rolllaeden jalousien
            heizungen ventilatoren steckdosen schalter vorhange turen tore fenster schlosser
            """,
        wholes: "ganze ganzen gesamte gesamten komplette kompletten",
        collectives: "licht beleuchtung",
        kinds: [
            "light": "licht, lampe, leuchte, beleuchtung", "lamp": "licht, leuchte",
            "lock": "schloss, turschloss, tur", "door": "tur", "gate": "tor", "window": "fenster",
            "blind": "rollo, rollladen, rolladen, jalousie, rolllaeden",
            "shutter": "rollo, rollladen, rolladen, jalousie, rolllaeden",
            "shade": "rollo", "curtain": "vorhang, gardine", "heater": "heizung", "heating": "heizung",
            "radiator": "heizung", "thermostat": "heizung", "fan": "ventilator, lufter",
            "switch": "schalter, steckdose", "plug": "steckdose", "socket": "steckdose", "sensor": "sensor",
            "television": "fernseher", "tv": "fernseher",
        ],
        areas: [
            "unten": "erdgeschoss, eg, untergeschoss", "draussen": "garten, aussen, aussenbereich, hof",
            "oben": "obergeschoss, og, erster stock, dachgeschoss, 1 stock",
        ],
        tails: """
            lichter licht lampen lampe leuchten leuchte beleuchtung rollos rollo rollladen rolladen jalousien
            jalousie heizungen heizung ventilatoren ventilator steckdosen steckdose fenster turen tur tore tor
            """,
        falseTails: "ator itor otor ktor utor atur itur ktur",
        beginsWithPlace: true,
        rewrites: [
            "zur halfte": "halb", "ganz hell": "auf 100 prozent", "zwei drittel": "66 prozent",
            "drei viertel": "75 prozent",
            "bis auf die": "ausser die", "bis auf den": "ausser den", "bis auf das": "ausser das",
            "aber nicht": "ausser", "nur nicht": "ausser", "mit ausnahme von": "ausser",
            "mit ausnahme der": "ausser der", "mit ausnahme des": "ausser des",
            "die ganze beleuchtung": "alle lichter", "die gesamte beleuchtung": "alle lichter",
            "uberall": "", "in allen raumen": "", "in allen zimmern": "", "in jedem raum": "",
            "in jedem zimmer": "", "im haus": "", "im ganzen haus": "", "im gesamten haus": "",
            "das ganze haus": "alles", "eingeschalten": "eingeschaltet",
            "an geschaltet": "angeschaltet", "aus geschaltet": "ausgeschaltet",
            "ab geschaltet": "abgeschaltet", "glotze": "fernseher", "im moment": "gerade",
            "halb hoch": "halb auf", "halb runter": "halb zu", "volle pulle": "voll",
            "auf hochste stufe": "auf maximum", "auf die hochste stufe": "auf maximum",
            "auf hochster stufe": "auf maximum", "wieviel": "wie viel", "ist's": "ist es",
            "und dafur": "und", "machst du": "mach", "schaltest du": "schalt", "stellst du": "stell",
            "drehst du": "dreh", "machen sie": "mach", "schalten sie": "schalt", "stellen sie": "stell",
            "drehen sie": "dreh", "dimmen sie": "dimm", "offnen sie": "offne", "schliessen sie": "schliesse",
            "fahren sie": "fahr", "starten sie": "starte", "aktivieren sie": "aktiviere",
            "loschen sie": "losch", "die rollladen": "die rolllaeden", "die rolladen": "die rolllaeden",
            "uberall das licht": "alle lichter", "das licht uberall": "alle lichter",
            "uberall licht": "alle lichter", "uberall die lichter": "alle lichter", "im ganzen": "im",
            "in der ganzen": "in der", "was is": "was ist",
            "nich": "nicht", "kannste": "kannst du", "machste": "mach", "konnteste": "konntest du",
            "schlate": "schalte", "mahc": "mach", "amchen": "machen", "biite": "bitte",
            "auf der toilette": "in der toilette",
        ].merging(halves) { own, _ in own },
        scenes: [
            "THINGS", "starte|start|aktiviere|spiele|beginne THINGS", "fuhre THINGS aus",
            "schalte|schalt|mach|mache THINGS an|ein", "stell|stelle|setz|setze das haus auf THINGS",
            "stell|stelle|schalt|schalte auf THINGS", "THINGS an|ein|starten|aktivieren|ausfuhren",
            "THINGS zusammen|allerseits|haus|ihr",
        ],
        sceneWords: "szene",
        questions: [
            .init(.list, "was ist|sind PLACE? STATE PLACE?"),
            .init(.list, "was ist|sind PLACE? alles STATE PLACE?"), .init(.list, "was brennt|lauft PLACE?"),
            .init(.list, "ist irgendwas|irgendetwas|etwas|was PLACE? STATE PLACE?"),
            .init(.list, "ist PLACE irgendwas|irgendetwas|etwas|was STATE"),
            .init(.list, "lauft PLACE? irgendwas|irgendetwas|etwas PLACE?"),
            .init(.list, "welche|welcher|welches THINGS ist|sind PLACE? STATE PLACE?"),
            .init(.list, "welche|welcher|welches THINGS PLACE ist|sind STATE"),
            .init(.list, "welche|welcher|welches THINGS PLACE? STATE ist|sind"),
            .init(.list, "welche|welches THINGS brennt|brennen|lauft|laufen PLACE?"),
            .init(.list, "wie viele|viel THINGS ist|sind PLACE? STATE PLACE?"),
            .init(.list, "wie viele THINGS PLACE ist|sind STATE"),
            .init(.list, "wie viele THINGS brennen PLACE?"),
            .init(.list, "ist|sind irgendwelche|irgendeine|irgendein THINGS PLACE? STATE PLACE?"),
            .init(.list, "ist|sind PLACE irgendwelche|irgendeine|irgendein THINGS STATE"),
            .init(.check, "ist|sind THINGS STATE PLACE?"), .init(.check, "ist|sind PLACE THINGS STATE"),
            .init(.check, "ob THINGS PLACE? STATE ist|sind"),
            .init(.check, "brennt|brennen|lauft|laufen THINGS"),
            .init(.check, "brennt|brennen|lauft PLACE THINGS"),
            .init(.check, "steht|stehen THINGS STATE PLACE?"),
            .init(.check, "habe|hab|haben|hat|hast ich|wir|du|jemand|wer THINGS STATE"),
            .init(.check, "habe|hab|haben|hat ich|wir|jemand|wer THINGS STATE gelassen"),
            .init(.warmth, "wie warm|kalt ist es PLACE?"),
            .init(.warmth, "wie hoch ist die temperatur PLACE?"),
            .init(.warmth, "wie ist die temperatur PLACE?"),
            .init(.warmth, "wie viel grad sind|hat es PLACE?"),
            .init(.tell, "ist|sind THINGS STATE oder STATE"),
            .init(.tell, "wie hell|warm|kalt|hoch ist|sind THINGS"),
            .init(.tell, "wie hell|warm|kalt|hoch ist|sind THINGS eingestellt|gestellt"),
            .init(.list, "wo ist|sind PLACE? THINGS PLACE? STATE"),
            .init(.list, "wo brennt|brennen PLACE? THINGS PLACE?"),
            .init(.tell, "wie weit ist|sind THINGS STATE"),
            .init(.tell, "auf wie viel grad|prozent ist|steht|sind|stehen THINGS"),
            .init(.tell, "worauf ist|sind THINGS eingestellt|gestellt"),
            .init(.tell, "auf was ist|steht|sind|stehen THINGS"),
            .init(.check, "THINGS STATE PLACE?"), .init(.check, "ist|sind THINGS PLACE? beide|alle STATE"),
            .init(.tell, "wie ist der zustand|status von|vom THINGS"),
            .init(.tell, "wie ist der zustand|status THINGS"), .init(.tell, "wie steht|stehen THINGS"),
        ],
        states: [
            "an": .on, "ein": .on, "eingeschaltet": .on, "angeschaltet": .on, "angelassen": .on, "aus": .off,
            "ausgeschaltet": .off, "ausgemacht": .off, "abgeschaltet": .off, "auf": .open, "offen": .open,
            "geoffnet": .open, "aufgelassen": .open, "zu": .closed, "geschlossen": .closed,
            "zugemacht": .closed, "abgeschlossen": .locked, "abgesperrt": .locked, "verschlossen": .locked,
            "zugeschlossen": .locked, "verriegelt": .locked, "zugesperrt": .locked,
            "aufgeschlossen": .unlocked, "aufgesperrt": .unlocked, "unverschlossen": .unlocked,
            "entriegelt": .unlocked, "oben": .open, "unten": .closed, "heruntergelassen": .closed,
            "runtergelassen": .closed, "heruntergefahren": .closed, "runtergefahren": .closed,
            "hochgezogen": .open, "hochgefahren": .open,
        ])
}
