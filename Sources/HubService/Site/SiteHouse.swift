import Identity

/// How the house stands that the gates with this hub's key share.
package struct SiteHouse: Equatable, Sendable {
    package struct Gate: Equatable, Sendable {
        package let name: String
        /// It polls the server behind the hub, for all of them.
        package let leads: Bool
        /// How many changes it has not taken in yet, as it has told; nil if it has another house than the
        /// others.
        package let behind: Int64?
        /// Why it does not go on; nil if it does, as far as it has told.
        package var fault: String?
    }

    /// Of words that come from another gate.
    private static let maximumFaultByteCount = 1_000

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
            let fault = entries[HouseRecords.fault(of: id)].map {
                SafeText.escaped(String(decoding: $0.prefix(SiteHouse.maximumFaultByteCount), as: UTF8.self))
            }
            guard let told = entries[HouseRecords.at(id)] else {
                guard id == leader || fault != nil else { return nil }
                return Gate(name: name, leads: id == leader, behind: nil, fault: fault)
            }
            let place = SiteHouse.place(told).flatMap { $0.house == last.house ? $0 : nil }
            return Gate(
                name: name, leads: id == leader, behind: place.map { max(0, last.position - $0.position) },
                fault: fault)
        }
    }

    private static func place(_ bytes: [UInt8]?) -> (house: String, position: Int64)? {
        let words = String(decoding: bytes ?? [], as: UTF8.self).split(separator: " ")
        guard words.count == 2, let position = Int64(words[1]), position >= 0 else { return nil }
        return (String(words[0]), position)
    }
}
