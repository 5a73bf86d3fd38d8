import Home
import JSON
import Testing

/// What is understood, and what is sent for it: a level in thousandths, and after "-" a lock that is left
/// alone.
@Suite struct SpokenOrdersTests {
    static let family = """
        turn the kitchen light on and the hall lamp off => Kitchen light on, Hall lamp off
        turn on the tv and off the living room heater => TV on, Living room heater off
        hall lamp on => Hall lamp on
        kichen light on => Kitchen light on
        kitchen lihgt on => Kitchen light on
        all hall off => Hall lamp off -Hall door
        turn off every hall => Hall lamp off -Hall door
        turn all lights in the hall off => Hall lamp off
        front door off => Front door off
        turn the front door on => Front door on
        set the kitchen light to 0.4 => Kitchen light 400‰
        set the kitchen light to 50 => Kitchen light 500‰
        set the kitchen light to 1% => Kitchen light 10‰
        set the kitchen light to 1.0 => Kitchen light 1000‰
        set the kitchen light to 12.5% => Kitchen light 125‰
        set the kitchen light to 0 => Kitchen light 0‰
        set the kitchen light to 100 => Kitchen light 1000‰
        set the kitchen light to twenty one => Kitchen light 210‰
        set the kitchen light to a hundred percent => Kitchen light 1000‰
        turn off the light in the kitchen => Kitchen light off
        turn the light in the kitchen off => Kitchen light off
        all lights in the hall off => Hall lamp off
        lamp one on => Lamp 1 on
        turn the kitchen light down to 20 percent => Kitchen light 200‰
        turn down the kitchen light to 20 percent => Kitchen light 200‰
        turn up the kitchen light to 80 percent => Kitchen light 800‰
        set the kitchen light to maximum => Kitchen light 1000‰
        set the kitchen light to full => Kitchen light 1000‰
        set the kitchen light to full brightness => Kitchen light 1000‰
        set the kitchen light to minimum => Kitchen light 10‰
        set kitchen light 40 => Kitchen light 400‰
        lamp 2 50% => Lamp 2 500‰
        lamp two fifty percent => Lamp 2 500‰
        set lamp 2 to 50 per cent => Lamp 2 500‰
        shut off the tv => TV off
        power on the tv => TV on
        power the tv off => TV off
        power off the tv => TV off
        brighten the kitchen light to 80 percent => Kitchen light 800‰
        fade the kitchen light to 10 percent => Kitchen light 100‰
        please turn the tv on please => TV on
        could you please turn the tv on => TV on
        can you turn the tv on? => TV on
        turn on the tv, and the lamp 1 => TV on, Lamp 1 on
        dim lamp 2 => Lamp 2 300‰
        turn lamp 1 on and set lamp 1 to 40 percent => Lamp 1 on, Lamp 1 400‰
        turn on the TV. Turn off the hall lamp. => TV on, Hall lamp off
        turn the tv, the hall lamp and lamp 2 off => TV off, Hall lamp off, Lamp 2 off
        turn the tv and the hall lamp on, and lamp 2 off => TV on, Hall lamp on, Lamp 2 off
        turn the kitchen light off => Kitchen light off
        Turn off the kitchen light. => Kitchen light off
        KITCHEN LIGHT OFF => Kitchen light off
        kitchenlight on => Kitchen light on
        kitchen-light on => Kitchen light on
        turn the light kitchen on => Kitchen light on
        the kitchen light's dimmer to 40% => Kitchen light 400‰
        turn off the tv, the hall lamp and on the kitchen light => TV off, Hall lamp off, Kitchen light on
        turn on the tv and turn the hall lamp off, please => TV on, Hall lamp off
        turn the tv & the hall lamp on => TV on, Hall lamp on
        ok turn on all of the lights in the hall thank you => Hall lamp on
        turn everything in the kitchen off => Kitchen light off
        turn all lights off => Kitchen light off, Hall lamp off, Bedroom 2 light off, Lamp 1 off, Lamp 2 off
        turn the lights off => Kitchen light off, Hall lamp off, Bedroom 2 light off, Lamp 1 off, Lamp 2 off
        every light on => Kitchen light on, Hall lamp on, Bedroom 2 light on, Lamp 1 on, Lamp 2 on
        all hall lights on => Hall lamp on
        turn bedroom 2 light on => Bedroom 2 light on
        bedroom two light on => Bedroom 2 light on
        turn the bedroom light on => Bedroom 2 light on
        lamp two on => Lamp 2 on
        Lamp2 on => Lamp 2 on
        lamp 01 on => Lamp 1 on
        set lamp 1 to half => Lamp 1 500‰
        set lamp 1 to 0.25 => Lamp 1 250‰
        set lamp 1 to 40 and lamp 2 to 60 => Lamp 1 400‰, Lamp 2 600‰
        lamp 1 30% and lamp 2 70% => Lamp 1 300‰, Lamp 2 700‰
        set the kitchen light to on => Kitchen light on
        set all lights in the hall to 40 percent => Hall lamp 400‰
        dim the kitchen light => Kitchen light 300‰
        dim the kitchen light and lamp 1 to 10 percent => Kitchen light 100‰, Lamp 1 100‰
        dim lamp 1 and turn off the tv => Lamp 1 300‰, TV off
        dim down the hall lamp to 10% => Hall lamp 100‰
        kitchen light to 40 => Kitchen light 400‰
        kitchen light full => Kitchen light 1000‰
        would you kindly switch the tv off please => TV off
        will you turn off the tv? => TV off
        turn the hall lamp off, and the hall lamp off => Hall lamp off
        put the tv on => TV on
        hall lmap off => Hall lamp off
        turn off the Kitchen  Light ! => Kitchen light off
        “turn the tv on” => TV on
        shut the tv off => TV off
        turn the kitchen light on at 50 percent => Kitchen light on, Kitchen light 500‰
        turn the light off in the kitchen => Kitchen light off
        turn off the tv the hall lamp and lamp 1 => TV off, Hall lamp off, Lamp 1 off
        """

    static let small = """
        front door on => Front door on
        lights off => Lamp 1 off
        turn the light off => Lamp 1 off
        turn lights off please => Lamp 1 off
        dim the light to 10% => Lamp 1 100‰
        all off => Lamp 1 off, Wall lamp off -Front door
        turn all of them off => Lamp 1 off, Wall lamp off -Front door
        turn all of it off => Lamp 1 off, Wall lamp off -Front door
        turn both lamps off => Lamp 1 off, Wall lamp off
        all switches off => Wall lamp off
        turn the switches on => Wall lamp on
        switch the switch off => Wall lamp off
        éverything off => Lamp 1 off, Wall lamp off -Front door
        """

    /// Names that hold words of the grammar, articles, numbers and diacritics.
    static let odd = """
        turn the bed and breakfast lamp off => Bed and Breakfast lamp off
        turn the bed and breakfast off => Bed and Breakfast lamp off
        turn the bed and breakfast lamp off and the lamp on => Bed and Breakfast lamp off, Lamp on
        on air sign on => On Air sign on
        turn on on air sign => On Air sign on
        turn on air sign => On Air sign on
        turn the tv on wall off => TV on wall off
        turn tv on => TV on wall on
        turn on the tv => TV on wall on
        turn lamp a off => Lamp A off
        turn the lamp off => Lamp off
        turn a lamp off => Lamp off
        cafe light on => Café light on
        Café light 50% => Café light 500‰
        annas lamp on => Anna's lamp on
        Anna's lamp on => Anna's lamp on
        anna lamp on => Anna's lamp on
        anna's lamps on => Anna's lamp on
        all saints lamp on => All Saints lamp on
        turn all all saints lamp on => All Saints lamp on
        Dr. Mayer's lamp on => Dr. Mayer's lamp on
        turn dr mayer's lamp on => Dr. Mayer's lamp on
        lamp by the door on => Lamp by the door on
        turn not on => Not on
        safe e on => Safe é on
        hall lamp on => Hill lamp on
        hell lamp on => Hill lamp on
        scene 4 light on => Scene 4 light on
        light 4 scene on => Light 4 scene on
        light scene 4 on => Scene 4 light on
        set lamp 40 => Lamp 400‰
        set lamp a 40 => Lamp A 400‰
        breakfast lamp on => Bed and Breakfast lamp on
        """

    @Test(arguments: SpokenCase.read(family, small: small, odd: odd))
    func understands(_ spoken: SpokenCase) throws {
        #expect(spoken.outcome == spoken.expected)
    }
}
