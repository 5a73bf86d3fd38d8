/// What a request does to one of the hub's own resources, as far as roles tell requests apart.
package enum ResourceUse: Equatable, Sendable, CaseIterable {
    /// Reads states, rooms, scenes and messages, runs a scene, or marks a message as read.
    case using
    /// Changes rooms or scenes, arms and disarms rules, acknowledges an alarm, or looks through a
    /// camera.
    case arranging
    /// Reads or changes devices, codes, rules, the hub's journal, or where pictures come from.
    case administering
}
