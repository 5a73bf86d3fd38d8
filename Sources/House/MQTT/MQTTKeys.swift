import Identity
import JSON

/// The members of a discovery message, by their whole names: senders may abbreviate them, and write `~` for a
/// topic that many have in common.
struct MQTTKeys {
    private let members: [String: JSONValue]

    init(_ members: [String: JSONValue]) {
        var all: [String: JSONValue] = [:]
        // A whole name goes before its abbreviation.
        for (key, value) in members { if let whole = MQTTKeys.whole[key] { all[whole] = value } }
        for (key, value) in members where MQTTKeys.whole[key] == nil { all[key] = value }
        self.members = all
    }

    subscript(_ key: String) -> JSONValue? { members[key] }

    func text(_ key: String) -> String? {
        members[key].flatMap { value in value == .null ? nil : MQTTTemplate.text(value) }
    }

    func number(_ key: String) -> Double? {
        switch members[key] {
        case .string(let text)?: JSONValue(parsing: Array(text.utf8))?.asDouble
        case let value?: value.asDouble
        case nil: nil
        }
    }

    func words(_ key: String) -> [String] {
        guard case .array(let values)? = members[key] else { return [] }
        return values.prefix(32).compactMap(\.asString)
    }

    /// A topic that may be subscribed to, or written to; nil if there is none.
    func topic(_ key: String) throws(MQTTRefusal) -> String? {
        guard let text = text(key) else { return nil }
        let base = self.text("~") ?? ""
        let topic =
            text.hasPrefix("~")
            ? base + text.dropFirst() : text.hasSuffix("~") ? text.dropLast() + base : text
        guard MQTTKeys.isTopic(topic) else { throw .topic(key) }
        return topic
    }

    /// No pattern, nothing of the broker's own, and no discovery: an order must not make other things.
    static func isTopic(_ topic: String) -> Bool {
        (1...MQTTModel.maximumTopicByteCount).contains(topic.utf8.count) && !topic.hasPrefix("$")
            && !topic.hasPrefix(MQTTModel.prefix)
            && !topic.utf8.contains { $0 == 0x2B || $0 == 0x23 || $0 < 0x20 || $0 == 0x7F }
    }

    private static let whole = [
        "avty": "availability", "avty_mode": "availability_mode", "avty_t": "availability_topic",
        "avty_tpl": "availability_template", "bri_cmd_t": "brightness_command_topic",
        "bri_cmd_tpl": "brightness_command_template", "bri_scl": "brightness_scale",
        "bri_stat_t": "brightness_state_topic", "bri_val_tpl": "brightness_value_template",
        "cmd_t": "command_topic", "cmd_tpl": "command_template", "cod_form": "code_format",
        "curr_temp_t": "current_temperature_topic", "curr_temp_tpl": "current_temperature_template",
        "dev": "device", "dev_cla": "device_class", "en": "enabled_by_default", "ent_cat": "entity_category",
        "mode_cmd_t": "mode_command_topic", "mode_cmd_tpl": "mode_command_template",
        "mode_stat_t": "mode_state_topic", "mode_stat_tpl": "mode_state_template",
        "on_cmd_type": "on_command_type", "pl_avail": "payload_available", "pl_cls": "payload_close",
        "pl_lock": "payload_lock", "pl_not_avail": "payload_not_available", "pl_off": "payload_off",
        "pl_on": "payload_on", "pl_open": "payload_open", "pl_unlk": "payload_unlock",
        "pos_clsd": "position_closed", "pos_open": "position_open", "pos_t": "position_topic",
        "pos_tpl": "position_template", "sa": "suggested_area", "set_pos_t": "set_position_topic",
        "set_pos_tpl": "set_position_template", "stat_clsd": "state_closed", "stat_closing": "state_closing",
        "stat_locked": "state_locked", "stat_off": "state_off", "stat_on": "state_on",
        "stat_open": "state_open", "stat_opening": "state_opening", "stat_t": "state_topic",
        "stat_unlocked": "state_unlocked", "stat_val_tpl": "state_value_template",
        "sup_clrm": "supported_color_modes", "t": "topic", "temp_cmd_t": "temperature_command_topic",
        "temp_cmd_tpl": "temperature_command_template", "temp_stat_t": "temperature_state_topic",
        "temp_stat_tpl": "temperature_state_template", "temp_unit": "temperature_unit",
        "unit_of_meas": "unit_of_measurement", "val_tpl": "value_template",
    ]
}

/// Why an announced thing does not come into the house. Never reaches a user: the log has its words.
enum MQTTRefusal: Error, Equatable {
    case noJSON
    case topic(String)
    case template(String)
    /// It tells no state, so no order could be confirmed.
    case noState
    /// It wants something that the house cannot give.
    case wants(String)

    var words: String {
        switch self {
        case .noJSON: "what announces it is no JSON object"
        case .topic(let key): "its \(key) is no topic"
        case .template(let key): "its \(key) is of a form that is not read"
        case .noState: "it has no topic that tells its state"
        case .wants(let key): "it has a \(key)"
        }
    }
}
