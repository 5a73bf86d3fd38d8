import Identity
package import Pairing

/// Which devices that the owner has approved have a name that looks like another's.
///
/// A device chooses the name with which it asks, so a stranger's may look like that of a device that the
/// owner trusts. It is shown all the same, beside the fingerprint of the device that it resembles.
package struct DeviceLikeness {
    private let approved: [String: [ApprovedDevice]]

    /// - Parameter devices: all of the keyfile. Those whose approval has run out count, too: the owner knows
    ///   them.
    package init(_ devices: [ApprovedDevice]) {
        approved = Dictionary(
            grouping: devices.lazy.filter { $0.status == .approved }
        ) { LookAlike.skeleton($0.name.description) }
    }

    /// The approved devices, other than itself, whose names look like that of `device`, in the keyfile's
    /// order.
    package func resembled(by device: ApprovedDevice) -> [ApprovedDevice] {
        (approved[LookAlike.skeleton(device.name.description)] ?? []).filter { $0.pin != device.pin }
    }
}
