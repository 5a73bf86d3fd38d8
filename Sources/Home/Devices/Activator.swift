package import JSON

/// One thing that can be set on an appliance: its lamp, its dimmer, its bolt.
///
///     {"activatorId": string, "rank": integer, "name": string, "type": "bool" / "float" / string,
///      "state": value}
///
/// The one of rank 0 is the main one. `state` of a `bool` is a JSON boolean, of a `float` a number from 0 to
/// 1. Other types and further fields are kept as they came.
///
/// Accepted: `{"activatorId":"6b","rank":0,"name":"On/Off","type":"bool","state":true}`.
/// Rejected: no `activatorId`.
package struct Activator: Equatable, Sendable {
    /// What kind of state it has.
    package enum Kind: Equatable, Sendable {
        /// On or off.
        case bool
        /// From 0 to 1.
        case float
        /// A kind that only a newer version knows; the server's word.
        case other(String)

        package init(_ word: String) {
            switch word {
            case "bool": self = .bool
            case "float": self = .float
            default: self = .other(word)
            }
        }

        /// The server's word for it.
        package var word: String {
            switch self {
            case .bool: "bool"
            case .float: "float"
            case .other(let word): word
            }
        }
    }

    /// The server's name for it, unique on the device.
    package let id: String
    /// Its place among the appliance's activators; 0 is the main one.
    package let rank: Int
    package let name: String
    package let kind: Kind
    /// As the server gave it.
    package let state: JSONValue
    /// Fields that this version does not know.
    package let extra: [String: JSONValue]

    package init(
        id: String, rank: Int, name: String, kind: Kind, state: JSONValue, extra: [String: JSONValue]
    ) {
        (self.id, self.rank, self.name, self.kind) = (id, rank, name, kind)
        (self.state, self.extra) = (state, extra)
    }

    /// The state in a word: `on`, `off`, `40%`, else the JSON.
    package var stateText: String {
        switch (kind, state) {
        case (.bool, .boolean(let isOn)): isOn ? "on" : "off"
        case (.float, _):
            if let level = state.asDouble, (0...1).contains(level) { percentage(level) } else { state.text }
        default: state.text
        }
    }
}

/// A level from 0 to 1 as a percentage: at most one digit after the point.
func percentage(_ level: Double) -> String {
    let tenths = Int((level * 1000).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)%" : "\(tenths / 10).\(tenths % 10)%"
}

extension Activator: JSONReadable {
    package init(reading reader: inout JSONReader) throws(JSONFault) {
        var (id, name, type): (String?, String?, String?)
        var rank: Int?
        var state: JSONValue?
        var extra: [String: JSONValue] = [:]
        try reader.object { key, reader throws(JSONFault) in
            switch key {
            case "activatorId": id = try reader.string()
            case "rank": rank = try Int(reading: &reader)
            case "name": name = try reader.string()
            case "type": type = try reader.string()
            case "state": state = try JSONValue(reading: &reader)
            default: extra[try key.text] = try JSONValue(reading: &reader)
            }
        }
        self.id = try id.required("activatorId")
        self.rank = try rank.required("rank")
        self.name = try name.required("name")
        kind = Kind(try type.required("type"))
        self.state = try state.required("state")
        self.extra = extra
    }
}

extension Activator: JSONWritable {
    /// ``json``, without building it.
    package func write(to bytes: inout [UInt8]) {
        guard extra.isEmpty else { return json.write(to: &bytes) }
        JSONMembers.write(to: &bytes) { members in
            members.add("activatorId", id)
            members.add("name", name)
            members.add("rank", .integer(Int64(rank)))
            members.add("state", state)
            members.add("type", kind.word)
        }
    }

    /// As the server writes it, extra fields and all.
    package var json: JSONValue {
        .object(
            extra.merging([
                "activatorId": .string(id), "rank": .integer(Int64(rank)), "name": .string(name),
                "type": .string(kind.word), "state": state,
            ]) { _, new in new })
    }
}
