package import Identity

/// Why a hub does not give, or does not change, what the people of a house share.
package enum HouseholdRefusal: Equatable, UserError {
    /// A stock hub keeps nothing of the kind.
    case stock(PeerName)
    /// The hub runs a version that does not know of it.
    case older(PeerName)
    /// This computer's role does not allow it.
    case notAllowed(PeerName, Fingerprint?)
    /// The hub's word and sentence.
    case refused(status: Int, word: String, message: String)
    /// There is no such message.
    case noMessage(String)
    /// The message is no alarm, which alone can be acknowledged.
    case noAlarm

    package var description: String {
        switch self {
        case .stock(let hub):
            "\(hub) is a stock hub, which keeps no rooms, scenes, rules or messages, and no history"
        case .older(let hub): "\(hub) runs a version without rooms, scenes and messages"
        case .notAllowed(let hub, _): "this computer's role on \(hub) does not allow that"
        case .refused(_, _, let message): HouseholdRefusal.parts(of: message).what
        case .noMessage(let id): "there is no message \(quoted(id))"
        case .noAlarm: "only an alarm can be acknowledged"
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .stock, .notAllowed: .notPermitted
        case .older: .unavailable
        case .refused(404, _, _), .noMessage: .notFound
        case .refused(502, _, _), .refused(504, _, _): .unavailable
        case .refused(412, _, _), .refused(429, _, _), .refused(503, _, _): .tryAgain
        case .refused, .noAlarm: .usage
        }
    }

    package var hint: String? {
        switch self {
        case .stock:
            "on the hub: 'hubpair setup' and 'hubpair serve' guard it, and keep them; then pair with it"
        case .older: "on the hub: install a newer hubpair"
        case .notAllowed(_, let device):
            "on the hub: 'hubpair devices role \(device?.description ?? "DEVICE") owner', or member, who "
                + "changes rooms and scenes, and no rules"
        case .refused(503, _, let message):
            HouseholdRefusal.parts(of: message).hint ?? "on the hub: 'hubpair doctor' says what is wrong"
        case .refused(_, _, let message): HouseholdRefusal.parts(of: message).hint
        case .noMessage: "'hubpair messages' lists them with their numbers"
        case .noAlarm: "'hubpair messages --list alarms' lists them"
        }
    }

    /// What the hub says is wrong, and how it says that it is mended: in parentheses at the end.
    private static func parts(of message: String) -> (what: String, hint: String?) {
        let whole = message.unicodeScalars.count > 300 ? shortened(message) : message
        guard whole.hasSuffix(")"), let start = whole.firstRange(of: " ("),
            whole[start.upperBound...].contains(" ")
        else { return (whole, nil) }
        return (String(whole[..<start.lowerBound]), String(whole[start.upperBound...].dropLast()))
    }
}
