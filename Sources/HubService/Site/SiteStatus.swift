package import FoundationEssentials
import Glibc
import Identity
import JSON
package import Pairing

/// How a site stands, as this gate sees it.
package struct SiteStatus: Sendable {
    package struct Member: Sendable {
        package let member: SiteMember
        package let name: String
        package let version: String
        package let standing: Standing
        /// How far its clock is ahead of this gate's, in seconds; nil if it does not say.
        package var ahead: Double?
    }

    package enum Standing: Equatable, Sendable {
        case leads, follows
        /// It answers, and sees no majority.
        case alone
        case away(SiteError)
    }

    package let settings: SiteSettings
    package let members: [Member]
    /// The names of the gates that have joined, each its own, this one's first; nil if the site does not say.
    package let gates: [String]?
    /// The hubs that they are, this one's first; those that have served since they joined.
    package let hubs: [SiteHub]
    /// The key that the gates of this hub get next; nil if none is under way.
    package let next: LookAtKey.Site?
    /// Nil if no gate with this one's key has served, or the site does not say.
    package let house: SiteHouse?
    /// The revision of the last change; nil if no majority says.
    package let revision: Int64?
    /// What this gate has a copy of; nil if of nothing yet.
    package let copy: Int64?
    /// Why the site does not say.
    package let fault: SiteError?

    /// Asks every member.
    package init(of state: HubState) throws {
        let directory = try state.open()
        let hub = try HubState.hub(in: directory)
        let own = hub.pin
        guard let settings = try directory.read(SiteSettings.fileName, SiteSettings.init(parsing:)) else {
            throw SiteError.notJoined
        }
        self.settings = settings
        next = try LookAtKey(state: state).site()
        let known = try HubState.siteGates(in: directory).hubs(HubState.siteKeys(in: directory))
        hubs = known.filter { $0.pin == own } + known.filter { $0.pin != own }
        let store = try EtcdStore(settings)
        members = settings.members.map { SiteStatus.ask($0, store.client, settings.cluster) }
        let told = Result { () throws(SiteError) in
            (try store.head(), try store.gates(), try store.standings(of: hub.root.fingerprint))
        }
        let all = (try? told.get())?.1
        revision = (try? told.get())?.0
        gates = all.map { all in
            let own = all.filter { $0.id == settings.gate }
            return SiteStatus.names(of: own + all.filter { $0.id != settings.gate }).map(\.name)
        }
        house = (try? told.get()).flatMap { SiteHouse($0.2, names: SiteStatus.names(of: $0.1)) }
        fault = if case .failure(let error) = told { error } else { nil }
        copy = try directory.read(SiteCopy.fileName, SiteCopy.init(parsing:))?.revision
    }

    /// Gates by names that differ: machines are often called alike, and some are not called at all.
    static func names(of gates: [(id: String, name: String)]) -> [(id: String, name: String)] {
        let counts = Dictionary(gates.map { ($0.name, 1) }, uniquingKeysWith: +)
        return gates.map { id, name in
            let isOwn = !name.isEmpty && counts[name] == 1
            return (id, isOwn ? name : name.isEmpty ? id : "\(name) \(id)")
        }
    }

    private static func ask(_ member: SiteMember, _ client: EtcdClient, _ cluster: UInt64) -> Member {
        do throws(SiteError) {
            let reply = try client.reply(
                of: member, "/v3/maintenance/status", Array("{}".utf8), limit: 1 << 16)
            let now = Date()
            let status = try EtcdAnswer.Status(parsing: EtcdClient.body(of: reply, from: member))
            guard status.header.cluster == cluster else {
                throw .otherCluster(String(status.header.cluster))
            }
            let known = try? EtcdAnswer.Member.list(
                parsing: client.ask(member, "/v3/cluster/member/list", Array("{}".utf8), limit: 1 << 18))
            return Member(
                member: member, name: known?.first { $0.id == status.header.member }?.name ?? "",
                version: status.version,
                standing: status.leader == 0
                    ? .alone : status.leader == status.header.member ? .leads : .follows,
                ahead: reply.date.flatMap(SiteStatus.date).map { $0.timeIntervalSince(now) })
        } catch {
            return Member(member: member, name: "", version: "", standing: .away(error))
        }
    }

    /// A time as HTTP writes it (RFC 9110 § 5.6.7), to the second.
    ///
    /// Accepted: `Sat, 28 Nov 2026 12:15:07 GMT`. Rejected: the two older forms, another zone.
    package static func date(_ text: String) -> Date? {
        let words = text.split(separator: " ")
        guard text.utf8.count <= 40, words.count == 6, words[5] == "GMT", let day = Int32(digits: words[1]),
            let month = months.firstIndex(of: String(words[2])), let year = Int32(digits: words[3])
        else { return nil }
        let clock = words[4].split(separator: ":").compactMap { Int32(digits: $0) }
        guard clock.count == 3, (1...31).contains(day), (1970...9999).contains(year) else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, Int32(month), day)
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (clock[0], clock[1], clock[2])
        return Date(timeIntervalSince1970: Double(timegm(&parts)))
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
