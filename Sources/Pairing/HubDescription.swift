/// What a hub says of itself to anybody: `GET /hubpair/v1/hub`, and in its reply to a device.
///
///     {"name": string, "id": fingerprint, "api": 1}
///
/// `api` is an integer from 1 on: the version of the exchange that the hub speaks. JSON as `IJSON` reads it; unknown
/// keys are ignored. Nothing of it is proven by itself.
///
/// Accepted: `{"name":"Kitchen","id":"K7QF-2M9D-X0TW-8RHC","api":1}`. Rejected: `"api": 0`, an `id` in lower case,
/// a name that `PeerName(known:)` refuses.
public struct HubDescription: Equatable, Sendable {
    /// The version of the exchange that this code speaks.
    public static let api = 1

    /// The hub's name.
    public let name: PeerName
    /// The fingerprint of the hub's key.
    public let id: Fingerprint
    /// The version of the exchange that the hub speaks, from 1 on.
    public let api: Int

    /// A description of these parts.
    public init(name: PeerName, id: Fingerprint, api: Int = HubDescription.api) {
        self.name = name
        self.id = id
        self.api = api
    }

    struct Object: Codable {
        let name: String
        let id: String
        let api: Int
    }

    /// Reads a body.
    public init(parsing bytes: [UInt8]) throws(PairMessageError) {
        self = try HubDescription(IJSON.decode(Object.self, from: bytes), prefix: "")
    }

    init(_ object: Object, prefix: String) throws(PairMessageError) {
        guard let id = Fingerprint(object.id) else { throw .malformed("\(prefix)id is no fingerprint") }
        guard object.api >= 1 else { throw .malformed("\(prefix)api is less than 1") }
        self.id = id
        api = object.api
        do {
            name = try PeerName(known: object.name)
        } catch {
            throw .name(error)
        }
    }

    var object: Object { Object(name: name.description, id: id.description, api: api) }

    /// The body: one JSON object in UTF-8.
    public var serialized: [UInt8] { IJSON.encode(object) }
}
