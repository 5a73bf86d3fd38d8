import HubService

/// A place in the log of a house that several gates share.
///
/// Accepted: `9QW3ZJ1K 17`. Rejected: `9QW3ZJ1K`, `9QW3ZJ1K -1`, `9QW3ZJ1K 1 2`.
struct LogPlace: Equatable, Sendable {
    /// The house: a house that began anew is another.
    let house: String
    /// How many entries there were.
    let position: Int64

    init(house: String, position: Int64) { (self.house, self.position) = (house, position) }

    init?(_ bytes: [UInt8]) {
        let words = bytes.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 2, (1...64).contains(words[0].count), !words[1].isEmpty, words[1].count <= 18,
            words[1].allSatisfy({ (0x30...0x39).contains($0) }),
            let position = Int64(String(decoding: words[1], as: UTF8.self))
        else { return nil }
        self.init(house: String(decoding: words[0], as: UTF8.self), position: position)
    }

    var bytes: [UInt8] { Array("\(house) \(position)".utf8) }
    var next: LogPlace { LogPlace(house: house, position: position + 1) }

    /// A name of its own, for a house, an entry or a time of leading.
    static func mark() -> String {
        let mark = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - mark.count) + mark
    }
}

/// An entry of the log: what a transaction has changed, as a changeset of SQLite's.
///
///     1 ID inline
///     <the changeset>
///
///     1 ID pieces COUNT BYTES
struct LogEntry: Equatable, Sendable {
    enum Body: Equatable, Sendable {
        case inline([UInt8])
        /// Beside the log.
        case pieces(count: Int, byteCount: Int)
    }

    /// The most bytes of an entry's changes, and of a copy.
    static let maximumByteCount = 128 << 20
    static let pieceByteCount = SiteRecords.maximumValueByteCount
    private static let format = "1"

    /// By which a gate knows its own.
    let id: String
    let body: Body

    init(id: String, _ body: Body) { (self.id, self.body) = (id, body) }

    /// Nil for what no gate has written, or a newer one.
    init?(_ bytes: [UInt8]) {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")), end <= 128 else { return nil }
        let words = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ")
        guard words.count >= 3, words[0] == LogEntry.format else { return nil }
        switch (words[2], words.count) {
        case ("inline", 3): self.init(id: String(words[1]), .inline(Array(bytes[(end + 1)...])))
        case ("pieces", 5):
            guard let count = Int(words[3]), let byteCount = Int(words[4]),
                (1...LogEntry.maximumByteCount).contains(byteCount),
                count == (byteCount + LogEntry.pieceByteCount - 1) / LogEntry.pieceByteCount
            else { return nil }
            self.init(id: String(words[1]), .pieces(count: count, byteCount: byteCount))
        default: return nil
        }
    }

    var bytes: [UInt8] {
        switch body {
        case .inline(let changes): Array("\(LogEntry.format) \(id) inline\n".utf8) + changes
        case .pieces(let count, let byteCount):
            Array("\(LogEntry.format) \(id) pieces \(count) \(byteCount)\n".utf8)
        }
    }
}

/// A copy of the database with which a gate begins that cannot follow the log.
struct LogBase: Equatable, Sendable {
    let place: LogPlace
    let id: String
    let count: Int
    let byteCount: Int

    init(place: LogPlace, id: String, byteCount: Int) {
        (self.place, self.id, self.byteCount) = (place, id, byteCount)
        count = (byteCount + LogEntry.pieceByteCount - 1) / LogEntry.pieceByteCount
    }

    init?(_ bytes: [UInt8]) {
        let words = bytes.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
        guard words.count == 5, let place = LogPlace(Array("\(words[0]) \(words[1])".utf8)),
            let count = Int(words[3]), let byteCount = Int(words[4]),
            (1...LogEntry.maximumByteCount).contains(byteCount)
        else { return nil }
        self.init(place: place, id: words[2], byteCount: byteCount)
        guard count == self.count else { return nil }
    }

    var bytes: [UInt8] { place.bytes + Array(" \(id) \(count) \(byteCount)".utf8) }
}

/// The entries behind a copy that did not fit what a gate had then.
///
/// Accepted: `9c0ffee1 17 23`. Rejected: `9c0ffee1`, `9c0ffee1 -1`.
struct LogMisfits: Equatable, Sendable {
    /// The copy's id.
    let base: String
    /// How many entries came before each.
    var positions: Set<Int64>

    init(base: String, positions: Set<Int64> = []) { (self.base, self.positions) = (base, positions) }

    init?(_ text: String) {
        let words = text.split(separator: " ")
        let positions = words.dropFirst().compactMap { Int64($0) }
        guard let base = words.first, !positions.isEmpty, positions.count == words.count - 1,
            positions.allSatisfy({ $0 >= 0 })
        else { return nil }
        self.init(base: String(base), positions: Set(positions))
    }

    var text: String { ([base] + positions.sorted().map { "\($0)" }).joined(separator: " ") }
}
