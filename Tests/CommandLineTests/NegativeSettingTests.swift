import Home
import Testing

@testable import hubpair

@Suite struct NegativeSettingTests {
    @Test(arguments: [
        ("home set lamp -1", "-1"), ("home set lamp dimmer -40% --json", "-40%"),
        ("home set lamp -.5", "-.5"),
        ("home set --hub -2 lamp -1", "-1"), ("home set lamp --json -1", "-1"),
        ("home set lamp on --timeout -1", nil), ("home set -- lamp -1", nil), ("home set lamp 1", nil),
        ("home off --type -1", nil), ("home set lamp -h", nil), ("home", nil), ("home set - on", nil),
    ])
    func finds(_ line: String, _ number: String?) {
        let error = NegativeSetting.error(in: line.split(separator: " ").map(String.init))
        #expect(error == number.map(SettingError.outOfRange))
    }
}
