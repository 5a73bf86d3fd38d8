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

    /// The HTTP request.
    package var request: HubRequest {
        switch self {
        case .devices: get(["devices", ""])
        case .device(let id): get(["devices", id])
        case .rename(let id, let name): send("PUT", ["devices", id], ["name": .string(name)])
        case .remove(let id): HubRequest(method: "DELETE", target: target(["devices", id]))
        case .add(let collection, let plugin, let info):
            send(
                "POST", ["devices", ""],
                [
                    "collection": .string(collection), "plugin_name": .string(plugin),
                    "required_info": .object(info.mapValues(JSONValue.string)),
                ])
        case .activator(let id, let device): get(["devices", device, "activators", id])
        case .set(let id, let device, let state):
            send("POST", ["devices", device, "activators", id], ["state": state])
        case .collections: get(["plugins", ""])
        case .plugins(let collection): get(["plugins", collection, ""])
        case .plugin(let plugin, let collection): get(["plugins", collection, "plugins", plugin])
        }
    }

    private func get(_ path: [String]) -> HubRequest { HubRequest(method: "GET", target: target(path)) }

    private func send(_ method: String, _ path: [String], _ body: [String: JSONValue]) -> HubRequest {
        HubRequest(
            method: method, target: target(path), headers: [("Content-Type", "application/json")],
            body: Array(JSONValue.object(body).text.utf8))
    }

    /// Ids come from the server or from the user. All characters that are not unreserved (RFC 3986 § 2.3) are
    /// percent-encoded: an id must not lead to another path. So are the dots of `.` and `..`, which some
    /// servers resolve.
    private func target(_ path: [String]) -> String {
        path.reduce(into: "") { target, segment in
            target += "/"
            let isDots = segment == "." || segment == ".."
            for byte in segment.utf8 {
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"),
                    UInt8(ascii: "~"):
                    target.unicodeScalars.append(Unicode.Scalar(byte))
                case UInt8(ascii: ".") where !isDots: target += "."
                default:
                    let digits = String(byte, radix: 16, uppercase: true)
                    target += "%" + (digits.utf8.count == 1 ? "0" : "") + digits
                }
            }
        }
    }
}
