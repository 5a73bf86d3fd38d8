import Household
import JSON

/// What the cameras of a house see, and where that is asked for.
package struct LookAtPictures: Sendable {
    package struct Place: Equatable, Sendable {
        package let device: String
        /// Nil where it was taken away, and for who is no owner.
        package let url: String?

        package init(device: String, url: String?) { (self.device, self.url) = (device, url) }
    }

    private let link: HouseholdLink

    package init(_ link: HouseholdLink) { self.link = link }

    /// The appliances that have one.
    package func all() async throws -> [Place] {
        let members = try await link.changeable("pictures", by: DevicePicture.idKey)
        return try HouseholdLink.entries("pictures", of: members) { value in
            let members = value.asObject
            return members?["device"]?.asString.map { Place(device: $0, url: members?["url"]?.asString) }
        }
    }

    /// Says where it comes from; nil takes it away.
    package func put(_ url: String?, device: String) async throws {
        guard let url else { return try await link.remove(DevicePicture.self, device) }
        try await link.put(DevicePicture.self, device, .object(["url": .string(url)]))
    }

    /// What the camera sees now.
    package func picture(of device: String) async throws -> [UInt8] {
        try await link.picture(["pictures", device])
    }

    /// What it saw at an alarm.
    package func picture(ofMessage message: Int) async throws -> [UInt8] {
        try await link.picture(["messages", "\(message)", "picture"])
    }
}
