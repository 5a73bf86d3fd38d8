import Identity

/// The id of an event: the tag of the database that it is kept in, and its number there.
///
///     id     = tag "-" number [ "." number ]
///     tag    = 1*8( 0-9 / a-f )
///     number = 1*18DIGIT
///
/// Accepted: `5f0c1a2b-17`, `5f0c1a2b-17.3`. Rejected: `17`, `5f0c1a2b-`, `5f0c1a2b--1`.
struct EventID: Equatable, Sendable {
    let tag: String
    let number: Int64
    /// A second count: of acknowledgements, in the stream of messages.
    let other: Int64?

    init(tag: String, number: Int64, other: Int64? = nil) {
        (self.tag, self.number, self.other) = (tag, number, other)
    }

    /// Reads what a client sends as `Last-Event-ID`; nil if the hub cannot have given it such an id.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...8).contains(parts[0].utf8.count),
            parts[0].utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        let numbers = parts[1].split(separator: ".", omittingEmptySubsequences: false).map { digits in
            digits.utf8.count <= 18 ? Int(digits: String(digits)).map(Int64.init) : nil
        }
        guard numbers.count <= 2, let number = numbers[0], !numbers.contains(nil) else { return nil }
        self.init(tag: String(parts[0]), number: number, other: numbers.count == 2 ? numbers[1] : nil)
    }

    var text: String { "\(tag)-\(number)" + (other.map { ".\($0)" } ?? "") }
}
