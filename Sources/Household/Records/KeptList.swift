import Identity
import Pairing

/// The records of one kind in a file, by their ids.
package struct KeptList<Record: Kept>: Equatable, Sendable {
    /// In the file's order.
    package private(set) var all: [Record] = []

    package init() {}

    init(in file: KeyFile) throws(KeyFileError) {
        var titles: Set<String> = []
        let start = Record.group("")
        for group in file.groupNames where group.hasPrefix(start) {
            let record = try Record(id: String(group.dropFirst(start.count)), in: file)
            guard all.count < Record.maximumCount else {
                throw .invalidValue(
                    "more than \(Record.maximumCount) \(Record.kind.rawValue)s", key: Record.mainKey,
                    group: group)
            }
            guard record.title.map({ titles.insert($0.lowercased()).inserted }) ?? true else {
                throw .invalidValue(
                    "another \(Record.kind.rawValue) has this name", key: Record.mainKey, group: group)
            }
            all.append(record)
        }
    }

    /// The record with this id, to the byte: Swift's == takes the Kelvin sign for a K.
    package subscript(id: String) -> Record? { index(id).map { all[$0] } }

    private func index(_ id: String) -> Int? { all.firstIndex { $0.id.utf8.elementsEqual(id.utf8) } }

    /// Adds a record, or changes the one with its id.
    mutating func put(_ record: Record, in file: inout KeyFile) throws(HouseholdError) {
        try record.checkNew()
        if let (key, reason) = record.fault { throw .badBody("\(key): \(reason)") }
        let index = index(record.id)
        let title = record.title?.lowercased()
        for (place, other) in all.enumerated() where place != index && title != nil {
            guard other.title?.lowercased() != title else { throw .nameInUse(Record.kind, other.title ?? "") }
        }
        guard index != nil || all.count < Record.maximumCount else {
            throw .tooMany(Record.kind, limit: Record.maximumCount)
        }
        for (place, other) in all.enumerated() where place != index {
            guard let left = other.yielding(to: record) else { continue }
            all[place] = left
            left.write(to: &file, before: other)
        }
        record.write(to: &file, before: index.map { all[$0] })
        if let index { all[index] = record } else { all.append(record) }
    }

    mutating func remove(_ id: String, from file: inout KeyFile) throws(HouseholdError) {
        guard let index = index(id) else { throw .unknown(Record.kind, id) }
        file.removeGroup(all.remove(at: index).group)
    }
}

extension HouseholdFile {
    /// The keyfile in these bytes, with groups of these kinds alone.
    static func parse(
        _ bytes: [UInt8], groupsOf kind: HouseholdError.Kind, and others: HouseholdError.Kind...
    ) throws(KeyFileError) -> KeyFile {
        let file = try KeyFile(parsing: bytes)
        try file.checkFormat()
        let groups = file.groupNames.filter { name in
            others.contains { name.hasPrefix("\($0.rawValue) ") }
        }
        _ = try file.identifiers(of: kind.rawValue, besides: Set(groups))
        return file
    }

    /// The record with this id.
    package func record<Record: Kept>(_: Record.Type, _ id: String) -> Record? where Record.File == Self {
        self[keyPath: Record.list][id]
    }

    /// Adds a record, or changes the one with its id.
    package mutating func put<Record: Kept>(_ record: Record) throws(HouseholdError)
    where Record.File == Self {
        var list = self[keyPath: Record.list]
        try list.put(record, in: &file)
        self[keyPath: Record.list] = list
    }

    /// Removes the record with this id.
    package mutating func remove<Record: Kept>(_: Record.Type, _ id: String) throws(HouseholdError)
    where Record.File == Self {
        var list = self[keyPath: Record.list]
        try list.remove(id, from: &file)
        self[keyPath: Record.list] = list
    }
}
