/// A room of the house, and the appliances in it.
package struct Room: Equatable, Sendable {
    package let id: String
    package let name: String
    /// The floor, the garden, or what else it belongs to; nil if to nothing.
    package let area: String?
    /// The ids of the appliances.
    package let devices: [String]

    package init(id: String, name: String, area: String? = nil, devices: [String]) {
        (self.id, self.name, self.area, self.devices) = (id, name, area, devices)
    }
}
