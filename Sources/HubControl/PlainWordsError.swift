import FoundationEssentials

/// Why a sentence is no order. Nothing was sent.
package enum PlainWordsError: Error, Equatable, LocalizedError, CustomStringConvertible {
    /// There is nothing in it.
    case empty
    /// More than `PlainWords.maximumByteCount` bytes.
    case tooLong
    /// It does not say what to set anything to; what was left of it.
    case noSetting(String)
    /// It does not say what to set.
    case noThing
    /// A level beyond 100%.
    case outOfRange(String)
    /// No device fits these words; names that look like them.
    case unknown(String, near: [String])
    /// Several devices fit these words.
    case ambiguous(String, [String])

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .empty: "there is no sentence"
        case .tooLong: "the sentence is longer than \(PlainWords.maximumByteCount) bytes"
        case .noSetting(let rest): "not understood what to do: \(quoted(rest))"
        case .noThing: "not understood what to switch"
        case .outOfRange(let words): "\(words) percent is more than all"
        case .unknown(let words, _): "no device is called \(quoted(words))"
        case .ambiguous(let words, let names): "\(quoted(words)) fits \(names.count) devices"
        }
    }

    /// The same as the description.
    package var errorDescription: String? { description }

    /// How to mend it.
    package var recoverySuggestion: String? {
        switch self {
        case .empty, .tooLong, .noSetting, .noThing:
            "say it like \"turn the kitchen light off\" or \"dim the lamp to 40 percent\"; nothing was changed"
        case .outOfRange: "a level is from 0 to 100 percent; nothing was changed"
        case .unknown(_, let near):
            near.isEmpty
                ? "'hubpair home' lists the devices; nothing was changed"
                : "did you mean " + near.map(quoted).joined(separator: " or ")
                    + "? nothing was changed"
        case .ambiguous(_, let names):
            "say which: " + names.prefix(8).map(quoted).joined(separator: ", ")
                + "; nothing was changed"
        }
    }
}
