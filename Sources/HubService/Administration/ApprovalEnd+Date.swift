import FoundationEssentials
import Pairing

extension ApprovalEnd {
    /// The time of the end; nil for none.
    ///
    /// - Parameters:
    ///   - present: when the approval ends that is there; nil for none, and for a new approval.
    ///   - latest: the latest moment that the hub's files know of.
    /// - Throws: `HubError.clockBehind` if the wall clock is behind that: nobody knows what time it is.
    func date(besides present: Date?, at now: Moment, latest: Moment?) throws(HubError) -> Date? {
        guard let time = now.wall(notBefore: [latest]) else {
            switch self {
            case .unsaid: return present
            case .never: return nil
            case .after, .at: throw .clockBehind(now: now.wall, known: latest?.wall ?? now.wall)
            }
        }
        switch self {
        case .unsaid: return present
        case .never: return nil
        case .after(let seconds): return time.addingTimeInterval(seconds)
        case .at(let date):
            guard date > time else { throw .endIsOver(date) }
            return date
        }
    }
}
