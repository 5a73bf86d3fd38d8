import Discovery
import Glibc

/// What became of UDP probes, as the kernel and the search have counted it: whether this machine's own
/// questions get out, and answers come from its own network.
enum CheckProbes {
    /// Nil if nothing speaks for a fault here.
    ///
    /// - Parameter isWell: a hub was heard, and can be connected to.
    static func verdict(_ counts: ProbeCounts, isWell: Bool) -> Finding.Verdict? {
        let forbidden = counts.refused[EPERM, default: 0] + counts.refused[EACCES, default: 0]
        if forbidden > 0, counts.sent == 0 {
            let words = "this machine's own firewall lets no UDP probe out"
            let mend = "allow what goes out to 8000/udp: 'sudo nft list ruleset' shows the rules"
            return isWell
                ? .warning("\(words); hubs are found by multicast DNS alone", mend: mend)
                : .problem(words, mend: mend)
        }
        if !isWell, counts.accepted == 0, counts.dropped[.offLink, default: 0] > 0 {
            return .problem(
                "a hub answers from an address outside of this computer's network",
                mend: "both need an address and a netmask from the same router: see 'ip address' on both")
        }
        return nil
    }
}
