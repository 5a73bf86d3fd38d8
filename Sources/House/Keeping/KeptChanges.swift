import Household
import JSON
import Pairing

/// A number for each of the files that clients show, which changes whenever the file does: a client that
/// finds another number than before reads that part again. A pure value.
struct KeptChanges: Sendable {
    enum Part: String, CaseIterable, Sendable {
        case devices, rooms, rules, scenes

        /// Nil for the gate's file, of which the gate tells.
        var fileName: String? {
            switch self {
            case .devices: nil
            case .rooms: Rooms.fileName
            case .rules: Rules.fileName
            case .scenes: HubScenes.fileName
            }
        }

        /// True for what only owners may read.
        var isForOwners: Bool {
            switch self {
            case .devices, .rules: true
            case .rooms, .scenes: false
            }
        }
    }

    private var stamps: [Part: FileStamp] = [:]
    private var numbers: [Part: Int64]

    /// - Parameters:
    ///   - stamps: the files as they are; a part without a file is missing.
    ///   - number: the first one. After a restart of the hub it is another, since nobody knows what happened.
    init(_ stamps: [Part: FileStamp], from number: Int64) {
        self.stamps = stamps
        numbers = Dictionary(uniqueKeysWithValues: Part.allCases.map { ($0, number) })
    }

    /// - Returns: false if all files are as they were.
    mutating func take(_ now: [Part: FileStamp]) -> Bool {
        let changed = Part.allCases.filter { now[$0] != stamps[$0] }
        for part in changed { numbers[part, default: 0] += 1 }
        stamps = now
        return !changed.isEmpty
    }

    mutating func note(_ part: Part) { numbers[part, default: 0] += 1 }

    func json(forOwner isOwner: Bool) -> JSONValue {
        let shown = numbers.filter { isOwner || !$0.key.isForOwners }
        return .object(
            Dictionary(uniqueKeysWithValues: shown.map { ($0.key.rawValue, .integer($0.value)) }))
    }
}
