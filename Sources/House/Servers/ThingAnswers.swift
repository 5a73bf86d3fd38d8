import GatewayRules
import Home
import HubService
import Identity
import JSON
import NIOHTTP1

/// Answers for the things of joined servers in Hestia's words, so that whoever can use an appliance of a
/// Hestia server can use any: `GET /devices/ID`, `GET` and `POST /devices/ID/activators/ID`. The gate has
/// decided that the device which asks may do so.
struct ThingAnswers: Sendable {
    let servers: HouseServers

    func answer(_ request: LocalRequest) async -> LocalAnswer {
        let parts = request.head.uri.split(separator: "/", omittingEmptySubsequences: false).dropFirst(2)
            .map(String.init)
        do {
            guard let id = parts.first, PathID.isOne(id.utf8), let thing = servers.joinedThing(id) else {
                throw ServerError.noThing("device")
            }
            let device: ControlledDevice
            switch thing {
            case .device(let known): device = known
            case .absent: throw ServerError.noThing("device")
            case .unknown: throw ServerError.away("the server of this appliance does not answer")
            }
            switch (request.head.method, parts.count) {
            case (.GET, 1): return ThingAnswers.json(.ok, device.json)
            case (.GET, 3) where parts[1] == "activators":
                let house = servers.whole(as: nil)
                return ThingAnswers.json(.ok, try await house.activator(parts[2], of: id).json)
            case (.POST, 3) where parts[1] == "activators":
                guard let state = JSONValue(parsing: request.body)?.asObject?["state"] else {
                    throw ServerError.badState("state")
                }
                try await servers.whole(as: nil).set(parts[2], of: id, to: state)
                return .whole(.noContent, HTTPHeaders(), [])
            case (.PUT, 1), (.DELETE, 1):
                let title = JoinedKind(thing: id)?.title ?? ""
                throw ServerError.cannot("an appliance of \(title) is renamed and removed there")
            default: throw ServerError.noThing("activator")
            }
        } catch {
            let error = error as? ServerError ?? .away(message(of: error))
            return ThingAnswers.json(HTTPResponseStatus(statusCode: error.status), error.json)
        }
    }

    private static func json(_ status: HTTPResponseStatus, _ value: JSONValue) -> LocalAnswer {
        var bytes: [UInt8] = []
        value.write(to: &bytes)
        return .whole(status, HTTPHeaders([("Content-Type", "application/json")]), bytes)
    }
}

extension ServerError {
    fileprivate var status: Int {
        switch self {
        case .refused(let status, _, _, _), .gateway(let status, _, _), .status(let status, _): status
        case .unreadable: 502
        }
    }

    /// As the server, or the gateway, would have written it.
    fileprivate var json: JSONValue {
        switch self {
        case .refused(_, let exception, let details, let message):
            .object([
                "error": exception.map {
                    .object(["exception": .string($0), "details": .object(details)])
                } ?? .null, "message": .text(message),
            ])
        case .gateway(_, let word, let message):
            .object(["error": .string(word), "message": .string(message)])
        case .status, .unreadable: .object(["message": .string(description)])
        }
    }
}
