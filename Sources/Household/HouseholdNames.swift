package import Identity

/// What names and ids in the household may be.
enum HouseholdNames {
    /// The most bytes of an appliance's or activator's id. Those of a Hestia server have 24; without a bound
    /// one room could fill the file.
    static let maximumIDByteCount = 256

    /// Checks a name that is newly given.
    static func new(_ text: String, of kind: HouseholdError.Kind) throws(HouseholdError) -> PeerName {
        do {
            return try PeerName(text)
        } catch {
            throw .badName(kind, error.description)
        }
    }

    /// The same for a name that becomes the name of a group in a keyfile.
    static func newGroup(_ text: String, of kind: HouseholdError.Kind) throws(HouseholdError) -> PeerName {
        let name = try new(text, of: kind)
        guard !text.contains(where: { $0 == "[" || $0 == "]" }) else {
            throw .badName(kind, "it holds brackets")
        }
        return name
    }

    /// Checks names that are newly given to refer to something.
    static func all(_ texts: [String]?, of kind: HouseholdError.Kind) throws(HouseholdError) -> [PeerName]? {
        guard let texts else { return nil }
        var names: [PeerName] = []
        for text in texts { names.append(try newGroup(text, of: kind)) }
        return names
    }

    /// True if people would take the names for one: they differ in case or in the form of their bytes alone.
    static func areSame(_ one: PeerName, _ other: PeerName) -> Bool {
        folded(one) == folded(other)
    }

    /// The name in the form in which it is compared.
    static func folded(_ name: PeerName) -> String { name.description.lowercased() }

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
