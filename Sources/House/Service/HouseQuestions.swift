import Household
package import HubService
import Identity
import JSON
import Pairing

/// Answers what the hub's own side has to know of the household's files, also while no house runs: what the
/// doctor looks at, and what a revoked device leaves behind.
package struct HouseQuestions: Sendable {
    private let state: HubState

    /// - Parameter state: the household's folder.
    package init(_ state: HubState) { self.state = state }

    /// - Parameter question: an object of JSON, as ``HouseQuestion`` writes it.
    package func answer(_ question: [UInt8]) -> [UInt8] {
        var members: [String: JSONValue]
        do {
            members = try answer(HouseQuestion(JSONValue(parsing: question)))
        } catch {
            members = HouseFault(error).members
        }
        return HouseQuestions.bytes(members)
    }

    /// What a revoked device leaves behind is taken away at all gates that share the house.
    func answer(takingAwayOf device: Fingerprint, from files: FileTable) async -> [UInt8] {
        do {
            let things = try await LeftRecords(of: device, in: state).takeAway(from: files)
            return HouseQuestions.bytes(["things": .array(things.map(\.json))])
        } catch {
            return HouseQuestions.bytes(HouseFault(error).members)
        }
    }

    static func bytes(_ members: [String: JSONValue]) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONValue.object(members).write(to: &bytes)
        return bytes
    }

    private func answer(_ question: HouseQuestion?) throws -> [String: JSONValue] {
        switch question {
        case .messages: return ["messages": try ReviewMessages(state).run()?.json].compactMapValues(\.self)
        case .files: return try files().members
        case .push: return ["devices": try PushReview(state).devices()]
        case .left(let device, let isTakenAway):
            let records = LeftRecords(of: device, in: state)
            let left = try isTakenAway ? records.takeAway() : records.things()
            return ["things": .array(left.map(\.json))]
        case nil: return HouseFault(words: "the household does not know this question", hint: nil).members
        }
    }

    private func files() throws -> HouseFiles {
        var files = HouseFiles()
        let directory = try state.open()
        for file in HubFile.allCases where file.isHouseholds {
            do {
                files.contents[file.name] = try directory.read(file.name) { bytes throws(KeyFileError) in
                    try file.check(bytes)
                    return bytes
                }
            } catch {
                files.faults[file.name] = HouseFault(error)
            }
        }
        files.lost = try LostFile.all(in: directory).map {
            HouseFault(words: $0.file.description(in: state.path), hint: $0.hint)
        }
        return files
    }
}
