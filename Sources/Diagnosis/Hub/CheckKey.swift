import FoundationEssentials
import HubService
import Identity
import Pairing

/// While the hub has two keys (`hubpair hub key rotate`): how long the old one is shown, and who does not
/// know the new one yet. Nothing for a hub with one.
enum CheckKey {
    /// A term that ends in less is short for who has not come, in seconds.
    static let short = 14.0 * 86_400

    static func checks(_ state: HubState) -> [DiagnosisCheck] {
        guard let directory = try? state.open(),
            (try? HubState.hub(in: directory, at: Date()))?.old != nil
        else { return [] }
        return [
            DiagnosisCheck("hub-key", tried: "looked which devices do not know the new key yet") {
                let sight = try LookAtKey(state: state).run(at: .now)
                guard let statement = sight.hub.statement, sight.hub.old != nil else {
                    return .skipped("the term is over")
                }
                return verdict(missing: sight.missing.count, until: statement.until, now: Date())
            }
        ]
    }

    static func verdict(missing: Int, until: Date, now: Date) -> Finding.Verdict {
        let end = LocalTime(until).text(seenAt: now)
        guard missing > 0 else {
            return .ok("every approved device knows the new key; the old one is shown until \(end)")
        }
        let words =
            "devices that have not come since, and pair again if they come later than \(end): \(missing)"
        guard until.timeIntervalSince(now) < short else { return .ok(words) }
        return .warning(words, mend: "'hubpair hub key' lists them: use them once before that")
    }
}
