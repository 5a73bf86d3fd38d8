import Identity

/// The target of a request for one of the hub's own resources.
///
///     target  = "/hubpair/v1/" path [ "?" query ]
///     path    = a pattern of ResourcePattern; each "*" is a segment
///     segment = 1*189( unreserved / sub-delims / ":" / "@" / pct-encoded )       ; RFC 3986 § 3.3
///
/// The path is compared as raw bytes. Only what stands for `*` is percent-decoded, once, and must be UTF-8. A
/// path of another spelling is not a resource, so that no path has two meanings.
///
/// Accepted: `/hubpair/v1/rooms/kitchen`, `/hubpair/v1/scenes/Movie%20night`. Rejected:
/// `/hubpair/v1/rooms/`, `/hubpair/v1/%72ooms`, `/hubpair/v1/rooms/%ff`, `/hubpair/v1/rooms//kitchen`.
package struct HubResource: Equatable, Sendable {
    /// The beginning of every path.
    package static let root = "/hubpair/v1/"
    /// The maximum size of a segment in bytes: a name of 63 bytes, all of them percent-encoded.
    package static let maximumSegmentByteCount = 189
    /// The maximum size of a request's body in bytes. A longer one is refused before it is read.
    package static let maximumBodyByteCount = 65_536

    package let pattern: ResourcePattern
    /// What stands in place of each `*`, decoded, in order: any text of 1 to 189 bytes.
    package let segments: [String]
    /// What follows the first `?`, as it came; empty if there is none.
    package let query: String

    package init(_ pattern: ResourcePattern, segments: [String] = [], query: String = "") {
        (self.pattern, self.segments, self.query) = (pattern, segments, query)
    }

    /// - Parameters:
    ///   - target: begins with `/`.
    ///   - method: decides between two patterns that match: `GET scenes/current` and `PUT scenes/current`.
    /// - Returns: nil if the target is not one of the hub's resources.
    package init?(target: some StringProtocol, method: String) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first, path.hasPrefix(HubResource.root) else { return nil }
        let segments = path.dropFirst(HubResource.root.count).split(
            separator: "/", omittingEmptySubsequences: false)
        let matching = ResourcePattern.allCases.filter { HubResource.matches($0, segments) }
        guard let pattern = matching.first(where: { $0.use(of: method) != nil }) ?? matching.first else {
            return nil
        }
        var values: [String] = []
        for (part, segment) in zip(HubResource.parts(of: pattern), segments) where part == "*" {
            guard let value = HubResource.decoded(segment) else { return nil }
            values.append(value)
        }
        self.init(pattern, segments: values, query: parts.count > 1 ? String(parts[1]) : "")
    }

    private static func parts(of pattern: ResourcePattern) -> [Substring] {
        pattern.rawValue.split(separator: "/")
    }

    private static func matches(_ pattern: ResourcePattern, _ segments: [some StringProtocol]) -> Bool {
        let parts = parts(of: pattern)
        return parts.count == segments.count
            && zip(parts, segments).allSatisfy { $0 == "*" ? !$1.isEmpty : $0.utf8.elementsEqual($1.utf8) }
    }

    /// The text that a segment or a query's value stands for; nil if it is not one that RFC 3986 allows, or
    /// not UTF-8, or too long.
    static func decoded(_ text: some StringProtocol) -> String? {
        let encoded = Array(text.utf8.prefix(maximumSegmentByteCount + 1))
        guard encoded.count <= maximumSegmentByteCount, encoded.allSatisfy(isAllowed),
            let bytes = PercentCoding.strictlyDecoded(encoded[...])
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "%-._~!$&'()*+,;=:@".utf8.contains(byte)
        }
    }
}
