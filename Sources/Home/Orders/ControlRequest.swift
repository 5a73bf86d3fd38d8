import Identity
package import JSON

/// One request of the Hestia server's API.
package enum ControlRequest: Equatable, Sendable {
    /// `GET /devices/`
    case devices
    /// `GET /devices/ID`
    case device(String)
    /// `PUT /devices/ID` with `{"name"}`
    case rename(String, to: String)
    /// `DELETE /devices/ID`
    case remove(String)
    /// `POST /devices/` with `{"collection", "plugin_name", "required_info"}`
    case add(collection: String, plugin: String, info: [String: String])
    /// `GET /devices/ID/activators/ID`
    case activator(String, of: String)
    /// `POST /devices/ID/activators/ID` with `{"state"}`
    case set(String, of: String, to: JSONValue)
    /// `GET /plugins/`: the manufacturers
    case collections
    /// `GET /plugins/COLLECTION/`
    case plugins(collection: String)
    /// `GET /plugins/COLLECTION/plugins/PLUGIN`
    case plugin(String, collection: String)

    /// `GET`, `POST`, `PUT` or `DELETE`.
    package var method: String {
        switch self {
        case .devices, .device, .activator, .collections, .plugins, .plugin: "GET"
        case .add, .set: "POST"
        case .rename: "PUT"
        case .remove: "DELETE"
        }
    }

    /// The request target in origin form (RFC 9112 § 3.2.1).
    package var target: String {
        switch self {
        case .devices, .add: ControlRequest.path(["devices", ""])
        case .device(let id), .rename(let id, _), .remove(let id): ControlRequest.path(["devices", id])
        case .activator(let id, let device), .set(let id, let device, _):
            ControlRequest.path(["devices", device, "activators", id])
        case .collections: ControlRequest.path(["plugins", ""])
        case .plugins(let collection): ControlRequest.path(["plugins", collection, ""])
        case .plugin(let plugin, let collection):
            ControlRequest.path(["plugins", collection, "plugins", plugin])
        }
    }

    /// The body, JSON in UTF-8; nil: none.
    package var json: [UInt8]? {
        switch self {
        case .devices, .device, .remove, .activator, .collections, .plugins, .plugin: nil
        case .rename(_, let name): bytes(["name": .string(name)])
        case .add(let collection, let plugin, let info):
            bytes([
                "collection": .string(collection), "plugin_name": .string(plugin),
                "required_info": .object(info.mapValues(JSONValue.string)),
            ])
        case .set(_, _, let state): bytes(["state": state])
        }
    }

    private func bytes(_ members: [String: JSONValue]) -> [UInt8] {
        Array(JSONValue.object(members).text.utf8)
    }

    /// Ids come from the server or from the user. All characters that are not unreserved (RFC 3986 § 2.3) are
    /// percent-encoded: an id must not lead to another path. So are the dots of `.` and `..`, which some
    /// servers resolve.
    package static func path(_ segments: [String]) -> String {
        segments.map { segment in
            let isDots = segment == "." || segment == ".."
            return "/"
                + PercentCoding.encoded(segment) { byte in
                    switch byte {
                    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                    case UInt8(ascii: "."): !isDots
                    default: "-_~".utf8.contains(byte)
                    }
                }
        }.joined()
    }
}
