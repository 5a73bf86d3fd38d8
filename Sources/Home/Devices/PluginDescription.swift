package import JSON

/// What the server needs to know before it can add an appliance of one kind.
///
///     {"collection": string, "plugin_name": string, "required_info": {field: explanation, …}}
///
/// `name` is always among the fields.
package struct PluginDescription: Equatable, Sendable {
    /// Usually the manufacturer.
    package let collection: String
    package let plugin: String
    /// Each field with the server's explanation of it.
    package let requiredInfo: [String: String]

    /// The fields in the order in which the user is asked: the name first, then by the alphabet.
    package var fields: [(name: String, explanation: String)] {
        requiredInfo.sorted { ($0.key != "name", $0.key) < ($1.key != "name", $1.key) }.map {
            ($0.key, $0.value)
        }
    }
}

private func < (one: (Bool, String), other: (Bool, String)) -> Bool {
    one.0 == other.0 ? one.1 < other.1 : !one.0
}

extension PluginDescription: JSONReadable {
    package init(reading reader: inout JSONReader) throws(JSONFault) {
        var (collection, plugin): (String?, String?)
        var info: [String: String]?
        try reader.object { key, reader throws(JSONFault) in
            switch key {
            case "collection": collection = try reader.string()
            case "plugin_name": plugin = try reader.string()
            case "required_info":
                var fields: [String: String] = [:]
                try reader.object { field, reader throws(JSONFault) in
                    fields[try field.text] = try reader.string()
                }
                info = fields
            default: try reader.skip()
            }
        }
        self.collection = try collection.required("collection")
        self.plugin = try plugin.required("plugin_name")
        requiredInfo = try info.required("required_info")
    }

    /// The description in a server's answer; nil if it is not one.
    package init?(parsing bytes: [UInt8]) {
        guard let value = try? JSONReader.read(PluginDescription.self, from: bytes) else { return nil }
        self = value
    }
}
