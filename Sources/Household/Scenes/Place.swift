/// Where the house is, for sunrise and sunset.
///
///     place  = number SP number             ; degrees north, -90 to 90; degrees east, -180 to 180
///     number = [ "-" ] 1*3DIGIT [ "." 1*6DIGIT ]
///
/// Two digits after the point are about a kilometre, and a few seconds of sunrise.
///
/// Accepted: `52.52 13.41`, `-33.9 151`. Rejected: `52.52,13.41`, `52.52N 13.41E`, `91 0`, `+52 13`, `52`.
package struct Place: Hashable, Sendable, CustomStringConvertible {
    /// What is wrong with a refused text.
    package static let rule = "not degrees north and degrees east, like 52.52 13.41 or -33.9 151.2"

    /// Degrees north.
    package let latitude: Double
    /// Degrees east.
    package let longitude: Double
    /// As it was written.
    package let description: String

    package init?(_ text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, let latitude = Place.degrees(parts[0], atMost: 90),
            let longitude = Place.degrees(parts[1], atMost: 180)
        else { return nil }
        (self.latitude, self.longitude, description) = (latitude, longitude, text)
    }

    private static func degrees(_ text: Substring, atMost limit: Double) -> Double? {
        let parts = (text.first == "-" ? text.dropFirst() : text).split(
            separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let isNumber = parts.enumerated().allSatisfy { index, part in
            (1...(index == 0 ? 3 : 6)).contains(part.utf8.count)
                && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        guard isNumber, let number = Double(text), abs(number) <= limit else { return nil }
        return number
    }
}
