/// What an order does to its things.
enum SpokenAction: Equatable, Sendable {
    case set(Setting)
    /// To `SpokenLanguage.dimmed`: it is meant to become darker.
    case dim
    case open, close, lock, unlock
    /// Blinds go all the way; a light or a heating changes by a step.
    case up, down
    case brighter, darker, warmer, cooler

    static let on = SpokenAction.set(.on)
    static let off = SpokenAction.set(.off)

    /// True if only what has levels can do it. All the way up or down is for switches, too.
    var isLevel: Bool {
        switch self {
        case .set(.level(let level)): level > 0 && level < 1
        case .dim, .brighter, .darker: true
        case .set, .open, .close, .lock, .unlock, .up, .down, .warmer, .cooler: false
        }
    }

    /// 1 for a step up, -1 for a step down; nil for anything but a step.
    var direction: Double? {
        switch self {
        case .brighter, .warmer, .up: 1
        case .darker, .cooler, .down: -1
        case .set, .dim, .open, .close, .lock, .unlock: nil
        }
    }

    /// What a part of it means, as in "half open" and "open it halfway": the part itself, or what is left.
    /// Nil for what is not done in part.
    func level(ofPart part: Double) -> Double? {
        switch self {
        case .open, .up: part
        case .close, .down: 1 - part
        case .set, .dim, .lock, .unlock, .brighter, .darker, .warmer, .cooler: nil
        }
    }

    /// True if it changes a level by a step: "a bit" may stand before it.
    var isStep: Bool {
        switch self {
        case .brighter, .darker, .warmer, .cooler, .up, .down: true
        case .set, .dim, .open, .close, .lock, .unlock: false
        }
    }
}

/// A word that begins an order, and what the order does with each word that may follow it or end it.
///
///     turn: on → on, off → off, up → up, down → down
///     schliess: → close, ab → lock, auf → unlock
struct SpokenVerb: Equatable, Sendable {
    /// How it takes a level.
    enum Levels: Sendable {
        case none
        /// "turn the lamp to 40", "40 percent", "half".
        case plain
        /// A bare number, too: "set the lamp 40".
        case bare
        /// Only after "to": without it, "by" may be meant.
        case afterTo
    }

    /// Its forms, separated by spaces.
    let words: String
    /// By the particle; the empty one stands for none.
    let actions: [String: SpokenAction]
    var levels = Levels.none
    /// True if "on" or "off" may follow it: "turn off the lamp". "Set off the alarm" means the opposite.
    var takesParticleFirst = false
    /// True if it is clear enough for on and off of a lock.
    var isForLocks = false
    /// True if it is only for what is switched: a blind that is stopped must not go down.
    var isForSwitches = false
    /// True for "leave it on": what is on stays as bright as it is.
    var isLeaving = false

    /// Its first form.
    var word: String { words.split(separator: " ").first.map(String.init) ?? words }
}

/// What a word is to the grammar. A word may be several things: German "auf" is "to", "on" and "open".
struct SpokenRoles: OptionSet, Sendable {
    let rawValue: UInt32

    static let article = SpokenRoles(rawValue: 1 << 0)
    /// An article with which a new thing of a list may begin.
    static let listArticle = SpokenRoles(rawValue: 1 << 1)
    static let quantifier = SpokenRoles(rawValue: 1 << 2)
    /// A quantifier that is enough by itself: "all", "everything".
    static let whole = SpokenRoles(rawValue: 1 << 3)
    static let both = SpokenRoles(rawValue: 1 << 4)
    static let device = SpokenRoles(rawValue: 1 << 5)
    static let pronoun = SpokenRoles(rawValue: 1 << 6)
    static let of = SpokenRoles(rawValue: 1 << 7)
    static let direction = SpokenRoles(rawValue: 1 << 8)
    static let time = SpokenRoles(rawValue: 1 << 9)
    static let to = SpokenRoles(rawValue: 1 << 10)
    static let at = SpokenRoles(rawValue: 1 << 11)
    static let place = SpokenRoles(rawValue: 1 << 12)
    /// It begins a place if an article follows: "auf der Terrasse".
    static let placeBeforeArticle = SpokenRoles(rawValue: 1 << 13)
    /// A place by itself: "upstairs".
    static let adverb = SpokenRoles(rawValue: 1 << 14)
    static let brightness = SpokenRoles(rawValue: 1 << 15)
    /// A comma, or the end of a sentence.
    static let separator = SpokenRoles(rawValue: 1 << 16)
    static let stop = SpokenRoles(rawValue: 1 << 17)
    static let and = SpokenRoles(rawValue: 1 << 18)
    static let then = SpokenRoles(rawValue: 1 << 19)
    static let decisive = SpokenRoles(rawValue: 1 << 20)
    static let question = SpokenRoles(rawValue: 1 << 21)
    static let filler = SpokenRoles(rawValue: 1 << 22)
    static let particle = SpokenRoles(rawValue: 1 << 23)
    static let minus = SpokenRoles(rawValue: 1 << 24)
    static let verb = SpokenRoles(rawValue: 1 << 25)
    static let level = SpokenRoles(rawValue: 1 << 26)
    /// A verb that ends an order after its level: "auf 40 Prozent stellen".
    static let afterLevel = SpokenRoles(rawValue: 1 << 27)
    /// A particle that is a verb at the end: "ausschalten". After "could you" it makes an order.
    static let final = SpokenRoles(rawValue: 1 << 28)
    /// Before how much a level changes: "by 10 percent".
    static let by = SpokenRoles(rawValue: 1 << 29)
    /// A quantifier that takes no thing: "everything".
    static let alone = SpokenRoles(rawValue: 1 << 30)
    /// Before what an order leaves out: "except".
    static let except = SpokenRoles(rawValue: 1 << 31)

    static let ends: SpokenRoles = [.separator, .and, .then]
}
