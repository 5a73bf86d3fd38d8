// Groups with many keys: one pass over them, where asking for each key would take one pass a key.
extension KeyFile {
    /// All pairs of a group, their escapes undone; empty if it is missing.
    package func pairs(in group: String) -> [String: String] {
        guard let lines = groups.first(where: { $0.name == group })?.lines else { return [:] }
        var pairs: [String: String] = [:]
        for case .pair(let key, let value, _) in lines { pairs[key] = KeyFile.unescaped(value) }
        return pairs
    }

    /// Adds a group of these pairs at the end, in the place of one of the same name. Keys and values hold what
    /// ``set(_:to:in:)`` allows.
    package mutating func replaceGroup(_ name: String, with pairs: [(key: String, value: String)]) {
        removeGroup(name)
        addGroup(name)
        for (key, value) in pairs {
            let escaped = KeyFile.escaped(value)
            append(.pair(key: key, value: escaped, raw: "\(key)=\(escaped)"))
        }
    }
}
