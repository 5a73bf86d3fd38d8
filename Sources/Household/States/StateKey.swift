/// One activator of one appliance, by the ids of the server behind the hub.
package struct StateKey: Hashable, Comparable, Sendable {
    package let device: String
    package let activator: String

    package init(device: String, activator: String) {
        (self.device, self.activator) = (device, activator)
    }

    package static func < (one: StateKey, other: StateKey) -> Bool {
        (one.device, one.activator) < (other.device, other.activator)
    }
}
