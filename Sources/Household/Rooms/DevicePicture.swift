package import JSON

/// Where the picture of an appliance comes from: its camera, as the house keeps it beside its rooms.
///
///     {"device": "6b4d5c", "url": "http://192.168.1.30/snapshot.jpg"}
///
/// `url` is a path at the server behind the hub, or an address with `http` or `https`; 1 to 1024 visible
/// characters of ASCII. What else it may be is for who asks there to say. It may have a password in it, so
/// owners alone read it.
package struct DevicePicture: Hashable, Sendable {
    package static let maximumByteCount = 1024

    /// The id of the server behind the hub.
    package let device: String
    package let url: String

    /// True for what can stand in a file, and in the head of a request.
    package static func isURL(_ text: String) -> Bool {
        let lower = text.lowercased()
        let isKnown = text.hasPrefix("/") || lower.hasPrefix("http://") || lower.hasPrefix("https://")
        return isKnown && text.utf8.count <= maximumByteCount
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

extension DevicePicture: Kept {
    package static let kind = HouseholdError.Kind.picture
    package static let mainKey = "url"
    package static let idKey = "device"
    package static var list: WritableKeyPath<Rooms, KeptList<DevicePicture>> { \.pictureList }
    package static let fields = [Field("url")]

    package var id: String { device }

    package init(id: String, _ values: FieldValues) throws(FieldFault) {
        guard HouseholdNames.isPathID(id) else {
            throw .refused(.badName(.picture, HouseholdNames.pathIDRule))
        }
        let url = try values.parsed(
            "url", else: "no address of a picture",
            body: "a picture comes from an address like http://192.168.1.30/snapshot.jpg, or from a path of "
                + "the server behind the hub"
        ) { DevicePicture.isURL($0) ? $0 : nil }
        (device, self.url) = (id, url)
    }

    package var values: [String: JSONValue] { ["url": .string(url)] }
}
