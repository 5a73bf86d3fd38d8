import Testing

@testable import Home

/// The time that is said with an order.
@Suite struct SpokenTimeTests {
    @Test(arguments: [
        ("turn the fan on for 10 minutes", SpokenTime.Kind.lasting(600), "turn the fan on"),
        ("Light on for half an hour, please.", .lasting(1800), "light on"),
        ("sprinkler on for twenty minutes", .lasting(1200), "sprinkler on"),
        ("turn the lamp off in ten minutes", .later(600), "turn the lamp off"),
        ("in 5 minutes turn the lamp off", .later(300), "turn the lamp off"),
        ("in an hour, turn the lamp off", .later(3600), "turn the lamp off"),
        ("light on until 22:00", .until(hour: 22, minute: 0), "light on"),
        ("light on until 10 pm", .until(hour: 22, minute: 0), "light on"),
        ("light on till 7:30 am", .until(hour: 7, minute: 30), "light on"),
        ("light on until midnight", .until(hour: 0, minute: 0), "light on"),
        ("turn the tv off at half past nine", .at(hour: 9, minute: 30, isEither: true), "turn the tv off"),
        ("coffee machine on at 7 am", .at(hour: 7, minute: 0, isEither: false), "coffee machine on"),
        ("light off at quarter to ten", .at(hour: 9, minute: 45, isEither: true), "light off"),
        ("turn the lamp in ten minutes off", .later(600), "turn the lamp off"),
        ("turn the lamp off at 22:15", .at(hour: 22, minute: 15, isEither: false), "turn the lamp off"),
        ("turn the lamp off at 7:30, please.", .at(hour: 7, minute: 30, isEither: true), "turn the lamp off"),
        ("turn the lamp off at 7:30pm", .at(hour: 19, minute: 30, isEither: false), "turn the lamp off"),
        ("at 22:15 turn the lamp off", .at(hour: 22, minute: 15, isEither: false), "turn the lamp off"),
        ("at 7 am, turn the lamp on", .at(hour: 7, minute: 0, isEither: false), "turn the lamp on"),
        ("switch the lamp at 22:15 off", .at(hour: 22, minute: 15, isEither: false), "switch the lamp off"),
        ("lamp on until 0:15", .until(hour: 0, minute: 15), "lamp on"),
        ("lamp on until 11", .until(hour: 11, minute: 0, isEither: true), "lamp on"),
        ("tv on until half past ten", .until(hour: 10, minute: 30, isEither: true), "tv on"),
        ("tv off at ten past seven", .at(hour: 7, minute: 10, isEither: true), "tv off"),
        ("tv off at five to seven", .at(hour: 6, minute: 55, isEither: true), "tv off"),
        ("lamp on at seven in the morning", .at(hour: 7, minute: 0, isEither: false), "lamp on"),
        ("lamp on until 8 in the evening", .until(hour: 20, minute: 0), "lamp on"),
        ("fan on for two and a half hours", .lasting(9000), "fan on"),
        ("lights off one hour from now", .later(3600), "lights off"),
        ("turn the fan off after ten minutes", .later(600), "turn the fan off"),
    ])
    func english(text: String, kind: SpokenTime.Kind, rest: String) {
        let time = SpokenTime(text, .english)
        #expect(time?.kind == kind && time?.rest == rest, "\(String(describing: time))")
    }

    @Test(arguments: [
        ("mach das Licht für zehn Minuten an", .lasting(600)),
        ("Mach das Flurlicht in zehn Minuten aus", .later(600)),
        ("Mach in einer Stunde den Fernseher aus", .later(3600)),
        ("Kannst du das Flurlicht in 5 Minuten ausmachen?", .later(300)),
        ("Lass den Ventilator zwanzig Minuten laufen", .lasting(1200)),
        ("Lass das Flurlicht bis 22 Uhr an", .until(hour: 22, minute: 0)),
        ("Schalte den Fernseher um halb zehn aus", .at(hour: 9, minute: 30, isEither: true)),
        ("Schalte die Kaffeemaschine um sieben Uhr ein", .at(hour: 7, minute: 0, isEither: true)),
        ("Mach um acht das Licht an", .at(hour: 8, minute: 0, isEither: true)),
        ("Mach das Licht um 22:15 aus", .at(hour: 22, minute: 15, isEither: false)),
        ("Um 22:15 das Licht aus", .at(hour: 22, minute: 15, isEither: false)),
        ("Licht aus um 22:15 Uhr", .at(hour: 22, minute: 15, isEither: false)),
        ("Licht aus um 22.15 Uhr", .at(hour: 22, minute: 15, isEither: false)),
        ("Licht an bis 6:45", .until(hour: 6, minute: 45, isEither: true)),
        ("Mach das Licht um 24:15 aus", nil), ("Mach das Licht um 22:60 aus", nil),
        ("Mach das Licht um acht Prozent heller", nil),
        ("Dreh die Heizung um 2 Grad runter", nil), ("Fahr das Rollo bis 20 runter", nil),
        ("Licht im Flur an für 10 Minuten", SpokenTime.Kind.lasting(600)),
        ("Licht aus in zehn Minuten", .later(600)),
        ("in einer halben Stunde das Licht aus", .later(1800)),
        ("Licht an bis 22 Uhr", .until(hour: 22, minute: 0)),
        ("Licht an bis 22 Uhr 30", .until(hour: 22, minute: 30)),
        ("Sprenger an zwanzig Minuten lang", .lasting(1200)),
        ("Ventilator für zweieinhalb Stunden an", .lasting(9000)),
        ("Licht um acht Uhr abends an", .at(hour: 20, minute: 0, isEither: false)),
        ("Kaffeemaschine um 7 Uhr morgens an", .at(hour: 7, minute: 0, isEither: false)),
        ("Licht um zehn nach acht an", .at(hour: 8, minute: 10, isEither: true)),
        ("Fernseher bis halb elf an", .until(hour: 10, minute: 30, isEither: true)),
        ("Nach zehn Minuten den Ventilator aus", .later(600)),
        ("Mach das Licht für eine Stunde an und den Fernseher aus", nil),
    ])
    func german(text: String, kind: SpokenTime.Kind?) {
        #expect(SpokenTime(text, .german)?.kind == kind, "\(text)")
    }

    @Test(arguments: [
        "turn the fan on for a while", "turn the light on in the morning", "light on until dark",
        "for 10 minutes", "turn the light on in the kitchen", "light on until 25:00",
        "light on until 13 pm", "counter lamp at half", "nursery light at 15 %", "heating at 21",
        "light off at 22:75", "light off at 24:30", "at 5 light on", "light off at 22:15:30",
        "light on for 0 minutes", "light on for 900 hours", "in the hall light on",
        "turn the fan on for an hour and the tv off", "turn on the fan and turn on the lamp for an hour",
    ])
    func noTimes(text: String) { #expect(SpokenTime(text, .english) == nil) }
}
