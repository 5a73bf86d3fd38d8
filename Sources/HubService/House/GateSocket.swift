import Dispatch
import GatewayRules
import Identity
import JSON
import NIOCore
import NIOHTTP1
import Pairing

/// The gate's socket for the house. Every request to it is one to the upstream, and waits for its turn there
/// as those of devices do, but for the paths of ``HouseFields``.
struct GateSocket: Sendable {
    let state: HubState
    let changes: Callback<Void>
    let calls: UpstreamCalls
    let news: GateNews
    let register: DeviceRegister
    let journal: JournalFiles
    /// The hub's own key: its doctor asks the house, too.
    let hub: Fingerprint

    func answer(_ request: LocalRequest) async -> LocalAnswer {
        switch request.head.uri {
        case HouseFields.standingPath: return .stream(HTTPHeaders(), news.lines())
        case HouseFields.journalPath: return await note(request.body)
        case HouseFields.authorsPath:
            var bytes: [UInt8] = []
            let authors = await journal.authors().mapValues(JSONValue.string)
            JSONValue.object([
                "authors": .object(authors), "began": .integer(journal.began.milliseconds),
            ]).write(to: &bytes)
            return .whole(.ok, HTTPHeaders(), bytes)
        case HouseFields.recordsPath: return await records(request.body)
        case HouseFields.changedPath:
            changes.tell()
            return .whole(.noContent, HTTPHeaders(), [])
        case let path where path.hasPrefix(HouseFields.filePath): return file(path)
        default: break
        }
        let headers = request.head.headers
        // Its target goes into the head of a request: nothing but a path may stand there.
        let isPath =
            request.head.uri.utf8.first == UInt8(ascii: "/")
            && request.head.uri.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        let methods = ["GET", "PUT", "POST", "DELETE"]
        guard isPath, methods.contains(request.head.method.rawValue) else {
            return .whole(.badRequest, HTTPHeaders(), [])
        }
        do throws(UpstreamCallError) {
            let reply = try await call(request.head, headers, request.body)
            return .whole(HTTPResponseStatus(statusCode: reply.status), HTTPHeaders(), reply.body)
        } catch {
            var bytes: [UInt8] = []
            error.json.write(to: &bytes)
            let fields = HTTPHeaders([(HouseFields.error, String(decoding: bytes, as: UTF8.self))])
            return .whole(.badGateway, fields, [])
        }
    }

    private func records(_ body: [UInt8]) async -> LocalAnswer {
        guard let question = SiteRecords.Question(body) else { return .whole(.badRequest, HTTPHeaders(), []) }
        // etcd may be slow to answer.
        let answer = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var answer = SiteRecords.Answer()
                do {
                    let register = try state.site.register(in: state.open())
                    if let register, let store = register.store as? EtcdStore {
                        answer = try store.answer(question, of: hub, at: register.settings.gate)
                    } else if question != .gate {
                        answer.fault = SiteError.notJoined.description
                    }
                } catch {
                    answer.fault = describing(error)
                }
                continuation.resume(returning: answer)
            }
        }
        return .whole(.ok, HTTPHeaders(), answer.json)
    }

    private func file(_ path: String) -> LocalAnswer {
        let name = path.dropFirst(HouseFields.filePath.count)
        guard let file = HubFile.told.first(where: { $0.name == name }) else {
            return .whole(.notFound, HTTPHeaders(), [])
        }
        // One with a fault is told as it is: it lets nobody in there either.
        do {
            // Most hubs have none of it, and then nobody has joined.
            guard let bytes = try state.open().read(file.name) ?? (file == .joined ? [] : nil) else {
                return .whole(.serviceUnavailable, HTTPHeaders(), [])
            }
            return .whole(.ok, HTTPHeaders(), bytes)
        } catch {
            return .whole(.serviceUnavailable, HTTPHeaders(), [])
        }
    }

    /// Who was let in is no matter of the house.
    private func note(_ lines: [UInt8]) async -> LocalAnswer {
        let notes = lines.split(separator: UInt8(ascii: "\n"))
            .compactMap { try? JSONReader.read(JournalEntry.self, from: Array($0)) }
            .filter { $0.fact.event.matter != .access }.map(Journal.Note.init)
        do {
            try await journal.write(notes)
            return .whole(.noContent, HTTPHeaders(), [])
        } catch {
            return .whole(.serviceUnavailable, HTTPHeaders(), Array(describing(error).utf8))
        }
    }

    private func call(
        _ head: HTTPRequestHead, _ headers: HTTPHeaders, _ body: [UInt8]
    ) async throws(UpstreamCallError) -> UpstreamReply {
        if headers.first(name: HouseFields.lane) == "poll" { return try await calls.poll(head.uri) }
        let sender = try sender(headers)
        let time = headers.first(name: HouseFields.time).flatMap { Int($0) }.map { Duration.milliseconds($0) }
        return try await calls.call(
            head.method.rawValue, head.uri, json: body.isEmpty ? nil : body,
            within: min(time ?? AnswerTimes.upstream, AnswerTimes.gateway), as: sender,
            accepts: headers.first(name: "Accept") == HouseFields.pictures
                ? HouseFields.pictures : UpstreamCall.json)
    }

    /// The device that asked the house for it, as the gate knows it; nil: the hub itself.
    private func sender(_ headers: HTTPHeaders) throws(UpstreamCallError) -> DeviceFields? {
        guard let text = headers.first(name: DeviceFields.fingerprintName) else { return nil }
        let fingerprint = Fingerprint(text)
        if fingerprint == hub { return nil }
        guard let device = (try? register.devices())?.first(where: { $0.fingerprint == fingerprint }) else {
            throw .relayed("the hub does not know the device that asks")
        }
        return DescribedDevice(device).fields
    }
}
