/// One order of a sentence: a setting, and all things that are to have it.
struct SpokenOrder: Equatable, Sendable {
    /// The last thing with its setting, in one of the ways that it can be understood.
    struct Reading: Equatable, Sendable {
        let thing: SpokenPhrase
        let action: SpokenAction
        /// True if the number at the end may be meant as the end of a name.
        let isBare: Bool
        /// True for "on at 30%": it is also turned on, because a dimmer may leave a lamp off.
        let turnsOn: Bool
        /// The number as it was said, unless it is a percentage.
        let amount: SpokenAmount?
        /// By how much a step goes, if that was said.
        let shift: SpokenShift?

        init(
            _ thing: SpokenPhrase, _ action: SpokenAction, isBare: Bool = false, turnsOn: Bool = false,
            amount: SpokenAmount? = nil, shift: SpokenShift? = nil
        ) {
            self.thing = thing
            self.action = action
            self.isBare = isBare
            self.turnsOn = turnsOn
            self.amount = amount
            self.shift = shift
        }
    }

    let verb: SpokenVerb?
    /// The things before the last one.
    let things: [SpokenPhrase]
    /// Several where a number may belong to the thing or to the setting.
    let readings: [Reading]
}

/// A number that is no percentage: an amount in the appliance's unit, if it has one.
struct SpokenAmount: Equatable, Sendable {
    let value: Double
    /// True if "degrees" was said, so that it is nothing without a unit.
    let isTemperature: Bool
    /// True if it is nothing without a unit: 22.5 is neither a percentage nor a part.
    var needsUnit = false
}

/// How much a level is to rise or fall: "by 10 percent", "by 2 degrees".
enum SpokenShift: Equatable, Sendable {
    /// A part of the range.
    case part(Double)
    case degrees(Double)
}
