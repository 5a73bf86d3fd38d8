import Home
import HubClient
import Identity
import Pairing

/// Finds out which of several hubs has an appliance. One name in two of them is asked for, and never guessed.
struct HubsHolding {
    let appliance: String
    let sessions: [HomeSession]

    func find() async throws -> HomeSession {
        var holding: [HomeSession] = []
        var failure: (any Error)?
        var miss: SelectionError?
        for session in sessions {
            do {
                _ = try Selection(appliance).device(in: await session.devices())
                holding.append(session)
            } catch SelectionError.ambiguous {
                // It is there more than once, which that hub's error will say.
                holding.append(session)
            } catch let error as SelectionError {
                miss = miss ?? error
            } catch {
                failure = failure ?? HubFailure.named(error, hub: session.hub.name)
                Console.note("warning: \(session.hub.name) was not asked: \(error)")
            }
        }
        if holding.count == 1 { return holding[0] }
        guard !holding.isEmpty else { throw failure ?? miss ?? HubChoiceError.noHub }
        let names = holding.map(\.hub.name.description)
        guard Question.canBeAnswered else {
            throw UsageMistake(
                "\(quoted(appliance)) is on \(holding.count) hubs: \(listed(names, most: 8))",
                hint: "say which one: --hub \(shellQuoted(names[0]))")
        }
        return try Question.choose(
            "\(quoted(appliance)) of which hub?", among: holding, kind: "hub", titles: names
        ) { answer in
            guard
                let session = holding.first(where: { PeerSelector.rank(answer, of: "\($0.hub.name)") != nil })
            else { throw UsageMistake("no such hub", hint: "give its number, or its name") }
            return session
        }
    }
}
