package import JSON

/// Decides when an appliance has followed an order as far as it can: a dimmer with steps of 10 % that is set
/// to 37 % goes to 40 % and stays there.
///
/// A pure value: states that were read go in, each with its time. An appliance that has not moved may not
/// have heard the order. It counts as not having followed, even if it was at its nearest step before.
package struct NearestStep: Sendable {
    /// How long it must have stayed: a hub may poll an appliance only once a second.
    package static let rest = Duration.milliseconds(1_500)
    /// How often in a row it must have been read.
    package static let reads = 3
    /// An appliance with more than on and off has at least three steps: no level is further from one than
    /// this.
    package static let farthest = 0.25
    /// Levels that are closer than this are equal.
    package static let tolerance = 0.005

    private let before: Double
    private let target: Double
    private var level: Double?
    private var since = Duration.zero
    private var count = 0

    /// Nil for a state without levels, and for the targets 0 and 1: every appliance can reach them, and
    /// nearly off is not off.
    package init?(before: JSONValue?, target: JSONValue) {
        guard let before = before?.asDouble, let target = target.asDouble, target > 0, target < 1
        else { return nil }
        (self.before, self.target) = (before, target)
    }

    /// Takes a state that was read.
    ///
    /// - Returns: true if the appliance has moved towards the target, and stays.
    package mutating func take(_ state: JSONValue, at time: Duration) -> Bool {
        guard let now = state.asDouble else { return false }
        if now != level { (level, since, count) = (now, time, 0) }
        count += 1
        let distance = abs(now - target)
        return distance <= NearestStep.farthest && abs(before - target) - distance > NearestStep.tolerance
            && count >= NearestStep.reads && time - since >= NearestStep.rest
    }
}
