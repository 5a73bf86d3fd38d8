import FoundationEssentials
import HubService
import Identity
import Pairing

/// How the site stands that this machine's hub is a gate of; nothing for a hub of its own.
enum CheckSite {
    /// A certificate that ends in less is to be renewed, in seconds.
    static let short = 14.0 * 86_400
    /// A clock that differs by more is said, in seconds: codes and approvals end by them.
    static let clockDifference = 10.0
    /// What nobody can mend at a gate: the house itself takes its copy over again.
    private static let standstill =
        "if it stays so, start the hub there again; if that does not help, bring etcd back from its backup "
        + "(etcdctl snapshot restore)"
    /// A house that serves takes in all that others write within a second.
    static let lag: Int64 = 100

    static func checks(_ state: HubState) -> [DiagnosisCheck] {
        guard (try? state.open().stamp(of: SiteSettings.fileName)) ?? nil != nil else { return [] }
        return [
            DiagnosisCheck(
                "hub-site", tried: "asked every member of the site's etcd", deadline: .seconds(60)
            ) {
                let status = try SiteStatus(of: state)
                return verdict(
                    fault: status.fault,
                    away: status.members.filter { if case .away = $0.standing { true } else { false } }
                        .map(\.member.text),
                    count: status.members.count, isBehind: status.copy != status.revision,
                    house: status.house, own: status.gates?.first,
                    certificate: status.settings.credentials.end,
                    clocks: status.members.compactMap { member in
                        member.ahead.map { (member.member.text, $0) }
                    }, now: Date())
            }
        ]
    }

    static func verdict(
        fault: SiteError?, away: [String], count: Int, isBehind: Bool, house: SiteHouse? = nil,
        own: String? = nil, certificate: Int64?,
        clocks: [(member: String, ahead: Double)] = [], now: Date
    ) -> Finding.Verdict {
        let left = certificate.map { Double($0) - now.timeIntervalSince1970 } ?? .infinity
        let renewal = "make a new one, and join again with it: \(SiteError.joining)"
        guard left > 0 else { return .problem("this gate's certificate has run out", mend: renewal) }
        if let fault { return .problem(fault.description, mend: fault.hint) }
        guard away.isEmpty else {
            return .warning(
                "of \(count) members these do not answer: \(away.joined(separator: ", "))",
                mend: "start etcd there: one more that dies may stop all changes")
        }
        guard left >= short else {
            let end = now.addingTimeInterval(left).timestamp
            return .warning("this gate's certificate runs out on \(end)", mend: renewal)
        }
        if let (member, ahead) = clocks.first(where: { abs($0.ahead) > clockDifference }) {
            let time = Duration.seconds(Int64(abs(ahead).rounded())).written
            return .warning(
                "the clock of \(member) is \(time) \(ahead > 0 ? "ahead of" : "behind") this gate's",
                mend: "set both right (NTP): codes and approvals end by the gates' clocks")
        }
        guard !isBehind else {
            return .warning("this gate's copy is behind", mend: "start the hub ('hubpair serve')")
        }
        if let house, let verdict = standing(of: house, own) { return verdict }
        return .ok("all \(count) members answer, and this gate is up to date")
    }

    /// What is wrong with the house that gates with one key share.
    private static func standing(of house: SiteHouse, _ own: String?) -> Finding.Verdict? {
        if let gate = house.gates.first(where: { $0.fault != nil }), let fault = gate.fault {
            return .warning("the house at the gate \(gate.name) does not go on: \(fault)", mend: standstill)
        }
        guard house.gates.contains(where: \.leads) else {
            return .warning(
                "no gate polls the server behind the hub: no rule rings, no timer runs",
                mend: "start the hub at one of them ('hubpair serve')")
        }
        guard let gate = house.gates.first(where: { $0.name == own }), !gate.leads else { return nil }
        guard let behind = gate.behind else {
            return .warning(
                "this gate has another house than the others",
                mend: "start the hub ('hubpair serve'): it takes theirs over")
        }
        guard behind >= lag else { return nil }
        return .warning(
            "this gate's house is \(behind) changes behind", mend: "start the hub ('hubpair serve')")
    }
}
