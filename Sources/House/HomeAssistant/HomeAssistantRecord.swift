import JSON

/// An object of Home Assistant's, whichever it is: the state of an entity, an entry of one of its three
/// registries, or its configuration. Each has some of the fields.
struct HomeAssistantRecord: JSONReadable, Equatable, Sendable {
    /// What an entity's state has beside its word.
    struct Attributes: Equatable, Sendable {
        var name: String?
        var deviceClass: String?
        var unit: String?
        var colourModes: [String] = []
        /// 0 to 255.
        var brightness: Double?
        /// 0 to 360, and 0 to 100.
        var hueAndSaturation: [Double] = []
        /// In percent.
        var position: Double?
        /// In percent, of a fan.
        var speed: Double?
        var temperature: Double?
        var lowest: Double?
        var highest: Double?
        var currentTemperature: Double?
        /// Of a number: between what it may be set.
        var least: Double?
        var most: Double?
        /// False for a heating that is not put on and off.
        var hasModes = true
        /// Bits, which each domain has its own of.
        var features = 0
    }

    var entityID: String?
    var state: String?
    var attributes = Attributes()
    var id: String?
    var areaID: String?
    var deviceID: String?
    var name: String?
    /// It is not for people: hidden or disabled by them, or of a device's own affairs.
    var isAside = false
    /// The configuration's.
    var temperatureUnit: String?
    var version: String?

    init(reading reader: inout JSONReader) throws(JSONFault) {
        var record = HomeAssistantRecord()
        try reader.object { key, reader throws(JSONFault) in
            switch key {
            case "entity_id": record.entityID = try reader.text()
            case "state": record.state = try reader.text()
            case "attributes": record.attributes = try Attributes(reading: &reader)
            case "id": record.id = try reader.text()
            case "area_id": record.areaID = try reader.text()
            case "device_id": record.deviceID = try reader.text()
            case "name": record.name = try reader.text()
            case "version": record.version = try reader.text(64)
            case "hidden_by", "disabled_by", "entity_category":
                if try reader.text() != nil { record.isAside = true }
            case "unit_system":
                try reader.members { key, reader throws(JSONFault) in
                    guard case "temperature" = key else { return try reader.skip() }
                    record.temperatureUnit = try reader.text(16)
                }
            default: try reader.skip()
            }
        }
        self = record
    }

    init() {}
}

extension HomeAssistantRecord.Attributes {
    fileprivate init(reading reader: inout JSONReader) throws(JSONFault) {
        var all = HomeAssistantRecord.Attributes()
        try reader.members { key, reader throws(JSONFault) in
            switch key {
            case "friendly_name": all.name = try reader.text()
            case "device_class": all.deviceClass = try reader.text(64)
            case "unit_of_measurement": all.unit = try reader.text(64)
            case "supported_color_modes":
                all.colourModes = try reader.list { reader throws(JSONFault) in try reader.text(16) }
            case "brightness": all.brightness = try reader.number()
            case "hs_color":
                all.hueAndSaturation = try reader.list { reader throws(JSONFault) in try reader.number() }
            case "current_position": all.position = try reader.number()
            case "percentage": all.speed = try reader.number()
            case "temperature": all.temperature = try reader.number()
            case "min_temp": all.lowest = try reader.number()
            case "max_temp": all.highest = try reader.number()
            case "min": all.least = try reader.number()
            case "max": all.most = try reader.number()
            case "current_temperature": all.currentTemperature = try reader.number()
            case "supported_features":
                all.features = try reader.number().flatMap { Int(exactly: $0) } ?? 0
            default: try reader.skip()
            }
        }
        self = all
    }
}
