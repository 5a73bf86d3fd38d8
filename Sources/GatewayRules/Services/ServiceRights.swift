package import Identity
package import Pairing

/// Who may use a web service: devices whose role suffices, and those that the owner has named besides.
package struct ServiceRights: Equatable, Sendable {
    /// The least role that suffices.
    package var role: Role
    /// Devices that may use it whatever their role.
    package private(set) var allowed: [Fingerprint]
    /// Devices that may not, whatever their role.
    package private(set) var denied: [Fingerprint]

    /// Nil if a device is named twice.
    package init?(role: Role, allowed: [Fingerprint], denied: [Fingerprint]) {
        guard Set(allowed + denied).count == allowed.count + denied.count else { return nil }
        (self.role, self.allowed, self.denied) = (role, allowed, denied)
    }

    package init(role: Role = .member) { (self.role, allowed, denied) = (role, [], []) }

    /// A device with a word that is no role is let in nowhere, whoever has named it.
    package func admits(_ device: ApprovedDevice) -> Bool {
        guard let role = device.knownRole, !denied.contains(device.fingerprint) else { return false }
        return suffices(role) || allowed.contains(device.fingerprint)
    }

    private func suffices(_ role: Role) -> Bool {
        switch (role, self.role) {
        case (.owner, _), (.member, .member), (.member, .guest), (.guest, .guest): true
        case (.member, .owner), (.guest, .owner), (.guest, .member): false
        }
    }

    /// Names a device only where its role does not say the same.
    ///
    /// - Returns: true if that is a change.
    package mutating func set(_ device: ApprovedDevice, mayUse: Bool) -> Bool {
        let before = self
        let fingerprint = device.fingerprint
        allowed.removeAll { $0 == fingerprint }
        denied.removeAll { $0 == fingerprint }
        if admits(device) != mayUse {
            if mayUse { allowed.append(fingerprint) } else { denied.append(fingerprint) }
        }
        return self != before
    }

    /// Forgets the devices that `isThere` does not know.
    package mutating func keep(_ isThere: (Fingerprint) -> Bool) {
        allowed = allowed.filter(isThere)
        denied = denied.filter(isThere)
    }
}
