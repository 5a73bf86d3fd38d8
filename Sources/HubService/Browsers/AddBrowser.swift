package import Pairing
import PinnedTLS

/// Lets a browser in: it has no pin, but it can show a certificate. The hub makes the key for it, approves
/// its pin, and keeps neither key nor passphrase.
package struct AddBrowser {
    /// What goes to the browser.
    package struct Handout: Sendable {
        /// PKCS #12, under the passphrase.
        package let pkcs12: [UInt8]
        /// 80 bits, to be shown once.
        package let passphrase: String
        /// The certificate that a person may tell the browser to trust, in PEM.
        package let hubCertificate: [UInt8]
        package let hub: Hub
    }

    private let name: PeerName
    private let role: Role?
    private let end: ApprovalEnd
    private let isOld: Bool
    private let state: HubState

    /// - Parameters:
    ///   - role: what it may do; nil: as a member.
    ///   - end: when the approval ends.
    ///   - isOld: whether the file is in the form that old systems read, too.
    package init(name: PeerName, role: Role?, end: ApprovalEnd, isOld: Bool = false, state: HubState) {
        self.isOld = isOld
        (self.name, self.role, self.end, self.state) = (name, role, end, state)
    }

    /// - Parameters:
    ///   - prepare: writes what is handed out where it can still be taken back; if it throws, nothing has
    ///     changed.
    ///   - handOut: gives it away, once the device is approved; if it throws, the device is revoked.
    package func run(
        now: Moment = .now, prepare: (Handout) throws -> Void, handOut: () throws -> Void
    ) throws -> ApprovedDevice {
        let key = try BrowserKey(name: name.description)
        let device = try state.open().withSharedLock { directory in
            let hub = try HubState.hub(in: directory)
            let identity = try HubState.existingIdentity(in: directory)
            try SetUpHub.ensureCertificate(of: identity, in: directory)
            let certificate = try directory.read(HubState.certificateFileName) ?? []
            return try ApprovedDevicesFile.change(in: directory, at: now) { keyfile -> ApprovedDevice in
                try keyfile.devices.checkIsFree(name)
                let expires = try end.date(besides: nil, at: now, latest: keyfile.seen)
                let device = ApprovedDevice(
                    name: name, pin: key.identity.pin, status: .approved, approved: now.wall,
                    expires: expires, role: role?.rawValue)
                try prepare(
                    Handout(
                        pkcs12: try key.pkcs12(isOld: isOld), passphrase: key.passphrase,
                        hubCertificate: certificate,
                        hub: hub))
                keyfile.insert(device)
                return device
            }
        }
        do {
            try handOut()
        } catch {
            _ = try AdministerDevices(state: state).revoke(PeerSelector("\(device.fingerprint)"))
            throw error
        }
        return device
    }
}
