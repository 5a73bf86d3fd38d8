import Home
import JSON
import Testing

/// Places, levels after "on", sequences and lists without commas, among names that hold the words of them.
@Suite struct SpokenFormsTests {
    static let understood = """
        turn the fan off in the kitchen => Kitchen fan off
        turn the light off in the attic => Kitchen in the attic off
        turn the lamp off in the hall => Hall lamp off
        turn the light off in the hall => Hall lamp off
        switch off the light in the hallway => Hallway light off
        in the hall turn the lamp off => Hall lamp off
        In the hall, turn the lamp off. => Hall lamp off
        in the hall dim the lamp => Hall lamp 300‰
        in the hall set the lamp to 40% => Hall lamp 400‰
        in the hall turn off the light please => Hall lamp off
        in the hall turn on the lamp to 30% => Hall lamp on, Hall lamp 300‰
        please in the hall turn off the lamp => Hall lamp off
        could you in the hall turn the lamp on? => Hall lamp on
        turn the lights off in the kitchen => Kitchen light off, Kitchen in the attic off
        turn all lights off in the kitchen => Kitchen light off, Kitchen in the attic off
        turn everything off in the hall => Hall lamp off
        turn everything off in the kitchen => Kitchen light off, Kitchen fan off, Kitchen in the attic off
        all lights off in the hall => Hall lamp off
        set the lamp to 40 percent in the hall => Hall lamp 400‰
        turn the kitchen in the attic off => Kitchen in the attic off
        turn off kitchen in the attic => Kitchen in the attic off
        in the attic turn the kitchen off => Kitchen in the attic off
        turn the light off in the kitchen in the attic => Kitchen in the attic off
        turn the kitchen off in the attic => Kitchen in the attic off
        turn on the hall lamp to 30% => Hall lamp on, Hall lamp 300‰
        turn the hall lamp on at 50% => Hall lamp on, Hall lamp 500‰
        turn the hall lamp on to half => Hall lamp on, Hall lamp 500‰
        hall lamp at 50% => Hall lamp 500‰
        hall lamp to 30 percent => Hall lamp 300‰
        put the hall lamp at half => Hall lamp 500‰
        turn on the porch to 30% => Porch 300‰
        turn the porch on at 30 percent => Porch 300‰
        turn on lamp at the door => Lamp at the door on
        turn the lamp at the door off => Lamp at the door off
        turn on the lamp at the door to 30% => Lamp at the door on, Lamp at the door 300‰
        put the lamp at the door at half => Lamp at the door 500‰
        turn the lamp at the door on at 50% => Lamp at the door on, Lamp at the door 500‰
        turn on the lamp at the door at 50% => Lamp at the door on, Lamp at the door 500‰
        turn on the tv and on the hall lamp to 30% => TV on, Hall lamp on, Hall lamp 300‰
        turn the hall lamp and the porch on at 30% => Hall lamp on, Hall lamp 300‰, Porch 300‰
        lights off in the hallway and in the hall => Hallway light off, Hall lamp off
        turn on the light in the hall and in the hallway => Hall lamp on, Hallway light on
        turn the light off in the hall and in the oven => !unknown
        turn off the tv and in the hall => !leftOver in
        turn off the tv then the oven => TV off, Oven off
        turn off the tv, then turn on the oven => TV off, Oven on
        turn off the tv and then turn on the oven => TV off, Oven on
        turn off the tv. Then turn on the oven => TV off, Oven on
        tv off, oven on => TV off, Oven on
        tv off then oven on => TV off, Oven on
        turn off then => Then off
        turn then on => Then on
        turn off all devices in the hall => Hall lamp off
        turn off the tv the heater and the oven => TV off, Heater off, Oven off
        turn off the tv the heater the oven => TV off, Heater off, Oven off
        turn the tv the heater and the oven off => TV off, Heater off, Oven off
        the tv the heater off => TV off, Heater off
        dim the hall lamp the porch => Hall lamp 300‰, Porch 300‰
        dim the hall lamp the porch to 10% => Hall lamp 100‰, Porch 100‰
        turn the lamp off in the hall and the tv on => Hall lamp off, TV on
        turn the lamp off in the hall, please => Hall lamp off
        turn the light on in the hall to 30% => Hall lamp on, Hall lamp 300‰
        turn the lamp on in the hall at 30% => Hall lamp on, Hall lamp 300‰
        turn on the lamp in the hall to 30% => Hall lamp on, Hall lamp 300‰
        turn on the lamp in the hall at 30 percent => Hall lamp on, Hall lamp 300‰
        turn up the lamp in the hall to 30% => Hall lamp 300‰
        turn the lamp up to 30% in the hall => Hall lamp 300‰
        turn down the lamp to 30% in the hall => Hall lamp 300‰
        turn the lamp to 30 in the hall => Hall lamp 300‰
        turn the lamp in the hall on at 30% => Hall lamp on, Hall lamp 300‰
        turn on all lights to 50% in the hall => Hall lamp on, Hall lamp 500‰
        in the hall, please turn the lamp off => Hall lamp off
        turn the lamp off in my hall => Hall lamp off
        turn the lamp off in the hall and then turn the tv on => Hall lamp off, TV on
        turn off the tv my heater => TV off, Heater off
        turn off every device in the kitchen => Kitchen light off, Kitchen fan off, Kitchen in the attic off
        turn off the tv then the back door => TV off, Back door off
        lamp at the door at half => Lamp at the door 500‰
        turn on the lamp at the door => Lamp at the door on
        turn off the lamp near window the tv => Lamp near window off, TV off
        the tv the oven then the heater off => TV off, Oven off, Heater off
        put the lamp in the hall on => Hall lamp on
        in the hall turn off everything => Hall lamp off
        in the hall please turn the lamp off => Hall lamp off
        lamp in the hall on at half => Hall lamp on, Hall lamp 500‰
        """

    static let refused = """
        switch off the lamp in the hallway => !unknown ?Hall lamp
        turn the lamp off in the hallway => !unknown ?Hall lamp
        turn on the tv to 30% => !"On/Off" knows only on and off
        turn the hall lamp on at 0% => !leftOver on
        turn on the hall lamp to 0 => !leftOver to
        turn off the hall lamp to 30% => !leftOver to
        turn the hall lamp off at 30% => !leftOver off
        turn the hall lamp on at 5 => !noSetting
        set the hall lamp at 40 => !leftOver at
        turn on the tv and the hall lamp to 30% => !mixed
        turn on the hall lamp to 30% and the tv => !noSetting
        turn the tv and the hall lamp on at 50% => !"On/Off" knows only on and off
        turn on the hall lamp to 140% => !outOfRange
        set the hall lamp on to 40% => !leftOver on
        power on the hall lamp to 40% => !noSetting
        turn then off then turn the tv on => !noThing
        turn off the tv then => !noThing
        then turn off the tv => !noThing
        turn the tv on then off => !noThing
        turn off the tv then wait then turn on the oven => !unknown
        turn off the tv then in 5 minutes turn on the oven => !leftOver in
        if the tv is on then turn off the oven => !leftOver if
        turn on the tv then the oven off => !mixed
        now and then turn off the tv => !noThing
        turn off both devices => !unknown
        turn off the devices => !unknown
        all devices to 40% => !"On/Off" knows only on and off
        turn off the lamp near the door => !unknown ?Lamp at the door
        turn off the lamp beside the tv => !unknown
        turn off the tv the back door => !unknown
        turn off the tv the radio => !unknown
        turn off the tv not the heater => !leftOver not
        turn off the tv the => !unknown
        turn off the tv the light in the kitchen => !unknown
        turn off the light in the kitchen the tv => !unknown
        turn off the light the kitchen => !unknown
        turn off the tv the light => !unknown
        turn the tv the light off in the kitchen => !twoMeanings
        in the kitchen turn off the tv the light => !twoMeanings
        in the kitchen turn off the tv and the light => !twoMeanings
        turn the tv and the light off in the kitchen => !twoMeanings
        turn the light off in the kitchen the tv => !twoMeanings
        turn off tv heater => !unknown ?Heater
        turn off the heeter the oven => !unknown
        turn off the tv keep the oven => !unknown
        don't turn off the lights in the kitchen => !noSetting
        don't turn the lights off in the kitchen => !leftOver don't
        in the kitchen don't turn the light off => !leftOver don't
        turn off the lights in the kitchen and on in the hall => !leftOver in
        turn the lamp off in the hall and on in the kitchen => !leftOver in
        turn the light off in 5 minutes => !noSetting
        turn the lamp off in the hall in 5 minutes => !noSetting
        turn the lamp off in the hall at 5 => !leftOver at
        turn the lamp off in the hall until 6 => !leftOver until
        turn the lamp off in half an hour => !noSetting
        turn the lamp off in the hall if the tv is on => !leftOver off
        in 5 minutes turn the lamp off => !leftOver in
        in the evening turn the lamp off => !leftOver in
        in a sec turn the lamp off => !leftOver in
        in the hall is the lamp on => !leftOver in
        is the lamp on in the hall => !question
        the lamp is on in the hall => !leftOver is
        in the hall lamp off => !leftOver in
        in the hall the lamp off => !leftOver in
        in the hall open the door => !unknown ?Back door
        turn the lock off in the hall => !unknown ?Hall lamp
        turn the back door off in the hall => !unknown
        turn the door off in the back => !unknown ?Back door
        turn everything off in the hall except the lamp => !nothingLeft
        dimmer => !noSetting
        make the hall lamp brighter => !isOff
        hall lamp brighter => !isOff
        turn up the hall lamp => !isOff
        turn it off in the hall => !leftOver it
        turn the lamp on off in the hall => !leftOver on
        in the hall turn the lamp => !noSetting
        in the hall => !noSetting
        turn off in the hall => !leftOver in
        turn the light off in the night room => !noSetting
        in the hall turn off the lamp. turn the tv on => !twoMeanings
        in case of fire turn off the oven => !leftOver of
        in the hall the lamp is broken turn the tv off => !twoMeanings
        turn the lamp off in the hall tomorrow => !unknown
        turn off the light above the oven => !unknown
        turn off the tv the back door lock => !unknown
        turn on the lamp at 30 by the door => !leftOver at
        turn the hall lamp on at half past six => !noSetting
        turn on the hall lamp at six => !leftOver at
        don't turn the lights off in the kitchen => !leftOver don't
        turn on the oven at half => !"On/Off" knows only on and off
        leave the tv on the heater off => !leftOver on
        turn off the tv leave the heater on => !leftOver on
        turn off the tv the heater on => !leftOver on
        turn the lamp in the hall half on => !unknown
        turn all lights on at 50% => !"On/Off" knows only on and off
        turn off the tv a heater => !unknown
        turn off all other devices => !unknown
        turn off all devices the tv => !unknown
        turn off all the tv the oven => !unknown
        turn the back door on at 50% => !lockSetting
        turn on the back door to 30% => !lockSetting
        turn off the tv then unlock the back door => !lockSense
        turn off the oven then turn on the oven => !contradiction
        turn on to 30% => !noThing
        at half => !noThing
        turn the lamp on at the door => !noSetting
        turn the lamp on at the door to 30% => !leftOver on
        turn the lamp on to 30% at the door => !noSetting
        turn off the lamp near the window => !unknown
        turn off the door lamp near the oven => !unknown
        turn off the heater in the hall the oven => !unknown
        turn off the tv the oven on the hall lamp => !leftOver on
        not the tv the oven off => !leftOver not
        everything off in the hall then on in the kitchen => !leftOver in
        nobody in the kitchen turn the light off => !unknown
        anybody in the hall turn the lamp off => !unknown
        put the lamp in the hall => !noSetting
        put the tv on in the hall => !unknown
        is it dark in the hall turn the lamp on => !question
        in the hall it is dark turn the lamp on => !leftOver it
        in the hall turn the lamp on when it is dark => !noSetting
        in the hall i turn the lamp on => !leftOver i
        in the hall you turn the lamp off => !leftOver you
        in the hall never turn the lamp off => !leftOver never
        in the hall do not turn the lamp off => !leftOver do
        in the hall not turn the lamp off => !leftOver not
        in the hall except the lamp turn everything off => !noSetting
        in the hall turn everything off but the lamp => !nothingLeft
        in the hall all lights off => !leftOver in
        turn the lamp on in the hall on at 30% => !leftOver on
        in the hall, please, turn the lamp off => !noThing
        """

    /// All devices are all, and not only those that are called so: where that is not the same, it is refused.
    static let numbered = """
        turn off all devices => Device 0 off -Device 1
        turn all devices on => Device 0 on -Device 1
        device 1 off => Device 1 off
        """
    static let mixed = """
        turn off all devices => !twoMeanings
        turn everything off => Device 0 off, TV off
        """

    @Test(
        arguments: SpokenCase.read(understood, in: SpokenCase.grammar)
            + SpokenCase.read(refused, in: SpokenCase.grammar)
            + SpokenCase.read(numbered, in: SpokenCase.numbered)
            + SpokenCase.read(mixed, in: SpokenCase.mixed))
    func comesTo(_ spoken: SpokenCase) {
        #expect(spoken.outcome == spoken.expected)
    }

    /// Everything but one thing; the lock and what is left out stay as they are.
    @Test(arguments: [
        ("turn off all devices except the tv", "TV"), ("turn off all devices but the tv", "TV"),
        ("turn off everything except the hall lamp", "Hall lamp"),
        ("turn everything off except the hall lamp", "Hall lamp"),
    ])
    func whatIsExceptedIsLeftOut(_ sentence: String, _ name: String) throws {
        let targets = SpokenTargets(devices: SpokenCase.grammar)
        let whole = try targets.orders(of: SpokenSentence("turn off everything"))
        let understood = try targets.orders(of: SpokenSentence(sentence))
        #expect(understood.orders == whole.orders.filter { $0.device != "id of \(name)" })
        #expect(understood.orders.count == whole.orders.count - 1)
        #expect(understood.leftAlone == whole.leftAlone)
    }

    /// A gate of the type `Switch` is known by its name; a word that only ends like one is no gate.
    @Test(arguments: [
        ("Garagentor", true), ("Gartentor", true), ("Haupttor", true), ("Schiebetor", true),
        ("Haustür", true),
        ("Kellertür", true), ("Ventilator", false), ("Monitor", false), ("Projektor", false),
        ("Rotor", false),
        ("Generator", false), ("Radiator", false), ("Temperatur", false), ("Tastatur", false),
    ])
    func namesTellGates(_ name: String, _ isGate: Bool) {
        #expect(SentenceHouse.device(name, "Switch", [("On/Off", .boolean(false))]).isLock == isGate)
    }
}
