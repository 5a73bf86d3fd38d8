/// Whether a guest may set an appliance.
package enum GuestVerdict: Equatable, Sendable {
    case allowed
    /// It is one of those that are asked about first, and its people have not allowed guests to set it.
    case guarded
    /// What it is cannot be found out now, so it is refused.
    case unknown
}
