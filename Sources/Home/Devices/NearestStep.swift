package import JSON

/// Tells when a device has followed an order as far as it can: a dimmer with steps of 10 % that is told 37 % goes to
/// 40 % and stays there.
///
/// A pure value: what was read goes in, each with its time. A device that has not moved may as well be deaf, so it has
/// not followed, even if it was at its nearest step before.
package struct NearestStep: Sendable {
    /// How long it must have stayed: one that moves slowly may be polled by its hub only once a second.
    package static let rest = Duration.milliseconds(1_500)
    /// How often in a row it must have been read.
    package static let reads = 3
    /// A level that knows more than on and off has three steps at least, and is never further from one than this.
    package static let farthest = 0.25
    /// Closer than half a percent is the same.
    package static let tolerance = 0.005

    private let before: Double
    private let target: Double
    private var level: Double?
    private var since = Duration.zero
    private var count = 0

    /// nil for what has no levels, and for 0 and 1, which every device can be: nearly off is not off.
    package init?(before: JSONValue?, target: JSONValue) {
        guard let before = before?.asDouble, let target = target.asDouble, target > 0, target < 1
        else { return nil }
        (self.before, self.target) = (before, target)
    }

    /// The state was read.
    ///
    /// - Returns: true if the device has moved towards the order, and stays.
    package mutating func take(_ state: JSONValue, at time: Duration) -> Bool {
        guard let now = state.asDouble else { return false }
        if now != level { (level, since, count) = (now, time, 0) }
        count += 1
        let distance = abs(now - target)
        return distance <= NearestStep.farthest && abs(before - target) - distance > NearestStep.tolerance
            && count >= NearestStep.reads && time - since >= NearestStep.rest
    }
}
