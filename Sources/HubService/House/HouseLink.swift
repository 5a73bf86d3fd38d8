import GatewayRules
import Identity
import JSON
import NIOCore
import NIOHTTP1
import Pairing
import Synchronization

/// The way to the house: forwards what devices ask of it, with what the gate has found out about them, and
/// asks it what the gate itself must know. While it is away everything else goes on.
final class HouseLink: HubResources {
    /// The house may wait for the upstream as long as the gateway does, and scenes take 30 s.
    private static let time = Duration.seconds(60)
    /// Whoever waits for a name, or a guest's order, does not wait for a house that hangs.
    private static let shortTime = Duration.seconds(20)
    private static let nameTime = Duration.seconds(1)
    /// How long requests wait for a house that starts together with the gate.
    private static let startTime = Duration.seconds(20)
    private static let maximumByteCount = AnswerBudget.maximumByteCount

    private let client: LocalClient
    private let news: GateNews
    private let log: ServeLog
    private let isAway = Mutex(false)
    private let isEnding = Mutex(false)
    private let streams = Mutex<[ObjectIdentifier: LocalReply]>([:])

    /// Until when a house that has not come yet is waited for.
    private let start: ContinuousClock.Instant

    /// - Parameter isStarting: the gate has just started the house.
    init(_ client: LocalClient, _ news: GateNews, isStarting: Bool, log: ServeLog) {
        (self.client, self.news, self.log) = (client, news, log)
        start = isStarting ? .now + HouseLink.startTime : .now
    }

    /// False while it does not answer, as far as is known.
    var isReachable: Bool { !isAway.withLock { $0 } }

    /// Returns once the house has come for the first time, or is late.
    private func whenThere() async {
        while !news.wasFollowed, !isEnding.withLock({ $0 }), .now < start {
            guard (try? await Task.sleep(for: .milliseconds(10))) != nil else { return }
        }
    }

    func answer(_ request: ResourceRequest) async -> ResourceAnswer {
        let method = request.method == "HEAD" ? "GET" : request.method
        await whenThere()
        do {
            let reply = try await client.open(
                HTTPMethod(rawValue: method), request.resource.target, fields(of: request),
                body: request.body, within: HouseLink.time)
            note(nil)
            if reply.head.headers.first(name: "Content-Type") == "text/event-stream" {
                return .events(HouseEvents(reply, in: self))
            }
            return .reply(
                ServeReply(reply.head, body: try await reply.whole(maximum: HouseLink.maximumByteCount)))
        } catch {
            note(error)
            return .reply(.houseAway)
        }
    }

    /// What the house answers to a request for a thing of a joined server. The gate has decided that it may
    /// be sent.
    func answer(_ method: String, _ target: String, _ body: [UInt8]) async -> ServeReply {
        await whenThere()
        do {
            let reply = try await client.open(
                HTTPMethod(rawValue: method == "HEAD" ? "GET" : method), target, body: body,
                within: HouseLink.time)
            note(nil)
            return ServeReply(reply.head, body: try await reply.whole(maximum: HouseLink.maximumByteCount))
        } catch {
            note(error)
            return .houseAway
        }
    }

    private func fields(of request: ResourceRequest) -> HTTPHeaders {
        let device = DescribedDevice(request.device).fields
        var fields = HTTPHeaders([
            (HouseFields.pin, request.device.pin.text),
            (DeviceFields.fingerprintName, device.fingerprint), (DeviceFields.nameName, device.encodedName),
            (DeviceFields.roleName, device.role.rawValue), (HouseFields.door, request.door.rawValue),
            (HouseFields.standing, String(decoding: news.standing.json, as: UTF8.self)),
        ])
        if let last = request.lastEventID { fields.add(name: "Last-Event-ID", value: last) }
        for (name, tags) in request.precondition.fields { fields.add(name: name, value: tags) }
        if request.wantsNew { fields.add(name: "Cache-Control", value: "max-age=0") }
        if let patience = request.patience {
            fields.add(name: "Prefer", value: "wait=\(patience.components.seconds)")
        }
        return fields
    }

    /// Whether guests may set the appliance; a house that is away cannot say, and they may not.
    func verdict(on appliance: String) async -> GuestVerdict {
        let members = await ask(
            HouseFields.guestsPath, ["appliance": .string(appliance)], within: HouseLink.shortTime)
        return switch members?["verdict"]?.asString {
        case "allowed": .allowed
        case "guarded": .guarded
        default: .unknown
        }
    }

    /// What people call an activator; nil if the house does not know, or is away.
    func name(of appliance: String, _ activator: String) async -> String? {
        await ask(
            HouseFields.namePath, ["appliance": .string(appliance), "activator": .string(activator)],
            within: HouseLink.nameTime)?["name"]?.asString
    }

    private func ask(
        _ path: String, _ question: [String: JSONValue], within time: Duration
    ) async -> [String: JSONValue]? {
        var bytes: [UInt8] = []
        JSONValue.object(question).write(to: &bytes)
        let fields = HTTPHeaders([
            (HouseFields.standing, String(decoding: news.standing.json, as: UTF8.self))
        ])
        if path == HouseFields.guestsPath { await whenThere() }
        do {
            let reply = try await client.open(.POST, path, fields, body: bytes, within: time)
            note(nil)
            return JSONValue(parsing: try await reply.whole(maximum: 65_536))?.asObject
        } catch {
            note(error)
            return nil
        }
    }

    /// Tells the log once that it is away, and once that it is back.
    private func note(_ error: (any Error)?) {
        let isAway = error != nil
        let hasChanged = self.isAway.withLock { known in
            defer { known = isAway }
            return known != isAway
        }
        guard hasChanged, !isEnding.withLock({ $0 }) else { return }
        if isAway {
            log.warning(.house, "the household does not answer: \(HouseLink.words(error))")
        } else {
            log.notice("the household answers again")
        }
    }

    private static func words(_ error: (any Error)?) -> String {
        switch error {
        case let error as ChannelError where error == .eof: "it closed the connection"
        case let error?: UpstreamLink.words(for: error)
        case nil: ""
        }
    }

    // MARK: Streams

    fileprivate func add(_ reply: LocalReply) { streams.withLock { $0[ObjectIdentifier(reply)] = reply } }
    fileprivate func remove(_ reply: LocalReply) {
        streams.withLock { $0[ObjectIdentifier(reply)] = nil }
    }

    /// Ends all streams; their clients come back when the hub serves again.
    func endStreams() {
        isEnding.withLock { $0 = true }
        for reply in streams.withLock({ Array($0.values) }) { reply.close() }
    }
}

/// A stream of the house's. A piece that is passed on has whole events.
private final class HouseEvents: HubEvents {
    /// An event of the house has a fraction of this.
    private static let maximumByteCount = 8 << 20

    private let reply: LocalReply
    private let link: HouseLink
    private let rest = Mutex<[UInt8]>([])

    init(_ reply: LocalReply, in link: HouseLink) {
        (self.reply, self.link) = (reply, link)
        link.add(reply)
    }

    deinit { link.remove(reply) }

    func next() async -> [UInt8]? {
        var bytes = rest.withLock { $0 }
        while let piece = try? await reply.next() {
            bytes += piece
            guard bytes.count <= HouseEvents.maximumByteCount else { return nil }
            guard let end = HouseEvents.end(of: bytes) else { continue }
            let left = Array(bytes[end...])
            rest.withLock { $0 = left }
            return Array(bytes[..<end])
        }
        return nil
    }

    /// Behind the last whole event; nil if there is none.
    private static func end(of bytes: [UInt8]) -> Int? {
        let newline = UInt8(ascii: "\n")
        var index = bytes.count
        while index >= 2 {
            if bytes[index - 1] == newline, bytes[index - 2] == newline { return index }
            index -= 1
        }
        return nil
    }
}

extension HubResource {
    /// The target that leads to it.
    var target: String {
        var values = segments[...]
        let path = pattern.rawValue.split(separator: "/").map { part in
            guard part == "*", let value = values.popFirst() else { return String(part) }
            return PercentCoding.encoded(value) { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "-._~!$&'()*+,;=:@".utf8.contains(byte)
                }
            }
        }
        return HubResource.root + path.joined(separator: "/") + (query.isEmpty ? "" : "?" + query)
    }
}
