import GatewayRules
import Household
import HubService
import Identity
import JSON
import NIOHTTP1
import Pairing

/// `messages`, `messages/stream`, `messages/ID/read` and `messages/ID/acknowledge`, `messages/read` and
/// `messages/acknowledge`.
struct MessageResources: HubResources {
    let log: MessageLog
    let desk: AnswerDesk

    func answer(_ request: ResourceRequest) async -> ResourceAnswer {
        do throws(QueryItems.Fault) {
            switch request.resource.pattern {
            case .messageStream:
                let items = try QueryItems(request.resource.query, names: ["after"])
                let last = request.lastEventID ?? items.text("after")
                return .events(
                    EventStream(
                        log, after: try last.map(MessageResources.eventID), for: request.device, at: desk))
            case .messageRead: return try await markRead(request)
            case .messageAcknowledge: return try await acknowledge(request)
            case .messagesRead: return try await markManyRead(request)
            case .messagesAcknowledge: return try await acknowledgeMany(request)
            default: return try await list(request)
            }
        } catch {
            return .refused(.badRequest, "bad_request", error.message)
        }
    }

    /// Something that is no id of the hub's is the id of another hub's stream, which has no events here.
    private static func eventID(_ text: String) throws(QueryItems.Fault) -> EventID {
        EventID(text) ?? EventID(tag: "", number: 0)
    }

    private func list(_ request: ResourceRequest) async throws(QueryItems.Fault) -> ResourceAnswer {
        let items = try QueryItems(
            request.resource.query, names: ["after", "kind", "limit", "open", "rule", "unread"])
        var query = MessageStore.Query()
        query.after = try items.number("after", in: 0...Int64.max) ?? 0
        query.limit = try items.number("limit", in: 1...MessageStore.pageCount) ?? query.limit
        query.isOpen = try items.number("open", in: 0...1) == 1
        query.isUnread = try items.number("unread", in: 0...1) == 1
        query.rule = items.text("rule")
        if let word = items.text("kind") {
            guard let kind = MessageKind(rawValue: word) else {
                return .refused(
                    .badRequest, "bad_request",
                    "'kind' in the query is one of: alarm, alert, notification")
            }
            query.kind = kind
        }
        do throws(DatabaseError) {
            return .json(.object(try await log.store.list(query, for: device(of: request))))
        } catch {
            return .databaseFault
        }
    }

    private func markRead(_ request: ResourceRequest) async throws(QueryItems.Fault) -> ResourceAnswer {
        let items = try QueryItems(request.resource.query, names: ["all"])
        let all = try items.number("all", in: 0...1) == 1
        guard let id = id(in: request) else { return .noMessage }
        do throws(DatabaseError) {
            return try await log.store.markRead(id, all: all, by: device(of: request)) ? .done : .noMessage
        } catch {
            return .databaseFault
        }
    }

    private func acknowledge(_ request: ResourceRequest) async throws(QueryItems.Fault) -> ResourceAnswer {
        _ = try QueryItems(request.resource.query, names: [])
        guard let id = id(in: request) else { return .noMessage }
        do throws(DatabaseError) {
            let message = try await log.acknowledge(
                id, by: device(of: request), name: request.device.name.description)
            guard let message else { return .noMessage }
            guard message.kind == .alarm else {
                return .refused(.conflict, "conflict", "only an alarm can be acknowledged")
            }
            return .json(message.json())
        } catch {
            return .databaseFault
        }
    }

    private func markManyRead(_ request: ResourceRequest) async throws(QueryItems.Fault) -> ResourceAnswer {
        let selection = try selection(in: request)
        do throws(DatabaseError) {
            let (count, hasMore) = try await log.store.markRead(selection, by: device(of: request))
            return .object(["read": .integer(count), "more": .boolean(hasMore)])
        } catch {
            return .databaseFault
        }
    }

    private func acknowledgeMany(
        _ request: ResourceRequest
    ) async throws(QueryItems.Fault) -> ResourceAnswer {
        let selection = try selection(in: request)
        do throws(DatabaseError) {
            let count = try await log.acknowledge(
                selection, by: device(of: request), name: request.device.name.description)
            return .object(["acknowledged": .count(count)])
        } catch {
            return .databaseFault
        }
    }

    private func selection(in request: ResourceRequest) throws(QueryItems.Fault) -> MessageSelection {
        _ = try QueryItems(request.resource.query, names: [])
        do {
            return try MessageSelection(body: request.body)
        } catch {
            throw QueryItems.Fault(message: error.description)
        }
    }

    private func device(of request: ResourceRequest) -> String { request.device.fingerprint.description }

    private func id(in request: ResourceRequest) -> Int64? {
        guard let digits = request.resource.segments.first, digits.utf8.count <= 18 else { return nil }
        return Int(digits: digits).map(Int64.init)
    }
}

extension ResourceAnswer {
    fileprivate static var noMessage: ResourceAnswer {
        .refused(.notFound, "not_found", "there is no message with this id")
    }
}
