/// What the server wants to know before it can add a device of a kind.
///
///     {"collection": string, "plugin_name": string, "required_info": {field: explanation, …}}
///
/// `name` is always among the fields.
package struct PluginDescription: Equatable, Sendable, Decodable {
    /// The manufacturer, mostly.
    package let collection: String
    package let plugin: String
    /// Each field with the server's explanation of it.
    package let requiredInfo: [String: String]

    private enum CodingKeys: String, CodingKey {
        case collection
        case plugin = "plugin_name"
        case requiredInfo = "required_info"
    }

    /// The fields in the order in which a person is asked: the name first, then by the alphabet.
    package var fields: [(name: String, explanation: String)] {
        requiredInfo.sorted { ($0.key != "name", $0.key) < ($1.key != "name", $1.key) }.map {
            ($0.key, $0.value)
        }
    }
}

private func < (one: (Bool, String), other: (Bool, String)) -> Bool {
    one.0 == other.0 ? one.1 < other.1 : !one.0
}
