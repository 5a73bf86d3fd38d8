/// What people have said of their appliances, by the appliance's id.
package struct ApplianceKinds: Equatable, Sendable {
    package struct Given: Equatable, Sendable {
        package let kind: ApplianceKind
        /// True if guests may set it although something on it is asked about first.
        package let allowsGuests: Bool

        package init(_ kind: ApplianceKind, allowsGuests: Bool = false) {
            (self.kind, self.allowsGuests) = (kind, allowsGuests)
        }
    }

    private var kinds: [String: Given]

    package init(_ kinds: [String: Given] = [:]) { self.kinds = kinds }

    package subscript(device: String) -> Given? {
        get { kinds[device] }
        set { kinds[device] = newValue }
    }

    /// All of them, sorted by their ids.
    package var all: [(device: String, given: Given)] {
        kinds.sorted { $0.key < $1.key }.map { (device: $0.key, given: $0.value) }
    }

    /// The appliances as what they were said to be.
    package func applied(to devices: [ControlledDevice]) -> [ControlledDevice] {
        kinds.isEmpty ? devices : devices.map(applied)
    }

    package func applied(to device: ControlledDevice) -> ControlledDevice {
        var device = device
        device.givenKind = kinds[device.id]?.kind
        return device
    }

    /// True if guests may set this appliance: nothing on it is asked about first, or its people have allowed
    /// it.
    package func allowGuests(at device: ControlledDevice) -> Bool {
        kinds[device.id]?.allowsGuests == true || !applied(to: device).kind.isGuarded
    }
}
