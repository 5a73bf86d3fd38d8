package import Home
package import JSON
import Pairing

/// What an appliance does, as the house keeps it beside its rooms.
///
///     {"device": "6b4d5c", "kind": "gate", "guests": true}
package struct DeviceKind: Equatable, Sendable {
    static let groupStart = "kind "
    /// The most kinds of a house.
    package static let maximumCount = 1000

    /// The id of the server behind the hub.
    package let device: String
    package let given: ApplianceKinds.Given

    /// The id is of the characters of a room's id, as that of a unit.
    package init(device: String, given: ApplianceKinds.Given) throws(HouseholdError) {
        guard HouseholdNames.isPathID(device) else {
            throw .badName(.kind, "an id has 1 to 64 letters, digits, or characters of \"-._~\"")
        }
        (self.device, self.given) = (device, given)
    }

    /// The kind in the body of `PUT kinds/DEVICE`: `kind`, and `guests`, which may be missing. Other members
    /// are ignored; the path has the id.
    package init(device: String, body: [UInt8]) throws(HouseholdError) {
        let fields: Fields
        do {
            fields = try JSONReader.read(Fields.self, from: body, duplicateKeys: .refused)
        } catch {
            throw .badBody("the body is not a kind: \(error)")
        }
        guard let kind = ApplianceKind(rawValue: fields.kind) else {
            throw .badBody("a kind is one of \(DeviceKind.words)")
        }
        guard let guests = fields.guests else { throw .badBody("guests is true or false") }
        try self.init(device: device, given: .init(kind, allowsGuests: guests))
    }

    private struct Fields: JSONReadable {
        let kind: String
        /// Nil for what is neither true nor false.
        let guests: Bool?

        init(reading reader: inout JSONReader) throws(JSONFault) {
            var kind: String?
            var guests: JSONValue = .boolean(false)
            try reader.object { key, reader throws(JSONFault) in
                switch key {
                case "kind": kind = try reader.string()
                case "guests": guests = try JSONValue(reading: &reader)
                default: _ = try JSONValue(reading: &reader)
                }
            }
            self.kind = try kind.required("kind")
            self.guests = if case .boolean(let allows) = guests { allows } else { nil }
        }
    }

    private static var words: String { ApplianceKind.allCases.map(\.rawValue).joined(separator: ", ") }

    package var json: JSONValue {
        .object([
            "device": .string(device), "kind": .string(given.kind.rawValue),
            "guests": .boolean(given.allowsGuests),
        ])
    }

    // MARK: The file

    var group: String { "\(DeviceKind.groupStart)\(device)" }

    func write(to file: inout KeyFile) {
        file.set("kind", to: given.kind.rawValue, in: group)
        file.set("guests", to: given.allowsGuests ? "true" : nil, in: group)
    }

    /// The kinds in these groups.
    static func all(_ groups: [String], in file: KeyFile) throws(KeyFileError) -> [DeviceKind] {
        var kinds: [DeviceKind] = []
        for group in groups {
            guard kinds.count < maximumCount else { throw .unknownGroup(group) }
            let word = try file.required("kind", in: group)
            guard let kind = ApplianceKind(rawValue: word) else {
                throw .invalidValue("not one of \(words)", key: "kind", group: group)
            }
            let guests = file.value("guests", in: group) ?? "false"
            guard guests == "true" || guests == "false" else {
                throw .invalidValue("neither true nor false", key: "guests", group: group)
            }
            let device = String(group.dropFirst(groupStart.count))
            do {
                kinds.append(
                    try DeviceKind(device: device, given: .init(kind, allowsGuests: guests == "true")))
            } catch {
                throw .unknownGroup(group)
            }
        }
        return kinds
    }
}

extension ApplianceKinds {
    package init(_ kinds: [DeviceKind]) {
        self.init(Dictionary(kinds.map { ($0.device, $0.given) }) { first, _ in first })
    }
}
