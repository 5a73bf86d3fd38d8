import JSON
import Testing

@testable import Home

/// Units of activators, and what a number means with and without one.
@Suite struct StateUnitTests {
    @Test(arguments: [
        ("°C", "5..30", 5.0, 30.0), ("min", "0..90", 0, 90), ("°C", "-30..-10.5", -30, -10.5),
        ("K", "0..0.001", 0, 0.001),
        ("degrees F", "40..90.25", 40, 90.25), ("lx", "0..999999.999", 0, 999_999.999),
    ])
    func reads(_ symbol: String, _ range: String, _ from: Double, _ to: Double) throws {
        let unit = try StateUnit(symbol: symbol, range: range)
        #expect(unit.symbol == symbol && unit.from == from && unit.to == to && unit.range == range)
        #expect(unit.level(of: from) == 0 && unit.level(of: to) == 1)
        #expect(unit.level(of: from - 0.001) == nil && unit.level(of: .nan) == nil)
    }

    @Test(arguments: [
        ("°C", "5..5"), ("°C", "30..5"), ("°C", "nan..5"), ("°C", "5..NaN"), ("°C", "0..inf"), ("°C", "5"),
        ("°C", ""),
        ("°C", "5..30..40"), ("°C", "5...30"), ("°C", "1e1..30"), ("°C", "0x5..30"), ("°C", "+5..30"),
        ("°C", "5 .. 30"),
        ("°C", ".5..30"), ("°C", "5...5"), ("°C", "0..1000000"), ("°C", "0..0.0001"), ("°C", "--5..30"),
        ("%", "0..100"), ("", "5..30"), ("on", "5..30"), ("OFF", "5..30"), ("none", "5..30"), ("5", "5..30"),
        ("-c", "5..30"),
        (".", "5..30"), (" C", "5..30"), ("C\n", "5..30"), ("\u{1B}[31m", "5..30"), ("\u{202E}C", "5..30"),
        ("²", "5..30"), (String(repeating: "C", count: 17), "5..30"),
        (String(repeating: "C", count: 10_000), "5..30"),
        ("°C", String(repeating: "5", count: 10_000) + "..30"),
    ])
    func refuses(_ symbol: String, _ range: String) {
        #expect(throws: StateUnitError.self) { try StateUnit(symbol: symbol, range: range) }
    }

    @Test func numbersThatNoRangeHasAreRefused() {
        for (from, to) in [
            (Double.nan, 5), (5, .nan), (-.infinity, 5), (0, .infinity), (5, 5), (5, 5.0001), (30, 5),
            (0, 1e300),
        ] as [(Double, Double)] {
            #expect(throws: StateUnitError.self) { try StateUnit(symbol: "°C", from: from, to: to) }
        }
    }

    /// Every number in a range comes back as it was said, as the appliance's state is told; none beyond it
    /// is taken.
    @Test func generated() throws {
        var numbers = GeneratedSentencesTests.Numbers(state: 21)
        for _ in 0..<5_000 {
            let ends = [0, 1].map { _ in Int.random(in: -2_000...2_000, using: &numbers) }
            guard let low = ends.min(), let high = ends.max(), low < high else { continue }
            let unit = try StateUnit(symbol: "°C", range: "\(low)..\(high)")
            let value = Int.random(in: -2_100...2_100, using: &numbers)
            guard let level = unit.level(of: Double(value)) else {
                #expect(value < low || value > high)
                continue
            }
            #expect((low...high).contains(value) && (0...1).contains(level))
            // What an appliance stores as a thousandth is no farther from it than that.
            let told = unit.text(ofLevel: (level * 1_000).rounded() / 1_000).dropLast(" °C".count)
            let off = abs((Double(told) ?? .infinity) - Double(value))
            #expect(off <= Double(high - low) / 1_000 + 0.5, "\(low)..\(high): \(value) is told as \(told)")
            if high - low <= 500 { #expect(unit.text(ofLevel: level) == "\(value) °C") }
        }
    }

    // MARK: What is said

    private static let thermostat = SentenceHouse.device(
        "Thermostat", "Heating", [("Temperature", .number(0.5))])
    private static let timer = SentenceHouse.device(
        "Oven", "Oven", [("On/Off", .boolean(false)), ("Minutes", .number(0)), ("Heat", .number(0))])
    private static let lamp = SentenceHouse.lamp("Lamp", false, 0.5)

    private static func units() throws -> StateUnits {
        var units = StateUnits()
        units[thermostat.id, "Thermostat 0"] = try StateUnit(symbol: "°C", range: "5..30")
        units[timer.id, "Oven 1"] = try StateUnit(symbol: "min", range: "0..90")
        return units
    }

    @Test(arguments: [
        ("21", 0.64), ("21°C", 0.64), ("21 °c", 0.64), ("21C", 0.64), ("21 degrees", 0.64), ("5", 0),
        ("30", 1), ("17.5", 0.5),
        ("40%", 0.4), ("off", 0),
        // On is no end of it: 20 °C.
        ("on", 0.6),
    ])
    func aNumberIsInItsUnit(_ text: String, _ level: Double) throws {
        let order = try Order(Self.thermostat, to: SaidSetting(text), try Self.units())
        #expect(order.state == .number(level), "\(text)")
    }

    @Test func theActivatorWithAUnitIsMeant() throws {
        let order = try Order(Self.timer, to: SaidSetting("45"), try Self.units())
        #expect(order.activator == "Oven 1" && order.state == .number(0.5))
        #expect(try Order(Self.timer, to: SaidSetting("on"), try Self.units()).activator == "Oven 0")
    }

    @Test(arguments: [
        ("31", SettingError.beyondUnit("31", device: "Thermostat", range: "5..30", symbol: "°C")),
        ("0.4", .beyondUnit("0.4", device: "Thermostat", range: "5..30", symbol: "°C")),
        ("1", .beyondUnit("1", device: "Thermostat", range: "5..30", symbol: "°C")),
        ("-5", .beyondUnit("-5", device: "Thermostat", range: "5..30", symbol: "°C")),
        ("21 min", .otherUnit("21 min", device: "Thermostat", symbol: "°C")),
        ("21F", .otherUnit("21F", device: "Thermostat", symbol: "°C")),
        ("140%", .outOfRange("140%")), ("1e3", .otherUnit("1e3", device: "Thermostat", symbol: "°C")),
        ("5..30", .notASetting("5..30")), ("--5", .notASetting("--5")), ("nan", .notASetting("nan")),
    ])
    func whatIsNoNumberOfItsUnitIsRefused(_ text: String, _ error: SettingError) throws {
        #expect(throws: error) { try Order(Self.thermostat, to: SaidSetting(text), try Self.units()) }
    }

    @Test(arguments: ["21", "21°C", "-1", "1.5", "100"])
    func withoutAUnitItIsRefused(_ text: String) throws {
        #expect(throws: SettingError.noUnit(text, device: "Thermostat", activator: "Temperature")) {
            try Order(Self.thermostat, to: SaidSetting(text), StateUnits())
        }
        #expect(throws: SettingError.noUnit(text, device: "Lamp", activator: "Brightness")) {
            try Order(Self.lamp, to: SaidSetting(text), try Self.units())
        }
    }

    @Test(arguments: [("0.4", 0.4), ("1", 1), ("0", 0), ("0.3333333333333333", 0.3333333333333333)])
    func withoutAUnitAFractionIsALevel(_ text: String, _ level: Double) throws {
        #expect(try Order(Self.lamp, to: SaidSetting(text), try Self.units()).state == .number(level))
    }

    // MARK: Sentences

    private static func outcome(
        _ sentence: String, _ units: StateUnits, _ language: SpokenLanguage = .english
    )
        -> String
    {
        let targets = SpokenTargets(
            devices: [thermostat, timer, lamp], units: units, language: language)
        do {
            guard case .orders(let understood) = try targets.meaning(of: sentence) else { return "?" }
            return understood.orders.map { "\($0.activator) \($0.state.text)" }.joined(separator: ", ")
        } catch {
            return "!"
        }
    }

    @Test(arguments: [
        ("set the thermostat to 21 degrees", "Thermostat 0 0.64"),
        ("thermostat to 21 degrees celsius", "Thermostat 0 0.64"),
        ("set the thermostat to 21 °C", "Thermostat 0 0.64"),
        ("set the thermostat to twenty one degrees", "Thermostat 0 0.64"),
        ("turn the heating to 17.5 degrees", "Thermostat 0 0.5"),
        ("set the thermostat at 21 degrees", "Thermostat 0 0.64"),
        ("set the thermostat to 21", "Thermostat 0 0.64"),
        ("set the thermostat to 21 percent", "Thermostat 0 0.21"),
        ("set the thermostat to 31 degrees", "!"), ("set the thermostat to 3", "!"),
        ("set the lamp to 21 degrees", "!"), ("set the oven to 21 degrees", "!"),
        ("set the lamp to 21", "Lamp 1 0.21"),
        ("set the thermostat to 21 degrees in 5 minutes", "!"), ("turn the thermostat up by 2", "!"),
        ("turn the thermostat up by 2 degrees", "Thermostat 0 0.58"),
        ("lower the thermostat by 2.5 degrees", "Thermostat 0 0.4"),
        ("turn the thermostat up by 2 degrees at 8", "!"), ("raise the lamp by 2 degrees", "!"),
        ("turn the thermostat up by 2 degrees by 8", "!"), ("set the thermostat by 2 degrees", "!"),
        ("decrease the thermostat by 90 degrees", "Thermostat 0 0.0"), ("dim the lamp by 2 degrees", "!"),
        ("set the thermostat to minus 18 degrees", "!"), ("set everything to 21 degrees", "!"),
        ("don't set the thermostat to 21 degrees", "!"),
        ("set the thermostat to 21 degrees and turn the lamp on", "Thermostat 0 0.64, Lamp 0 true"),
    ])
    func degrees(_ sentence: String, _ outcome: String) throws {
        #expect(Self.outcome(sentence, try Self.units()) == outcome, "\(sentence)")
        // Without a unit degrees are never anything.
        if sentence.contains("degrees") || sentence.contains("°") {
            #expect(Self.outcome(sentence, StateUnits()) == "!", "\(sentence)")
        }
    }

    @Test func inGerman() throws {
        #expect(
            Self.outcome("stell den Thermostat auf 21 Grad", try Self.units(), .german) == "Thermostat 0 0.64"
        )
        #expect(Self.outcome("stell den Thermostat auf 21 Grad", StateUnits(), .german) == "!")
    }

    /// Whatever the house has: what is said of everything means no heating, blind, sensor or lock.
    @Test func everythingLeavesSomeAlone() throws {
        var numbers = GeneratedSentencesTests.Numbers(state: 16)
        let apart = [
            "Heating", "Heater", "Thermostat", "Radiator", "Blind", "Shutter", "Curtain", "Awning",
            "Roller shutter",
            "Sensor", "Smoke detector", "Meter", "Lock", "Door lock",
        ]
        let others = ["Light", "Lamp", "Switch", "Fan", "Radio", "Plug"]
        let sentences = [
            "turn everything off", "turn everything on", "everything off", "all off",
            "switch all devices off",
            "set everything to 21", "set everything to 40 percent", "everything to half",
            "turn all devices on",
        ]
        var given = 0
        for _ in 0..<400 {
            var units = StateUnits()
            let house = (0..<Int.random(in: 1...8, using: &numbers)).compactMap {
                number -> ControlledDevice? in
                let isApart = Bool.random(using: &numbers)
                guard let type = (isApart ? apart : others).randomElement(using: &numbers) else { return nil }
                let activators: [(String, JSONValue)] =
                    Bool.random(using: &numbers)
                    ? [("Level", .number(0.5))] : [("On/Off", .boolean(true)), ("Level", .number(0.5))]
                let device = SentenceHouse.device("Thing \(number)", type, activators)
                if Bool.random(using: &numbers), let last = device.activators.last {
                    units[device.id, last.id] = try? StateUnit(symbol: "°C", range: "5..30")
                }
                return device
            }
            guard let sentence = sentences.randomElement(using: &numbers),
                case .orders(let understood)? = try? SpokenTargets(devices: house, units: units).meaning(
                    of: sentence)
            else { continue }
            given += understood.orders.count
            let touched = Set(understood.orders.map(\.device))
            for device in house where apart.contains(device.type) {
                #expect(!touched.contains(device.id), "\(sentence): \(device.type)")
                #expect(device.staysOutOfEverything)
            }
        }
        #expect(given > 200)
    }
}
