import JSON

/// What a hub says of itself to anybody: `GET /hubpair/v1/hub`, and in its reply to a device.
///
///     {"name": string, "id": fingerprint, "api": 1}
///
/// `api` is an integer from 1 on: the version of the exchange that the hub speaks. JSON as `PairMessage`
/// reads it; unknown keys are ignored. Nothing of it is proven by itself.
///
/// Accepted: `{"name":"Kitchen","id":"K7QF-2M9D-X0TW-8RHC","api":1}`. Rejected: `"api": 0`, an `id` in lower
/// case, a name that `PeerName(known:)` refuses.
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

    /// Reads a body.
    public init(parsing bytes: [UInt8]) throws(PairMessageError) {
        self = try HubDescription(PairMessage(parsing: bytes), prefix: "")
    }

    init(_ message: PairMessage, prefix: String) throws(PairMessageError) {
        let (id, api, name) = (try message.text("id"), try message.integer("api"), try message.text("name"))
        guard let id = Fingerprint(id) else { throw .malformed("\(prefix)id is no fingerprint") }
        guard api >= 1 else { throw .malformed("\(prefix)api is less than 1") }
        self.id = id
        self.api = api
        do {
            self.name = try PeerName(known: name)
        } catch {
            throw .name(error)
        }
    }

    var message: PairMessage {
        PairMessage([
            "name": .string(name.description), "id": .string(id.description), "api": .integer(Int64(api)),
        ])
    }

    /// The body: one JSON object in UTF-8.
    public var serialized: [UInt8] { message.serialized }
}
