/// What a QR code is for that is not for pairing, told by how its text begins.
///
///     matter     = "MT:"                           Matter Core Specification § 5.1.3
///     homekit    = "X-HM://"                       HomeKit Accessory Protocol § 4.2.1
///     wifi       = "WIFI:" | "DPP:"                Wi-Fi Alliance: WPA3 § 7.1, Easy Connect § 5.2.1
///     password   = "otpauth://" | "otpauth-migration://"
///     tailscale  = "https://login.tailscale.com/"
///     syncthing  = 7base32 *7("-" 7base32)         a device's id
///
/// Accepted: `MT:Y.K9042C00KA0648G00`, `wifi:S:Attic;;`. Rejected: `MT`, `see MT:Y`.
package enum ForeignCode: String, CaseIterable, Equatable, Sendable {
    case matter, homekit, wifi, password, tailscale, syncthing, contact, sim

    /// Nil for any other text.
    package init?(payload: [UInt8]) {
        // What decides stands in front; nothing is read of the rest, which may be long and secret.
        let head = String(decoding: payload.prefix(72), as: UTF8.self)
        let lower = head.lowercased()
        let known = ForeignCode.allCases.first { kind in kind.prefixes.contains { lower.hasPrefix($0) } }
        if payload.count == 63, ForeignCode.isDeviceID(head) {
            self = .syncthing
        } else if let known {
            self = known
        } else {
            return nil
        }
    }

    /// The first that fits decides.
    private var prefixes: [String] {
        switch self {
        case .matter: ["mt:"]
        case .homekit: ["x-hm://"]
        case .wifi: ["wifi:", "dpp:"]
        case .password: ["otpauth://", "otpauth-migration://"]
        case .tailscale: ["https://login.tailscale.com/"]
        case .syncthing: []
        case .contact: ["begin:vcard", "mecard:"]
        case .sim: ["lpa:1$"]
        }
    }

    /// Eight groups of seven letters and digits of base32.
    private static func isDeviceID(_ text: String) -> Bool {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        return groups.count == 8
            && groups.allSatisfy { group in
                group.utf8.count == 7
                    && group.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x32...0x37).contains($0) }
            }
    }

    /// With its article: "a Matter code".
    package var name: String {
        switch self {
        case .matter: "a Matter code"
        case .homekit: "a HomeKit code"
        case .wifi: "a Wi-Fi code"
        case .password: "a code for one-time passwords"
        case .tailscale: "a Tailscale sign-in"
        case .syncthing: "a Syncthing device ID"
        case .contact: "a contact"
        case .sim: "a code for an eSIM"
        }
    }

    /// What it is for: "it is for your phone's home app".
    package var purpose: String {
        switch self {
        case .matter: "it is for your phone's home app"
        case .homekit: "it is for the Home app of an iPhone or iPad"
        case .wifi: "it is for a phone's camera, which joins the Wi-Fi"
        case .password: "it is for an authenticator app, and secret"
        case .tailscale: "it is for a browser that is signed in to Tailscale"
        case .syncthing: "it is for 'Add Remote Device' in Syncthing"
        case .contact: "it is for a phone's contacts"
        case .sim: "it is for a phone's mobile network settings"
        }
    }
}
