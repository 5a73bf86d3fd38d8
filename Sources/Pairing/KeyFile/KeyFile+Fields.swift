package import FoundationEssentials

// Shared by the keyfiles of hub and device: the format number, and typed access that throws on any invalid
// value.
extension KeyFile {
    /// The format number that this code reads and writes.
    static let format = 1
    static let formatGroup = "keyfile"

    /// A file that holds only its format number, with `comment` above it.
    package static func empty(comment: String) -> KeyFile {
        var file = KeyFile()
        file.append(.trivia("# " + comment))
        file.set("format", to: String(format), in: formatGroup)
        return file
    }

    /// Throws if the file has no valid format number, or a newer one. An empty file has none: a full disk can
    /// leave one behind, hubpair never writes one.
    package func checkFormat() throws(KeyFileError) {
        // 0, an empty value or a leading zero is damage; a number beyond ours is a newer hubpair's.
        guard let text = value("format", in: KeyFile.formatGroup), let first = text.utf8.first,
            first != UInt8(ascii: "0"), text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { throw .missingFormat }
        guard Int(text) == KeyFile.format else { throw .newerFormat(text) }
    }

    /// The number at `key`, at most 18 digits; nil if the key is missing.
    func number(_ key: String, in group: String) throws(KeyFileError) -> Int? {
        guard let text = value(key, in: group) else { return nil }
        guard text.utf8.count <= 18, let number = Int(digits: text) else {
            throw .invalidValue("not a number of at most 18 digits", key: key, group: group)
        }
        return number
    }

    /// The bytes at `key`, in standard base64.
    func bytes<Value>(
        _ key: String, in group: String, count: Int, _ make: (Data) -> Value?
    ) throws(KeyFileError) -> Value {
        let text = try required(key, in: group)
        guard let data = Data(base64Encoded: text), data.count == count, let value = make(data) else {
            throw .invalidValue("not \(count) bytes in base64", key: key, group: group)
        }
        return value
    }

    /// The names of the groups `[KIND …]`, without the kind. Throws for every other group except `[keyfile]`
    /// and those in `besides`: a misspelt `[devcie …]` must not silently hide a device.
    package func identifiers(of kind: String, besides: Set<String> = []) throws(KeyFileError) -> [String] {
        var identifiers: [String] = []
        for name in groupNames where name != KeyFile.formatGroup && !besides.contains(name) {
            identifiers.append(try identifier(of: kind, in: name))
        }
        return identifiers
    }

    /// The same of one group.
    func identifier(of kind: String, in group: String) throws(KeyFileError) -> String {
        guard group.hasPrefix(kind + " ") else { throw .unknownGroup(group) }
        return String(group.dropFirst(kind.count + 1))
    }

    package func required(_ key: String, in group: String) throws(KeyFileError) -> String {
        guard let text = value(key, in: group) else { throw .missingKey(key, group: group) }
        return text
    }

    package func name(_ key: String, in group: String) throws(KeyFileError) -> PeerName {
        let text = try required(key, in: group)
        do {
            return try PeerName(known: text)
        } catch {
            throw .invalidValue(error.description, key: key, group: group)
        }
    }

    /// The pin in `group`; throws unless its fingerprint is `fingerprint`, the one in the group's name.
    package func pin(in group: String, fingerprint: String) throws(KeyFileError) -> Pin {
        let text = try required("pin", in: group)
        let pin: Pin
        do {
            pin = try Pin(text: text)
        } catch {
            throw .invalidValue(error.description, key: "pin", group: group)
        }
        guard Fingerprint(fingerprint) == pin.fingerprint else { throw .wrongFingerprint(group: group) }
        return pin
    }

    /// The time at `key`; nil if the key is missing.
    package func time(_ key: String, in group: String) throws(KeyFileError) -> Date? {
        guard let text = value(key, in: group) else { return nil }
        guard let time = Date(timestamp: text) else {
            throw .invalidValue("not a time like 2026-11-21T10:22:03Z", key: key, group: group)
        }
        return time
    }
}

// For groups with many keys: one pass over all lines instead of one pass per key.
extension KeyFile {
    /// All pairs of a group, with escapes decoded; empty if the group is missing.
    package func pairs(in group: String) -> [String: String] {
        guard let position = positions[group] else { return [:] }
        var pairs: [String: String] = [:]
        for case .pair(let key, let value, _) in groups[position].lines {
            pairs[key] = KeyFile.unescaped(value)
        }
        return pairs
    }

    /// Appends a group with these pairs, and removes a group of the same name. Keys and values must meet the
    /// conditions of ``set(_:to:in:)``.
    package mutating func replaceGroup(_ name: String, with pairs: [(key: String, value: String)]) {
        removeGroup(name)
        addGroup(name)
        for (key, value) in pairs {
            let escaped = KeyFile.escaped(value)
            append(.pair(key: key, value: escaped, raw: nil))
        }
    }
}
