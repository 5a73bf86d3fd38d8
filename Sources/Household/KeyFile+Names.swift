import Identity
import JSON
import Pairing

// Lists of names in the keyfiles of the household, each as a JSON array on one line.
extension KeyFile {
    /// The names at `key`; nil if the key is missing.
    func names(_ key: String, in group: String) throws(KeyFileError) -> [PeerName]? {
        guard let text = value(key, in: group) else { return nil }
        guard let texts = try? JSONReader.read([String].self, from: Array(text.utf8)),
            case let names = texts.compactMap({ try? PeerName(known: $0) }), names.count == texts.count
        else { throw .invalidValue("not names in a JSON array", key: key, group: group) }
        return names
    }

    /// Sets `key` to the names; nil removes it.
    mutating func set(names: [PeerName]?, for key: String, in group: String) {
        set(key, to: names.map { JSONValue.array($0.map { .string($0.description) }).text }, in: group)
    }
}
