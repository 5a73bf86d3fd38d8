/// How the house stands that the gates with this hub's key share.
package struct SiteHouse: Equatable, Sendable {
    package struct Gate: Equatable, Sendable {
        package let name: String
        /// It polls the server behind the hub, for all of them.
        package let leads: Bool
        /// How many changes it has not taken in yet, as it has told; nil if it has another house than the
        /// others.
        package let behind: Int64?
    }

    /// Those of which the house has served, by their names.
    package let gates: [Gate]
    /// How many changes there were.
    package let changes: Int64

    /// - Parameters:
    ///   - entries: of ``HouseRecords``.
    ///   - names: of the gates of the site.
    /// - Returns: nil if none has served.
    package init?(_ entries: [String: [UInt8]], names: [(id: String, name: String)]) {
        guard let last = SiteHouse.place(entries[HouseRecords.last]) else { return nil }
        let leader = entries[HouseRecords.leader].map {
            String(decoding: $0.prefix { $0 != 0x20 }, as: UTF8.self)
        }
        changes = last.position
        gates = names.compactMap { id, name in
            guard let told = entries[HouseRecords.at(id)] else {
                return id == leader ? Gate(name: name, leads: true, behind: nil) : nil
            }
            let place = SiteHouse.place(told).flatMap { $0.house == last.house ? $0 : nil }
            return Gate(
                name: name, leads: id == leader, behind: place.map { max(0, last.position - $0.position) })
        }
    }

    private static func place(_ bytes: [UInt8]?) -> (house: String, position: Int64)? {
        let words = String(decoding: bytes ?? [], as: UTF8.self).split(separator: " ")
        guard words.count == 2, let position = Int64(words[1]), position >= 0 else { return nil }
        return (String(words[0]), position)
    }
}
