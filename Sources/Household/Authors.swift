package import FoundationEssentials
package import Identity
package import JSON
import Pairing

/// Who made something that the household keeps, or changed it last, and when.
///
///     text = time SP fingerprint SP name        ; 2026-11-21T10:22:03Z K7QF-2M9D-X0TW-8RHC Anna's tablet
///     JSON = {"by": fingerprint, "name": string, "at": time}
///
/// The name is the one that the device had then: another one later does not change what was.
package struct AuthorMark: Equatable, Sendable {
    package let device: Fingerprint
    package let name: PeerName
    package let time: Date

    package init(device: Fingerprint, name: PeerName, time: Date) {
        (self.device, self.name, self.time) = (device, name, time)
    }

    init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count == 3, let time = Date(timestamp: String(words[0])),
            let device = Fingerprint(String(words[1])), let name = try? PeerName(known: String(words[2]))
        else { return nil }
        self.init(device: device, name: name, time: time)
    }

    var text: String { "\(time.timestamp) \(device) \(name)" }

    package var json: JSONValue {
        .object([
            "by": .string(device.description), "name": .string(name.description),
            "at": .string(time.timestamp),
        ])
    }

    /// Nil for what is no mark, as a newer hub may have it.
    package init?(_ json: JSONValue?) {
        guard let members = json?.asObject, let device = members["by"]?.asString.flatMap({ Fingerprint($0) }),
            let name = members["name"]?.asString.flatMap({ try? PeerName(known: $0) }),
            let time = members["at"]?.asString.flatMap({ Date(timestamp: $0) })
        else { return nil }
        self.init(device: device, name: name, time: time)
    }
}

/// The marks in one group; both are missing in files of version 0.1, and in what was written by hand.
package struct Authors: Equatable, Sendable {
    package let made: AuthorMark?
    package let changed: AuthorMark?

    /// Whose it is now.
    package var last: AuthorMark? { changed ?? made }

    package init(made: AuthorMark? = nil, changed: AuthorMark? = nil) {
        (self.made, self.changed) = (made, changed)
    }

    /// As an answer has them.
    package init(_ members: [String: JSONValue]) {
        (made, changed) = (AuthorMark(members["made"]), AuthorMark(members["changed"]))
    }

    /// As answers have them, beside what was made.
    package var members: [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        members["made"] = made?.json
        members["changed"] = changed?.json
        return members
    }
}

extension HouseholdFile {
    private static var madeKey: String { "made" }
    private static var changedKey: String { "changed" }

    /// Who made and changed a record.
    package func authors(of record: some Kept) -> Authors {
        let group = record.group
        return Authors(
            made: file.value(Self.madeKey, in: group).flatMap { AuthorMark($0) },
            changed: file.value(Self.changedKey, in: group).flatMap { AuthorMark($0) })
    }

    /// Writes down who has just written a record.
    package mutating func mark(_ record: some Kept, by author: AuthorMark, isNew: Bool) {
        file.set(isNew ? Self.madeKey : Self.changedKey, to: author.text, in: record.group)
    }

    func checkAuthors() throws(KeyFileError) {
        for group in file.groupNames {
            for key in [Self.madeKey, Self.changedKey] {
                guard let text = file.value(key, in: group), AuthorMark(text) == nil else { continue }
                throw .invalidValue("not a time, a fingerprint and a name", key: key, group: group)
            }
        }
    }
}
