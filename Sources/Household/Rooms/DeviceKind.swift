package import Home
package import JSON

/// What an appliance does, as the house keeps it beside its rooms.
///
///     {"device": "6b4d5c", "kind": "gate", "guests": true}
///
/// `guests` may be missing.
package struct DeviceKind: Equatable, Sendable {
    /// The id of the server behind the hub.
    package let device: String
    package let given: ApplianceKinds.Given

    /// The id is of the characters of a room's id, as that of a unit.
    package init(device: String, given: ApplianceKinds.Given) throws(HouseholdError) {
        guard HouseholdNames.isPathID(device) else { throw .badName(.kind, HouseholdNames.pathIDRule) }
        (self.device, self.given) = (device, given)
    }
}

extension DeviceKind: Kept {
    package static let kind = HouseholdError.Kind.kind
    package static let mainKey = "kind"
    package static let idKey = "device"
    package static var list: WritableKeyPath<Rooms, KeptList<DeviceKind>> { \.kindList }
    package static let fields = [
        Field("kind"), Field("guests", .flag, .usual(.boolean(false)), unwritten: .boolean(false)),
    ]

    package var id: String { device }

    package init(id: String, _ values: FieldValues) throws(FieldFault) {
        let words = ApplianceKind.allCases.map(\.rawValue).joined(separator: ", ")
        let kind = try values.parsed("kind", else: "not one of \(words)", body: "a kind is one of \(words)") {
            ApplianceKind(rawValue: $0)
        }
        guard let guests = values.flag("guests") else {
            throw .invalid("guests", "neither true nor false", body: "guests is true or false")
        }
        do {
            try self.init(device: id, given: .init(kind, allowsGuests: guests))
        } catch {
            throw .refused(error)
        }
    }

    package var values: [String: JSONValue] {
        ["kind": .string(given.kind.rawValue), "guests": .boolean(given.allowsGuests)]
    }
}

extension ApplianceKinds {
    package init(_ kinds: [DeviceKind]) {
        self.init(Dictionary(kinds.map { ($0.device, $0.given) }) { first, _ in first })
    }
}
