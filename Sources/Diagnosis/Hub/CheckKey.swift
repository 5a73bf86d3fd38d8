import FoundationEssentials
import HubService
import Identity
import Pairing

/// While the hub has two keys (`hubpair hub key rotate`): how long the old one is shown, and who does not
/// know the new one yet; in a site, at which gate it is missing. Nothing for a hub with one.
enum CheckKey {
    /// A term that ends in less is short for who has not come, in seconds.
    static let short = 14.0 * 86_400

    static func checks(_ state: HubState) -> [DiagnosisCheck] {
        guard let directory = try? state.open(),
            let hub = try? HubState.hub(in: directory, at: Date())
        else { return [] }
        if let site = try? LookAtKey(state: state).site() {
            return [
                DiagnosisCheck("hub-key", tried: "looked which gates of the hub have its next key") {
                    verdict(site)
                }
            ]
        }
        guard hub.old != nil else { return [] }
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

    static func verdict(_ site: LookAtKey.Site) -> Finding.Verdict {
        guard !site.isBehind else {
            let error = KeyError.behind(site.pin)
            return .problem(error.description, mend: error.hint)
        }
        guard site.gates != nil else {
            return .skipped("the site does not say which gates can show the next key")
        }
        guard !site.missing.isEmpty else { return .ok("every gate of this hub can show its next key") }
        return .warning(
            "gates of this hub that cannot show its next key, which counts once they can: "
                + site.missing.joined(separator: ", "),
            mend: "'hubpair hub key' says what to do at them")
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
