package import JSON

/// A hub's description of itself: the reply to `GET /hubpair/v1/hub`, for everyone, and a part of
/// ``PairReply``.
///
///     {"name": string, "id": fingerprint, "api": 1, "pin": base64url of 32 bytes,
///      "past": [base64url of 32 bytes, ...], "key": base64url of 206 bytes}
///     {"name": string, "id": fingerprint, "api": 1, "ways": [way, ...],
///      "site": 8 characters}                                ; to an approved device alone
///
/// `pin` stands only in the answer to `GET /hubpair/v1/hub`, for browsers; hubs before 0.2 have none. So do
/// `past`, the pins of the keys before it, the latest first, and `key`, the ``KeyStatement`` by which the
/// last of them names the key of today; a hub that never had another key has neither.
/// `site` is another whenever the answer to `GET /hubpair/v1/site` is; a hub that is alone has
/// none.
/// `api` is an integer, at least 1: the version of the exchange that the hub speaks. JSON with the limits of
/// I-JSON (RFC 7493): at most 4,096 bytes, no duplicate keys; unknown keys are ignored. The description
/// itself proves nothing.
///
/// Accepted: `{"name":"Kitchen","id":"K7QF-2M9D-X0TW-8RHC","api":1}`. Rejected: `"api": 0`, an `id` in lower
/// case, a name that `PeerName(known:)` refuses.
public struct HubDescription: Equatable, Sendable {
    /// The version of the exchange that this library speaks.
    public static let api = 1

    /// The hub's name.
    public let name: PeerName
    /// The fingerprint of the hub's key.
    public let id: Fingerprint
    /// The version of the exchange that the hub speaks, at least 1.
    public let api: Int

    /// The ways to the hub; nil if it has not told any: an older one does not, nor any to a stranger.
    public private(set) var ways: [HubWay]?

    /// The mark of the hubs of its site (``SiteHub/mark(of:)``); nil if it is alone.
    package private(set) var site: String?

    /// Creates a description from its parts.
    public init(name: PeerName, id: Fingerprint, api: Int = HubDescription.api) {
        self.name = name
        self.id = id
        self.api = api
    }

    /// Parses an HTTP body.
    public init(parsing bytes: [UInt8]) throws(PairMessageError) {
        self = try HubDescription(PairMessage(parsing: bytes), prefix: "")
    }

    init(_ message: PairMessage, prefix: String) throws(PairMessageError) {
        let (id, api, name) = (try message.text("id"), try message.integer("api"), try message.text("name"))
        guard let id = Fingerprint(id) else { throw .malformed("\(prefix)id is not a fingerprint") }
        guard api >= 1 else { throw .malformed("\(prefix)api is less than 1") }
        self.id = id
        self.api = api
        do {
            self.name = try PeerName(known: name)
        } catch {
            throw .name(error)
        }
        ways = message.list("ways").map { $0.prefix(HubWay.maximumCount).compactMap { HubWay($0) } }
        site = (try? message.optionalText("site")).flatMap(\.self).flatMap { SiteHub.isMark($0) ? $0 : nil }
    }

    /// The same with as many of these ways as have room in a message of the exchange, the first ones.
    ///
    /// - Parameter site: the mark of the hubs of its site.
    package func telling(_ ways: [HubWay], site: String? = nil) -> HubDescription {
        var description = self
        description.site = site
        description.ways = Array(ways.prefix(HubWay.maximumCount))
        while description.ways?.isEmpty == false,
            description.serialized.count > PairMessage.maximumByteCount
        {
            description.ways?.removeLast()
        }
        return description
    }

    var message: PairMessage {
        var members: [String: JSONValue] = [
            "name": .string(name.description), "id": .string(id.description), "api": .integer(Int64(api)),
        ]
        if let site { members["site"] = .string(site) }
        if let ways { members["ways"] = .array(ways.map(\.json)) }
        return PairMessage(members)
    }

    /// The HTTP body: one JSON object in UTF-8.
    public var serialized: [UInt8] { message.serialized }

    /// The same with the pin of the hub's key, for browsers, which do not see it, and with what leads to it
    /// from the keys before.
    package func serialized(pin: Pin, past: [Pin] = [], statement: KeyStatement? = nil) -> [UInt8] {
        var members = members(pin: pin, past: past)
        if let statement { members["key"] = .string(Base64URL.encode(statement.bytes)) }
        return PairMessage(members).serialized
    }

    /// The most keys of before that are told of.
    private static let maximumPast = 16

    package func members(pin: Pin, past: [Pin] = []) -> [String: JSONValue] {
        var members = message.value.asObject ?? [:]
        func text(_ pin: Pin) -> JSONValue { .string(Base64URL.encode(pin.bytes)) }
        members["pin"] = text(pin)
        if !past.isEmpty {
            members["past"] = .array(past.prefix(HubDescription.maximumPast).map(text))
        }
        return members
    }
}
