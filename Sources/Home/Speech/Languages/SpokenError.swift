package import Identity

/// Why a sentence is not an order. Nothing was sent.
package enum SpokenError: Equatable, UserError {
    /// There is nothing in it.
    case empty
    /// More than `SpokenLanguage.maximumByteCount` bytes.
    case tooLong
    /// It asks or tells something.
    case question
    /// It does not say what to set anything to; the words that are left.
    case noSetting(String)
    /// It does not say what to set.
    case noThing
    /// A word that may change the meaning of the sentence is left over in a thing.
    case leftOver(String, in: String)
    /// Things that have their setting already are followed by another setting at the end.
    case mixed(String)
    /// A level beyond 100%.
    case outOfRange(String)
    /// A number that may be a percentage or a fraction.
    case bareNumber(String)
    /// A number after a name; other appliances have that name with a number.
    case nameOrLevel(String)
    /// A verb that needs "to" before its level.
    case needsTo(String)
    /// What the hub says of a lock does not tell what opens it, what locks it; its name.
    case lockSense(String)
    /// An appliance that cannot do it: its name, and what.
    case cannot(String, String)
    /// A lamp that is off is to be brighter.
    case isOff(String)
    /// A lock is to be something else than on or off.
    case lockSetting(String)
    /// "dim" would make it brighter than it is.
    case alreadyDim(String, String)
    /// One thing is to have two settings.
    case contradiction(String)
    /// It can be read in two ways.
    case twoMeanings(String)
    /// "both" for other than two appliances.
    case notBoth(String, [String])
    /// What an order leaves out is not among what it sets; its name.
    case notAmong(String)
    /// An order leaves out all that it sets.
    case nothingLeft
    /// No appliance fits these words; similar names.
    case unknown(String, near: [String])
    /// Several appliances fit these words; how to say that all of them are meant.
    case ambiguous(String, [String], all: String?)

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .empty: "there is no order in the sentence"
        case .tooLong: "the sentence is longer than \(SpokenLanguage.maximumByteCount) bytes"
        case .question: "a question or a statement is not an order"
        case .noSetting(let rest): "not understood what to do: \(quoted(rest))"
        case .noThing: "not understood what to switch"
        case .leftOver(let word, let phrase): "not understood: \(quoted(word)) in \(quoted(phrase))"
        case .mixed(let words): "not understood whether \(quoted(words)) is an order of its own"
        case .outOfRange(let words): "\(words) percent is more than all"
        case .bareNumber(let words): "not understood whether \(quoted(words)) is a percentage"
        case .nameOrLevel(let name): "not understood whether the number after \(quoted(name)) is a level"
        case .needsTo(let verb): "not understood whether to \(verb) to that level or by it"
        case .lockSense(let name): "the hub does not tell what locks or opens \(quoted(name))"
        case .cannot(let name, let what): "\(quoted(name)) cannot \(what)"
        case .isOff(let name): "\(quoted(name)) is off"
        case .lockSetting(let name): "\(quoted(name)) is only turned on or off, as its maker means it"
        case .alreadyDim(let name, let state): "\(quoted(name)) is at \(shortened(state)) already"
        case .contradiction(let name): "the sentence sets \(quoted(name)) twice, and not to the same"
        case .twoMeanings(let words): "\(quoted(words)) can be read in two ways"
        case .notAmong(let name): "the sentence leaves out \(quoted(name)), and does not set it otherwise"
        case .nothingLeft: "the sentence leaves out all that it would set"
        case .notBoth(let words, let names), .ambiguous(let words, let names, _):
            "\(quoted(words)) fits \(names.count) appliance\(names.count == 1 ? "" : "s")"
        case .unknown(let words, _): "no appliance is called \(quoted(words))"
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .unknown: .notFound
        case .empty, .tooLong, .question, .noSetting, .noThing, .leftOver, .mixed, .outOfRange, .bareNumber,
            .nameOrLevel, .needsTo, .lockSense, .cannot, .isOff, .lockSetting, .alreadyDim, .contradiction,
            .twoMeanings, .notBoth, .notAmong, .nothingLeft, .ambiguous:
            .usage
        }
    }

    /// How to fix it; nil if there is no advice.
    package var hint: String? { "\(advice); nothing was changed" }

    private var advice: String {
        switch self {
        case .noSetting(let rest) where SpokenError.isRelative(rest):
            "say the level, like \"lamp 70 percent\""
        case .empty, .tooLong, .noSetting, .noThing, .leftOver:
            "say it like \"turn the kitchen light off\" or \"dim the lamp to 40 percent\""
        case .question: "'hubpair home' tells how things are; an order is like \"turn the kitchen light off\""
        case .mixed: "say each with its setting at the same place: \"turn the lamp on and the fan off\""
        case .outOfRange: "a level is from 0 to 100 percent"
        case .bareNumber(let words):
            words == "1" || words == "one" ? "say \"1 percent\" or \"full\"" : "say \"\(words) percent\""
        case .nameOrLevel: "say \"to\" before a level: \"set the lamp to 40 percent\""
        case .needsTo(let verb): "say it like \"\(verb) the lamp to 40 percent\""
        case .lockSense(let name):
            "what on and off do to it its maker decides: 'hubpair home set \(quoted(name)) on' or off sets it"
        case .cannot(let name, _): "'hubpair home show \(quoted(name))' shows what can be set on it"
        case .isOff: "turn it on first, or say the level"
        case .lockSetting(let name): "'hubpair home set \(quoted(name)) on' or off sets it"
        case .alreadyDim: "say the level, like \"dim the lamp to 10 percent\""
        case .contradiction: "say what it is to be once"
        case .notAmong, .nothingLeft: "say it like \"all lights off except the hall light\""
        case .twoMeanings: "say it in other words, or in two sentences"
        case .notBoth(_, let names):
            names.isEmpty ? "'hubpair home' lists the appliances" : "say which: \(SpokenError.list(names))"
        case .unknown(let words, let near):
            near.isEmpty
                ? (words.contains(" in ") ? "a place is found by the names of its appliances: " : "")
                    + "'hubpair home' lists the appliances"
                : "did you mean " + near.map(quoted).joined(separator: " or ") + "?"
        case .ambiguous(_, let names, let all):
            "say which: \(SpokenError.list(names))" + (all.map { ", or \(quoted($0))" } ?? "")
        }
    }

    /// True for "brighter" and the like: they do not say by how much.
    private static func isRelative(_ rest: String) -> Bool {
        rest.split(separator: " ").contains {
            [
                "brighter", "dimmer", "darker", "lighter", "up", "down", "brighten", "fade", "louder",
                "higher",
                "lower",
            ].contains($0)
        }
    }

    private static func list(_ names: [String]) -> String {
        names.prefix(8).map(quoted).joined(separator: ", ")
    }
}
