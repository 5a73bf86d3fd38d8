import Home
import Testing

@testable import hubpair

@Suite struct NegativeSettingTests {
    @Test(arguments: [
        ("home set lamp dimmer -40% --json", "-40%"), ("home set lamp -.5", "-.5"),
        ("home set --hub -2 lamp -1%", "-1%"),
    ])
    func refuses(_ line: String, _ number: String) {
        #expect(throws: SettingError.outOfRange(number)) { try NegativeSetting.moved(words(line)) }
    }

    @Test(arguments: [
        ("home set lamp -1", "home set lamp -- -1"),
        ("home set lamp --json -1", "home set lamp --json -- -1"),
        ("home set freezer -18°C --hub Garden", "home set freezer --hub Garden -- -18°C"),
        ("home set --hub -2 lamp -1", "home set --hub -2 lamp -- -1"),
        ("home unit freezer °C -30..-10 --json", "home unit freezer °C --json -- -30..-10"),
    ])
    func movesToTheEnd(_ line: String, _ moved: String) throws {
        #expect(try NegativeSetting.moved(words(line)) == words(moved))
    }

    @Test(arguments: [
        "home set lamp on --timeout -1", "home set -- lamp -1", "home set lamp 1", "home off --type -1",
        "home set lamp -h", "home", "home set - on", "home unit lamp --activator -1",
    ])
    func leavesTheOthers(_ line: String) throws {
        #expect(try NegativeSetting.moved(words(line)) == words(line))
    }

    private func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }
}
