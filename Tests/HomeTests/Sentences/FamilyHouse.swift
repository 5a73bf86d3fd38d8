import JSON

@testable import Home

/// Another house than ``SentenceHouse``: other rooms and floors, appliances that are called in other ways,
/// heatings with a unit, sensors, a valve and a gate. The English one is that of `samples/house`.
enum FamilyHouse {
    private typealias Appliance = (name: String, type: String, activators: [(String, JSONValue)])

    private static func lamp(_ name: String, _ isOn: Bool, _ level: Double? = nil) -> Appliance {
        (
            name, "Light",
            [("On/Off", .boolean(isOn))] + (level.map { [("Brightness", .number($0))] } ?? [])
        )
    }
    private static func plug(_ name: String, _ isOn: Bool = false, _ type: String = "Switch") -> Appliance {
        (name, type, [("On/Off", .boolean(isOn))])
    }
    private static func blind(_ name: String, _ position: Double) -> Appliance {
        (name, "Blind", [("Position", .number(position))])
    }
    private static func heating(_ name: String, _ level: Double) -> Appliance {
        (name, "Heating", [("Level", .number(level))])
    }
    private static func opening(_ name: String, _ type: String) -> Appliance {
        (name, type, [("Open", .boolean(false))])
    }
    private static func level(_ name: String, _ type: String, _ word: String, _ level: Double) -> Appliance {
        (name, type, [(word, .number(level))])
    }
    private static func lock(_ name: String) -> Appliance { (name, "Lock", [("Locked", .boolean(true))]) }

    private static let english: [(area: String, room: String, appliances: [Appliance])] = [
        (
            "Ground floor", "Kitchen",
            [
                lamp("Kitchen light", true, 0.8),
                ("Counter lamp", "Light", [("Brightness", .number(0.5)), ("Power", .boolean(true))]),
                plug("Coffee machine"), blind("Kitchen blind", 1), opening("Kitchen window", "Sensor"),
                level("Fridge", "Sensor", "Temperature", 0.35),
            ]
        ),
        (
            "Ground floor", "Living room",
            [
                lamp("Ceiling light", false, 0.4), lamp("Reading lamp", true, 0.3),
                (
                    "Hue go", "Light",
                    [("On/Off", .boolean(false)), ("Brightness", .number(0.6)), ("Color", .number(0.1))]
                ),
                plug("TV", true), blind("Living room blinds", 0.7), heating("Living room heating", 0.64),
            ]
        ),
        (
            "Ground floor", "Hall",
            [
                lamp("Hall light", true), lock("Front door"),
                ("Smoke detector", "Alarm", [("Alarm", .boolean(false))]),
                level("Thermometer", "Sensor", "Temperature", 0.52),
            ]
        ),
        (
            "Upstairs", "Bedroom",
            [
                lamp("Bedroom light", false, 0.6), lamp("Bedside lamp", true, 0.2),
                blind("Bedroom blinds", 0), heating("Bedroom heating", 0.4), plug("Fan", false, "Fan"),
            ]
        ),
        (
            "Upstairs", "Nursery",
            [
                lamp("Nursery light", false, 0.5), level("Night light", "Light", "Brightness", 0.1),
                blind("Nursery blinds", 0),
            ]
        ),
        (
            "Upstairs", "Bathroom",
            [
                lamp("Bathroom light", false), lamp("Mirror lamp", false, 1),
                plug("Towel heater", false, "Heater"),
            ]
        ),
        ("Upstairs", "Study", [lamp("Desk lamp", true, 0.9), plug("Printer")]),
        ("Outside", "Garden", [lamp("Terrace light", false), opening("Sprinkler", "Valve")]),
        (
            "Outside", "Garage",
            [lamp("Garage light", false), opening("Garage door", "Door"), plug("Car charger")]
        ),
    ]

    private static let german: [(area: String, room: String, appliances: [Appliance])] = [
        (
            "Erdgeschoss", "Küche",
            [
                lamp("Deckenlicht Küche", true, 0.8), lamp("Arbeitslampe", true, 0.5),
                plug("Kaffeemaschine"), blind("Rollladen Küche", 1), opening("Küchenfenster", "Sensor"),
                level("Kühlschrank", "Sensor", "Temperature", 0.35),
            ]
        ),
        (
            "Erdgeschoss", "Wohnzimmer",
            [
                lamp("Deckenlampe", false, 0.4), lamp("Leselampe", true, 0.3), lamp("Sofalampe", false, 0.6),
                plug("Fernseher", true), blind("Jalousie Wohnzimmer", 0.7),
                heating("Heizung Wohnzimmer", 0.64),
            ]
        ),
        ("Erdgeschoss", "Flur", [lamp("Flurlicht", true), lock("Haustür")]),
        (
            "Obergeschoss", "Schlafzimmer",
            [
                lamp("Schlafzimmerlampe", false, 0.6), lamp("Nachttischlampe", true, 0.2),
                blind("Rollo Schlafzimmer", 0), heating("Heizung Schlafzimmer", 0.4),
                plug("Ventilator", false, "Fan"),
            ]
        ),
        (
            "Obergeschoss", "Kinderzimmer",
            [
                lamp("Kinderzimmerlampe", false, 0.5), level("Nachtlicht", "Light", "Brightness", 0.1),
                blind("Rollo Kinderzimmer", 0),
            ]
        ),
        (
            "Obergeschoss", "Bad",
            [
                lamp("Badlicht", false), lamp("Spiegellampe", false, 1),
                plug("Handtuchheizung", false, "Heater"),
            ]
        ),
        ("Obergeschoss", "Arbeitszimmer", [lamp("Schreibtischlampe", true, 0.9), plug("Drucker")]),
        ("Draußen", "Garten", [lamp("Terrassenlicht", false), opening("Rasensprenger", "Valve")]),
        ("Draußen", "Garage", [lamp("Garagenlicht", false), opening("Garagentor", "Door")]),
    ]

    private static func targets(
        _ house: [(area: String, room: String, appliances: [Appliance])], heatings: [String],
        scenes: [String], _ language: SpokenLanguage
    ) -> SpokenTargets {
        var units = StateUnits()
        for name in heatings {
            units["id of \(name)", "\(name) 0"] = try? StateUnit(symbol: "°C", from: 5, to: 30)
        }
        return SpokenTargets(
            devices: house.flatMap(\.appliances).map {
                SentenceHouse.device($0.name, $0.type, $0.activators)
            },
            rooms: house.map { area, room, appliances in
                Room(id: room, name: room, area: area, devices: appliances.map { "id of \($0.name)" })
            }, scenes: scenes, units: units, language: language)
    }

    static let inEnglish = targets(
        english, heatings: ["Living room heating", "Bedroom heating"],
        scenes: ["Goodnight", "Movie night", "Good morning", "Away"], .english)
    static let inGerman = targets(
        german, heatings: ["Heizung Wohnzimmer", "Heizung Schlafzimmer"],
        scenes: ["Gute Nacht", "Filmabend", "Guten Morgen", "Abwesend"], .german)
}
