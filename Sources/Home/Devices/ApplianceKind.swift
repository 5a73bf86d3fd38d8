/// What an appliance does, as far as care is needed: the one table that guards, words and headings go by. A
/// server's type is a hint, and no more: a garage door of the type `Blind` is a gate.
///
/// The raw value is the word in commands, files and JSON. The order decides between two kinds that a type
/// names: a `DoorLock` is a lock.
package enum ApplianceKind: String, CaseIterable, Sendable {
    /// A lock, a bolt or a safe.
    case lock
    /// What vehicles pass: a garage door, a garden gate.
    case gate
    case door
    case window
    /// Lets water or gas through.
    case valve
    /// Tells of smoke, gas or water.
    case detector
    /// A siren, or what arms one.
    case alarm
    case camera
    case light
    case blind
    case heating
    case fan
    /// Tells anything else.
    case sensor
    /// Whatever is on or off.
    case `switch`
    case other

    /// True if something on it needs a second thought: it keeps people, water or thieves out. An order for
    /// all appliances does not mean it, its name must be said in full, and guests leave it alone.
    package var isGuarded: Bool {
        switch self {
        case .lock, .gate, .door, .window, .valve, .detector, .alarm, .camera: true
        case .light, .blind, .heating, .fan, .sensor, .switch, .other: false
        }
    }

    /// Which states of it are asked about first.
    var asking: Asking {
        switch self {
        case .lock, .gate, .door, .window, .valve: .opening
        case .detector, .alarm, .camera: .always
        case .light, .blind, .heating, .fan, .sensor, .switch, .other: .never
        }
    }

    enum Asking: Sendable {
        case never
        /// Those that open or unlock it; where nothing tells which these are, all.
        case opening
        case always
    }

    /// Whether there is anything to set on it.
    var showing: Showing {
        switch self {
        case .sensor, .detector: .only
        case .lock, .gate, .door, .window: .ifSensor
        case .valve, .alarm, .camera, .light, .blind, .heating, .fan, .switch, .other: .never
        }
    }

    enum Showing: Sendable {
        case only
        /// A contact at it, which the server calls a sensor.
        case ifSensor
        case never
    }

    /// True if "everything" means it: one does without it in an empty house.
    var isPartOfEverything: Bool {
        switch self {
        case .light, .fan, .switch, .other: true
        case .lock, .gate, .door, .window, .valve, .detector, .alarm, .camera, .blind, .heating, .sensor:
            false
        }
    }

    /// Under which headings of the overview it may stand.
    var headings: [HouseOverview.Fact] {
        switch self {
        case .lock, .gate, .door, .window: [.unlocked, .open]
        case .valve: [.open]
        case .detector, .alarm: [.sounding]
        case .light, .fan, .switch, .other: [.on]
        // An open blind lets the light in; a heating and a camera are on all the time.
        case .camera, .blind, .heating, .sensor: []
        }
    }

    /// What its main switch says when it is on, and off.
    var words: (on: String, off: String) {
        switch self {
        case .detector, .alarm: ("alarm", "quiet")
        // Of a door or a lock only its activator's name tells: see ControlledDevice.opening, locking.
        case .lock, .gate, .door, .window, .valve, .camera, .light, .blind, .heating, .fan, .sensor, .switch,
            .other:
            ("on", "off")
        }
    }

    /// True if a word that is nearly its name is enough: a mistake must not open, heat or start anything.
    var forgivesSlips: Bool { self == .light }

    // MARK: The words that tell it

    /// The words of a server's type, in the singular.
    var typeWords: [String] {
        switch self {
        case .lock: ["lock", "bolt", "deadbolt", "safe"]
        case .gate: ["gate", "garage"]
        case .door: ["door"]
        case .window: ["window"]
        case .valve: ["valve", "sprinkler", "irrigation"]
        case .detector: ["smoke", "leak"]
        case .alarm: ["alarm", "siren"]
        case .camera: ["camera"]
        case .light: ["light", "lamp", "bulb", "dimmer"]
        case .blind:
            ["blind", "shutter", "curtain", "shade", "awning", "cover", "covering", "roller", "drape"]
        case .heating: ["heater", "heating", "thermostat", "radiator"]
        case .fan: ["fan"]
        case .sensor: ["sensor", "detector", "meter", "contact"]
        case .switch: ["switch", "plug", "socket", "outlet"]
        case .other: []
        }
    }

    /// The words of a name in English or German, without diacritics, in the singular or as they are. After a
    /// `-` the end of a compound: `-tor` is "Garagentor". Names tell what the type `Switch` does not.
    var nameWords: [String] {
        switch self {
        case .lock: ["lock", "bolt", "deadbolt", "safe", "schloss", "-schloss", "riegel", "tresor"]
        case .gate: ["gate", "tor", "tore", "-tor", "-tore"]
        case .door: ["door", "tur", "turen", "-tur", "-turen"]
        case .window: ["window", "fenster", "-fenster"]
        case .valve:
            [
                "valve", "sprinkler", "irrigation", "ventil", "-ventil", "-sprenger", "bewasserung",
                "-bewasserung",
            ]
        case .detector:
            [
                "smoke", "leak", "gas", "rauchmelder", "rauchwarnmelder", "gasmelder", "wassermelder",
                "brandmelder",
            ]
        case .alarm: ["alarm", "alarmanlage", "siren", "sirene"]
        case .camera: ["camera", "kamera", "-kamera"]
        case .light:
            [
                "light", "lamp", "bulb", "dimmer", "licht", "-licht", "lichter", "-lichter", "lampe",
                "-lampe", "lampen", "-lampen", "leuchte", "-leuchte", "leuchten", "-leuchten",
                "beleuchtung", "-beleuchtung",
            ]
        case .blind:
            [
                "blind", "curtain", "shade", "awning", "drape", "rollo", "-rollo", "rollos", "rollladen",
                "-rollladen", "rolladen", "-rolladen", "jalousie", "-jalousie", "jalousien", "vorhang",
                "-vorhang", "gardine", "markise",
            ]
        case .heating, .fan, .sensor, .switch, .other: []
        }
    }
}
