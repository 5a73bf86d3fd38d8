package import Identity

/// What names and ids in the household may be.
package enum HouseholdNames {
    /// The most bytes of an appliance's or activator's id. Those of a Hestia server have 24; without a bound
    /// one room could fill the file.
    static let maximumIDByteCount = 256
    /// Of one that stands in a path.
    static let maximumPathIDByteCount = 64
    /// What one that stands in a path may be.
    static let pathIDRule = "an id has 1 to 64 letters, digits, or characters of \"-._~\""

    /// Checks a name that is newly given.
    static func new(_ text: String, of kind: HouseholdError.Kind) throws(HouseholdError) -> PeerName {
        do {
            return try PeerName(text)
        } catch {
            throw .badName(kind, error.description)
        }
    }

    /// The same for a name that becomes the name of a group in a keyfile.
    package static func newGroup(_ text: String, of kind: HouseholdError.Kind) throws(HouseholdError)
        -> PeerName
    {
        let name = try new(text, of: kind)
        guard !text.contains(where: { $0 == "[" || $0 == "]" }) else {
            throw .badName(kind, "it holds brackets")
        }
        return name
    }

    /// The name in the form in which it is compared.
    static func folded(_ name: PeerName) -> String { name.description.lowercased() }

    /// True if the text can be an id in the path of a request and in the name of a group: that of a room, and
    /// all of a Hestia server.
    static func isPathID(_ text: String) -> Bool {
        text.utf8.count <= maximumPathIDByteCount && PathID.isOne(text.utf8)
    }

    /// What is wrong with the ids of an activator that somebody wants ordered or watched, after the key of
    /// the one that is; nil if nothing is. Files from before may have others: they are read and shown, and
    /// nothing is sent for them.
    static func fault(ofDevice device: String, activator: String) -> String? {
        let wrong = [("device", device), ("activator", activator)].first { _, id in
            !isID(id) || !PathID.isOne(id.utf8)
        }
        return wrong.map { key, _ in
            "\(key): an id has 1 to \(maximumIDByteCount) letters, digits or \"-._~\", and is no dots alone"
        }
    }

    /// True if the text can be an id of the server behind the hub.
    static func isID(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= maximumIDByteCount
    }
}

extension PeerName {
    /// The name in the form in which the names of rooms, scenes and rules are compared: those that differ in
    /// case alone are one.
    package var folded: String { HouseholdNames.folded(self) }
}
