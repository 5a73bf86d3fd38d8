/// What a QR code is for that is not for pairing, told by how its text begins.
///
///     matter     = "MT:"                           Matter Core Specification § 5.1.3
///     homekit    = "X-HM://"                       HomeKit Accessory Protocol § 4.2.1
///     zwave      = "90" 50*DIGIT                   Node Provisioning QR Code Format (S2), SDS13937
///     zigbee     = "Z:" | "HUE:Z:" | "G$M:"        install codes of several makers
///     wifi       = "WIFI:" | "DPP:"                Wi-Fi Alliance: WPA3 § 7.1, Easy Connect § 5.2.1
///     wireguard  = "[Interface]"                   wg-quick(8)
///     password   = "otpauth://" | "otpauth-migration://"
///     passkey    = "FIDO:/"                        CTAP 2.2 § 11.5
///     payment    = "BCD" nl | "SPC" nl | "000201" | "bitcoin:" | …     EPC069-12, Swiss QR-bill, EMVCo
///     tailscale  = "https://login.tailscale.com/"
///     syncthing  = 7base32 *7("-" 7base32)         a device's id
///
/// Accepted: `MT:Y.K9042C00KA0648G00`, `wifi:S:Attic;;`. Rejected: `MT`, `see MT:Y`.
package enum ForeignCode: String, CaseIterable, Equatable, Sendable {
    case matter, homekit, zwave, zigbee, tuya
    case wifi, wireguard, tailscale, syncthing
    case password, passkey, messenger, payment, certificate
    case contact, event, place, message, sim

    /// Nil for any other text.
    package init?(payload: [UInt8]) {
        // What decides stands in front; nothing is read of the rest, which may be long and secret.
        let head = String(decoding: payload.prefix(72), as: UTF8.self)
        let lower = head.lowercased()
        let known = ForeignCode.allCases.first { kind in kind.prefixes.contains { lower.hasPrefix($0) } }
        if payload.count == 63, ForeignCode.isDeviceID(head) {
            self = .syncthing
        } else if payload.count >= 52, payload.starts(with: "90".utf8),
            payload.prefix(72).allSatisfy({ (0x30...0x39).contains($0) })
        {
            self = .zwave
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
        case .zwave: []
        case .zigbee: ["z:", "hue:z:", "g$m:"]
        case .tuya: ["https://smartapp.tuya.com/"]
        case .wifi: ["wifi:", "dpp:"]
        case .wireguard: ["[interface]"]
        case .tailscale: ["https://login.tailscale.com/"]
        case .syncthing: []
        case .password: ["otpauth://", "otpauth-migration://"]
        case .passkey: ["fido:/"]
        case .messenger:
            ["3mid:", "sgnl://", "tg://", "https://wa.me/", "https://signal.me/", "openpgp4fpr:"]
        case .payment:
            [
                "bcd\n", "bcd\r\n", "spc\n", "spc\r\n", "000201", "bitcoin:", "ethereum:", "lightning:",
                "upi://",
            ]
        case .certificate: ["hc1:", "shc:/"]
        case .contact: ["begin:vcard", "mecard:"]
        case .event: ["begin:vevent", "begin:vcalendar"]
        case .place: ["geo:"]
        case .message: ["tel:", "sms:", "smsto:", "mailto:", "matmsg:"]
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
        case .zwave: "a Z-Wave code"
        case .zigbee: "a Zigbee code"
        case .tuya: "a Tuya code"
        case .wifi: "a Wi-Fi code"
        case .wireguard: "a WireGuard configuration"
        case .tailscale: "a Tailscale sign-in"
        case .syncthing: "a Syncthing device ID"
        case .password: "a code for one-time passwords"
        case .passkey: "a passkey sign-in"
        case .messenger: "a messenger's code"
        case .payment: "a payment code"
        case .certificate: "a health certificate"
        case .contact: "a contact"
        case .event: "a calendar entry"
        case .place: "a place on the map"
        case .message: "a code for a call or a message"
        case .sim: "a code for an eSIM"
        }
    }

    /// What it is for: "it is for your phone's home app".
    package var purpose: String {
        switch self {
        case .matter: "it is for your phone's home app"
        case .homekit: "it is for the Home app of an iPhone or iPad"
        case .zwave: "it is for a smart home hub with Z-Wave, and secret"
        case .zigbee: "it is for a smart home hub with Zigbee, and secret"
        case .tuya: "it is for the app of the appliance's maker"
        case .wifi: "it is for a phone's camera, which joins the Wi-Fi"
        case .wireguard: "it is for the WireGuard app, and secret"
        case .tailscale: "it is for a browser that is signed in to Tailscale"
        case .syncthing: "it is for 'Add Remote Device' in Syncthing"
        case .password: "it is for an authenticator app, and secret"
        case .passkey: "it is for the phone that has the passkey"
        case .messenger: "it is for the messenger's own app"
        case .payment: "it is for a banking app or a wallet"
        case .certificate: "it is for the app that checks it"
        case .contact: "it is for a phone's contacts"
        case .event: "it is for a phone's calendar"
        case .place: "it is for a map"
        case .message: "it is for a phone's camera, which begins it"
        case .sim: "it is for a phone's mobile network settings"
        }
    }
}
