import Crypto
package import Identity
import JSON

/// A hub of a site, as each hub of it tells its devices: the answer to `GET /hubpair/v1/site`, for approved
/// devices.
///
///     {"hubs": [{"name": string, "pin": base64url of 32 bytes, "ways": [way, ...],
///                "key": base64url of 206 bytes}, ...]}
///
/// A device that is let in at one hub of a site is let in at all. It learns their pins from the one that it
/// has paired with, over a connection that this one's key protects: a further signature would say no more.
/// JSON of at most 65,536 bytes; what is no hub is left out, and so are all after the 64th, and
/// a `key` (``KeyStatement``) that does not hold or names another key.
///
/// Accepted: `{"hubs":[]}`, the above with a pin. Rejected: `{}`, `{"hubs":{}}`.
package struct SiteHub: Equatable, Sendable {
    /// The most that are told and read: a device keeps each in its keyfile.
    package static let maximumCount = 64
    package static let maximumByteCount = 65_536

    package let name: PeerName
    package let pin: Pin
    package var ways: [HubWay]
    /// By which the key before names this one. It proves itself, so who has pinned that one takes this one
    /// over, whoever tells of it.
    package let statement: KeyStatement?

    package init(name: PeerName, pin: Pin, ways: [HubWay], statement: KeyStatement? = nil) {
        (self.name, self.pin, self.ways, self.statement) = (name, pin, ways, statement)
    }

    private init?(_ value: JSONValue) {
        guard let members = value.asObject, let text = members["name"]?.asString,
            let name = try? PeerName(known: text),
            let bytes = members["pin"]?.asString.flatMap({ Base64URL.decode($0, count: 32) }),
            let pin = Pin(bytes: bytes)
        else { return nil }
        var ways: [HubWay] = []
        if case .array(let values)? = members["ways"] {
            ways = values.prefix(HubWay.maximumCount).compactMap { HubWay($0) }
        }
        let statement = members["key"]?.asString
            .flatMap { Base64URL.decode($0, count: KeyStatement.byteCount) }
            .flatMap { try? KeyStatement(verifying: $0) }
        self.init(
            name: name, pin: pin, ways: ways, statement: statement.flatMap { $0.new == pin ? $0 : nil })
    }

    /// The hubs of an answer.
    package static func list(parsing bytes: [UInt8]) throws(PairMessageError) -> [SiteHub] {
        let message = try PairMessage(parsing: bytes, maximum: maximumByteCount)
        guard let values = message.list("hubs") else { throw .malformed("hubs is missing") }
        return values.prefix(maximumCount).compactMap { SiteHub($0) }
    }

    /// The answer with as many of these hubs as have room.
    package static func answer(_ hubs: [SiteHub]) -> [UInt8] {
        var told = Array(hubs.prefix(maximumCount))
        while true {
            let bytes = PairMessage(["hubs": .array(told.map(\.json))]).serialized
            if bytes.count <= maximumByteCount || told.isEmpty { return bytes }
            told.removeLast()
        }
    }

    /// By which a device sees that an answer is not the one that it has had: 8 characters.
    package static func mark(of answer: [UInt8]) -> String {
        Base64URL.encode(Array(SHA256.hash(data: answer).prefix(6)))
    }

    package static func isMark(_ text: String) -> Bool { Base64URL.decode(text, count: 6) != nil }

    private var json: JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(name.description), "pin": .string(Base64URL.encode(pin.bytes)),
            "ways": .array(ways.map(\.json)),
        ]
        if let statement { members["key"] = .string(Base64URL.encode(statement.bytes)) }
        return .object(members)
    }
}
