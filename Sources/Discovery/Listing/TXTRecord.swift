public import Identity

/// The attributes of a DNS-SD service: a list of `key=value` (RFC 6763 § 6).
///
/// Keys are printable ASCII without `=`, compared without regard to case; values are any bytes. A key without
/// `=` (no value) differs from a key with an empty value. Strings with an empty or invalid key are ignored;
/// if a key occurs twice, the first one counts (§ 6.4).
///
/// Accepted: `api_level=0.7`, `hubpair`, `note=`. Ignored: the empty string, `=0.7`, `ключ=1`.
public struct TXTRecord: Hashable, Sendable {
    /// One attribute.
    public struct Entry: Hashable, Sendable {
        /// The key as received: 1–255 bytes of printable ASCII without `=`.
        public let key: String
        /// The bytes after the first `=`: 0–253 bytes; nil if there is no `=`.
        public let value: [UInt8]?
    }

    /// The maximum size of a record in bytes, each string with its length byte; the rest is not read. RFC
    /// 6763 § 6.2 advises against larger records. This bounds the memory that a hostile record costs.
    public static let maximumByteCount = 8_900

    /// The valid attributes, each key once, in the order of the record.
    public let entries: [Entry]
    /// True if the record was longer than ``maximumByteCount`` or held a string of more than 255 bytes; the
    /// rest is missing from ``entries``.
    public let isTruncated: Bool

    /// Creates a record from its strings, in the order on the wire.
    public init(strings: some Sequence<[UInt8]>) {
        var entries: [Entry] = []
        var seen: Set<[UInt8]> = []
        var byteCount = 0
        var isTruncated = false
        for string in strings {
            byteCount += 1 + string.count
            guard string.count <= 255, byteCount <= TXTRecord.maximumByteCount else {
                isTruncated = true
                break
            }
            let parts = string.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let key = parts.first, !key.isEmpty, key.allSatisfy({ (0x20...0x7E).contains($0) }),
                seen.insert(TXTRecord.folded(key)).inserted
            else { continue }
            let value = parts.count == 2 ? Array(parts[1]) : nil
            entries.append(Entry(key: String(decoding: key, as: UTF8.self), value: value))
        }
        self.entries = entries
        self.isTruncated = isTruncated
    }

    /// The attribute with this key, compared without regard to ASCII case; nil if the record has none.
    public subscript(key: String) -> Entry? {
        let folded = TXTRecord.folded(key.utf8)
        return entries.first { TXTRecord.folded($0.key.utf8) == folded }
    }

    /// The value of `key` as text; nil if there is none or it is not UTF-8. Untrusted and not escaped: escape
    /// it before printing.
    public func text(_ key: String) -> String? {
        self[key]?.value.flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The fingerprint that the hub claims in `id`, unproven. Nil for a server without hubpair, or if `id` is
    /// not a fingerprint.
    public var fingerprint: Fingerprint? { text("id").flatMap { Fingerprint($0) } }

    /// The fingerprint of the key that the hub had before, as it claims in `was` while it shows that, too.
    public var formerFingerprint: Fingerprint? { text("was").flatMap { Fingerprint($0) } }

    private static func folded(_ key: some Sequence<UInt8>) -> [UInt8] {
        key.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
    }
}
