package import Home
import Identity
import JSON

/// The appliances of a hub whose server cannot list them because one is dead.
package struct LivingAppliances: Sendable {
    package let devices: [ControlledDevice]
    /// The ids of those that the server does not get an answer from.
    package let dead: [String]
}

extension HubHome {
    /// The most appliances that are asked for by themselves.
    private static let maximumAsked = 1_000

    /// Every appliance that answers, asked for one by one; the hub's last known states name them.
    ///
    /// - Parameter error: why the list failed, thrown if nothing more is known: at a stock hub, or if nobody
    ///   answers.
    package func living(insteadOf error: ServerError) async throws -> LivingAppliances {
        guard let ids = try? await known(), !ids.isEmpty else { throw error }
        var found: [String: ControlledDevice] = [:]
        var dead: Set<String> = []
        try await withThrowingTaskGroup(of: (String, ControlledDevice?).self) { group in
            var next = 0
            func ask() {
                guard next < ids.count else { return }
                let id = ids[next]
                next += 1
                group.addTask {
                    do {
                        return (id, try await self.device(id))
                    } catch let error as ServerError where error.isFailureOfServer {
                        return (id, nil)
                    } catch let error as ServerError where error.kind == .notFound {
                        // It was removed since its state was seen.
                        return ("", nil)
                    }
                }
            }
            for _ in 0..<HubHome.maximumConnections { ask() }
            while let (id, device) = try await group.next() {
                if let device { found[id] = device } else if !id.isEmpty { dead.insert(id) }
                ask()
            }
        }
        guard !found.isEmpty else { throw error }
        return LivingAppliances(devices: ids.compactMap { found[$0] }, dead: ids.filter(dead.contains))
    }

    /// The ids in the hub's last known states, each once.
    private func known() async throws -> [String] {
        let body = try await answer(to: HubRequest(method: "GET", target: "/hubpair/v1/states"))
        guard case .object(let members) = JSONValue(parsing: body),
            case .array(let states) = members["states"]
        else { return [] }
        var seen: Set<String> = []
        return Array(
            states.compactMap { $0.asObject?["device"]?.asString }.filter { seen.insert($0).inserted }
                .prefix(HubHome.maximumAsked))
    }
}
