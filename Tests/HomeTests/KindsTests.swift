import Foundation
import JSON
import Testing

@testable import Home

/// The table of kinds against its vectors, which the page's table is held against as well.
@Suite struct KindsTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let line: String
        let device: ControlledDevice
        /// Kind, meaning, heading, and what asks first.
        let expected: [String]

        var testDescription: String { line }

        var outcome: [String] {
            let facts = HouseOverview([device]).entries.map(\.fact.rawValue)
            return [
                device.kind.rawValue, device.means(StateUnits()) ?? "-", facts.first ?? "-",
                device.onlyTells ? "tells" : asking,
            ]
        }

        private var asking: String {
            guard let main = device.main else { return "-" }
            let states: [(String, JSONValue)] =
                main.kind == .bool
                ? [("off", .boolean(false)), ("on", .boolean(true))]
                : [("off", .number(0)), ("on", .number(1))]
            let asked = states.filter { device.asksFirst(main.id, $0.1) }.map(\.0)
            return asked.isEmpty ? "-" : asked.joined(separator: " ")
        }
    }

    static let cases: [Case] = {
        let path =
            "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Kinds/kinds.txt"
        let lines = (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: "\n") ?? []
        return lines.filter { !$0.hasPrefix("#") }.map { line in
            let parts = line.components(separatedBy: " => ")
            let given = parts[0].components(separatedBy: " | ")
            let activators = given[2].components(separatedBy: ", ").map { text -> (String, JSONValue) in
                let pair = text.components(separatedBy: "=")
                let level = Double(pair[1]).map(JSONValue.number)
                return (pair[0], level ?? .boolean(pair[1] == "true"))
            }
            return Case(
                line: String(line), device: SentenceHouse.device(given[1], given[0], activators),
                expected: parts[1].components(separatedBy: " | "))
        }
    }()

    @Test(arguments: cases) func comesTo(_ each: Case) { #expect(each.outcome == each.expected) }

    @Test func theVectorsHaveEveryKind() {
        #expect(Set(Self.cases.map(\.expected[0])) == Set(ApplianceKind.allCases.map(\.rawValue)))
    }

    /// What people say counts more than type and name, in all that goes by it.
    @Test(arguments: ApplianceKind.allCases) func whatIsSaidCounts(_ kind: ApplianceKind) {
        let device = SentenceHouse.device("Carport", "Switch", [("On/Off", .boolean(true))])
        let kinds = ApplianceKinds([device.id: .init(kind)])
        let said = kinds.applied(to: device)
        #expect(said.kind == kind && said.isLock == kind.isGuarded)
        #expect(kinds.allowGuests(at: device) == !kind.isGuarded)
        #expect(ApplianceKinds([device.id: .init(kind, allowsGuests: true)]).allowGuests(at: device))
        // A sentence for everything sets it only if it is nothing that needs care.
        let outcome = SentenceHouse.outcome("everything off", SpokenTargets(devices: [said]))
        #expect((outcome == "Carport off") == !said.staysOutOfEverything, "\(outcome)")
    }

    /// "On" is no end of a heating's levels.
    @Test(arguments: [
        (0, "°C 5..30", 0.6), (0.8, "°C 5..30", 0.8), (0, "°F 41..86", 0.6), (0, nil, 0.5), (1, nil, 1),
    ])
    func aHeatingIsTurnedOn(level: Double, unit: String?, to expected: Double) throws {
        let device = SentenceHouse.device("Heating", "Heating", [("Level", .number(level))])
        var units = StateUnits()
        if let parts = unit?.components(separatedBy: " ") {
            units[device.id, "Heating 0"] = try StateUnit(symbol: parts[0], range: parts[1])
        }
        for sentence in ["turn on the heating", "heating on"] {
            let meaning = try SpokenTargets(devices: [device], units: units).meaning(of: sentence)
            guard case .orders(let understood) = meaning else { throw SpokenError.noThing }
            #expect(understood.orders.map(\.state) == [.number(expected)])
        }
        #expect(try Order(device, to: SaidSetting("on"), units).state == .number(expected))
    }
}

/// The colours that have a word, against their vectors, which the page's are held against as well.
@Suite struct ColourWordTests {
    @Test func theTableIsThatOfTheVectors() throws {
        let path =
            "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Kinds/colours.txt"
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").dropFirst()
        let written = ColourWord.all.map { colour in
            let size = colour.strip == .hue ? 360.0 : 100
            let level = Int((colour.level * size).rounded())
            return "\(colour.english) | \(colour.german) | \(colour.strip.rawValue) | \(level)"
        }
        #expect(written == lines.map(String.init))
        #expect(lines.count > 20)
    }

    @Test(arguments: [
        ("make the hue go turquoise", "turn the hue go on", "turquoise"),
        ("Hue go to sky blue, please.", "turn hue go on", "sky blue"),
        ("stell die Stehlampe auf Türkis", "schalte die stehlampe an", "turquoise"),
    ])
    func aColourIsSaidAtTheEnd(text: String, order: String, colour: String) {
        let said = SpokenColour(text)
        #expect(said?.order == order && said?.colour.english == colour, "\(String(describing: said))")
    }

    @Test(arguments: ["turn the lamp on", "red", "make red the lamp"]) func noColours(text: String) {
        #expect(SpokenColour(text) == nil)
    }
}
