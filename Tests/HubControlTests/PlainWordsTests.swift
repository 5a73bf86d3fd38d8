import HubControl
import Testing

@Suite struct PlainWordsTests {
    static let understood: [(String, [String], Setting)] = [
        ("turn the kitchen light off", ["kitchen light"], .off),
        ("Turn off the kitchen light.", ["kitchen light"], .off),
        ("Please switch on the lamp", ["lamp"], .on),
        ("Could you turn the lamp on, please?", ["lamp"], .on),
        ("kitchen light off", ["kitchen light"], .off),
        ("dim the lamp to 40%", ["lamp"], .level(0.4)),
        ("dim the lamp to forty percent", ["lamp"], .level(0.4)),
        ("set the lamp to forty-two percent", ["lamp"], .level(0.42)),
        ("set lamp 2 to 12.5 %", ["lamp 2"], .level(0.125)),
        ("set the lamp to 0.4", ["lamp"], .level(0.4)),
        ("set the lamp to half", ["lamp"], .level(0.5)),
        ("set the dimmer to a hundred percent", ["dimmer"], .level(1)),
        ("dim the lamp", ["lamp"], .level(0.3)),
        ("turn on the hall light and the kitchen light", ["hall light", "kitchen light"], .on),
        ("turn the hall light, the lamp and the fan off", ["hall light", "lamp", "fan"], .off),
        ("hey, turn everything off now", [""], .off),
        ("switch off all lights", ["lights"], .off),
        ("turn lamp 2 on", ["lamp 2"], .on),
        ("set the lamp's dimmer to 5 percent", ["lamp's dimmer"], .level(0.05)),
    ]

    @Test(arguments: understood)
    func understands(_ sentence: String, _ things: [String], _ setting: Setting) throws {
        let order = try PlainWords(sentence)
        #expect(order.things.map { $0.joined(separator: " ") } == things)
        #expect(order.setting == setting)
    }

    @Test(arguments: [
        ("", PlainWordsError.empty), ("please", .empty), (" ,,, ", .empty),
        ("make it cosy", .noSetting("make it cosy")), ("turn the lamp", .noSetting("the lamp")),
        ("turn on", .noThing), ("turn the off", .noThing), ("turn off the lamp and the", .noThing),
        ("set the lamp to 140%", .outOfRange("140")), ("set the lamp to 101 percent", .outOfRange("101")),
        ("lamp 2", .noSetting("lamp 2")), ("dim the lamp on", .noSetting("dim on")),
        (String(repeating: "a ", count: 400), .tooLong),
    ])
    func refuses(_ sentence: String, _ error: PlainWordsError) {
        #expect(throws: error) { try PlainWords(sentence) }
    }
}
