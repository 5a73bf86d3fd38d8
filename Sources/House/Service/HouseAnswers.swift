import Dispatch
import GatewayRules
import HubService
import Identity
import JSON
import NIOHTTP1
import Pairing

/// Answers the gate: what devices ask, and what the gate itself has to know.
struct HouseAnswers: Sendable {
    let household: HubHousehold
    let gate: GateLink
    /// The household's folder.
    let state: HubState

    func answer(_ request: LocalRequest) async -> LocalAnswer {
        let headers = request.head.headers
        if let words = headers.first(name: HouseFields.standing),
            let standing = GateStanding(JSONValue(parsing: Array(words.utf8)))
        {
            gate.take(standing)
        }
        switch request.head.uri {
        case HouseFields.guestsPath: return await guests(request.body)
        case HouseFields.namePath: return name(request.body)
        case HouseFields.questionPath:
            // It reads files, and perhaps the whole database.
            let questions = HouseQuestions(state)
            if let files = household.files,
                case .left(let device, isTakenAway: true)? = HouseQuestion(JSONValue(parsing: request.body))
            {
                let bytes = await questions.answer(takingAwayOf: device, from: files)
                return .whole(.ok, HTTPHeaders(), bytes)
            }
            let bytes = await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    continuation.resume(returning: questions.answer(request.body))
                }
            }
            return .whole(.ok, HTTPHeaders(), bytes)
        case let target where JoinedKind(target: target) != nil:
            return await ThingAnswers(servers: household.servers).answer(request)
        default: break
        }
        guard let question = ResourceRequest(request) else { return .whole(.badRequest, HTTPHeaders(), []) }
        switch await household.resources.answer(question) {
        case .reply(let reply): return .whole(reply.status, reply.fields(), reply.body)
        case .events(let events):
            return .stream(HTTPHeaders([("Content-Type", "text/event-stream")])) { await events.next() }
        }
    }

    private func guests(_ body: [UInt8]) async -> LocalAnswer {
        guard let appliance = JSONValue(parsing: body)?.asObject?["appliance"]?.asString else {
            return .whole(.badRequest, HTTPHeaders(), [])
        }
        // The gate may have seen another file before the house has.
        await household.guests.filesChanged()
        let verdict =
            switch await household.guests.ask(about: appliance) {
            case .allowed: "allowed"
            case .guarded: "guarded"
            case .unknown: "unknown"
            }
        return HouseAnswers.json(["verdict": .string(verdict)])
    }

    private func name(_ body: [UInt8]) -> LocalAnswer {
        let members = JSONValue(parsing: body)?.asObject ?? [:]
        guard let appliance = members["appliance"]?.asString, let activator = members["activator"]?.asString
        else { return .whole(.badRequest, HTTPHeaders(), []) }
        let name = household.records.poller.name(of: appliance, activator)
        return HouseAnswers.json(name.map { ["name": .string($0)] } ?? [:])
    }

    private static func json(_ members: [String: JSONValue]) -> LocalAnswer {
        var bytes: [UInt8] = []
        JSONValue.object(members).write(to: &bytes)
        return .whole(.ok, HTTPHeaders(), bytes)
    }
}

extension ResourceRequest {
    /// A device's request, as the gate forwards it; nil if something is missing.
    fileprivate init?(_ request: LocalRequest) {
        let (head, headers) = (request.head, request.head.headers)
        guard let resource = HubResource(target: head.uri, method: head.method.rawValue),
            let pin = headers.first(name: HouseFields.pin).flatMap({ try? Pin(text: $0) }),
            let encoded = headers.first(name: DeviceFields.nameName),
            let name = try? PeerName(
                known: String(decoding: PercentCoding.decoded(Array(encoded.utf8)[...]), as: UTF8.self)),
            let role = headers.first(name: DeviceFields.roleName),
            let door = headers.first(name: HouseFields.door).flatMap(JournalEntry.Door.init(rawValue:))
        else { return nil }
        func tags(_ name: String) -> [String]? {
            headers.first(name: name)?.split(separator: ",").map { $0.drop { $0 == " " } }.map(String.init)
        }
        self.init(
            resource, method: head.method.rawValue,
            from: ApprovedDevice(name: name, pin: pin, status: .approved, role: role),
            lastEventID: headers.first(name: "Last-Event-ID"),
            precondition: Precondition(match: tags("If-Match"), noneMatch: tags("If-None-Match")),
            wantsNew: headers.contains(name: "Cache-Control"),
            patience: ResourceRequest.patience(headers["Prefer"].map { $0[...] }), through: door,
            body: request.body)
    }
}
