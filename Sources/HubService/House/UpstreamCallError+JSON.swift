import FoundationEssentials
import GatewayRules
import Identity
package import JSON

// As the gate tells it to the house: `{"error": word, …}`.
extension UpstreamCallError {
    package var json: JSONValue {
        var members: [String: JSONValue] = ["error": .string(word)]
        switch self {
        case .unreachable(let words, let isToldAtOnce):
            (members["words"], members["atOnce"]) = (.string(words), .boolean(isToldAtOnce))
        case .refused(.busy(let count)): members["waiting"] = .integer(Int64(count))
        case .refused(.away(let outage)):
            (members["words"], members["since"]) = (
                .string(outage.words), .integer(outage.since.milliseconds)
            )
        case .malformed: members["words"] = .string(description)
        case .relayed(let words): members["words"] = .string(words)
        case .noUpstream, .brokeOff, .tooLarge, .timeout, .tooMany, .cancelled: break
        }
        return .object(members)
    }

    private var word: String {
        switch self {
        case .noUpstream: "no_upstream"
        case .unreachable: "unreachable"
        case .refused(.busy): "busy"
        case .refused(.away): "away"
        case .brokeOff: "broke_off"
        case .malformed, .relayed: "malformed"
        case .tooLarge: "too_large"
        case .timeout: "timeout"
        case .tooMany: "too_many"
        case .cancelled: "cancelled"
        }
    }

    package init(_ json: JSONValue?) {
        let members = json?.asObject ?? [:]
        func number(_ name: String) -> Int64 {
            if case .integer(let number)? = members[name] { number } else { 0 }
        }
        let words = members["words"]?.asString ?? ""
        self =
            switch members["error"]?.asString {
            case "no_upstream": .noUpstream
            case "unreachable": .unreachable(words, isToldAtOnce: members["atOnce"] == .boolean(true))
            case "busy": .refused(.busy(waiting: Int(number("waiting"))))
            case "away":
                .refused(.away(.init(since: Date(milliseconds: number("since")), words: words)))
            case "broke_off": .brokeOff
            case "too_large": .tooLarge
            case "timeout": .timeout
            case "too_many": .tooMany
            case "cancelled": .cancelled
            default: .relayed(words)
            }
    }
}
