import Pairing
import QRCodes

/// What is printed beside a code on paper: whose it is, how to use it, until when, and what to do if it is
/// lost.
enum CodeWording {
    static func texts(for code: PairingCode, hub: HubDescription) -> [LabelText] {
        var texts = [
            LabelText(hub.name.description, .title),
            // Or it is taken for the typed code, which looks like it.
            LabelText("The hub's fingerprint:", .body),
            LabelText(hub.id.description, .code),
        ]
        let expiry = code.expires.map { LocalTime($0).textWithZone }
        switch code.kind {
        case .once:
            texts += [
                LabelText("Point your phone's camera at this to be let in.", .body),
                LabelText("On a computer: hubpair pair PHOTO, or typed:", .body),
                LabelText(TypedCode(secret: code.secret).text, .code),
            ]
            if let expiry { texts.append(LabelText("Until \(expiry).", .body)) }
            texts += [
                LabelText("Lost? On the hub:", .body),
                LabelText("hubpair codes void \(IssuedCode.name(of: code.secret.ticketID))", .code),
            ]
        case .label:
            texts += [
                LabelText("Point your phone's camera at this to ask to be let in.", .body),
                LabelText("On a computer: hubpair pair PHOTO.", .body),
            ]
            if let expiry { texts.append(LabelText("Until \(expiry).", .body)) }
            texts += [
                LabelText("Lost? This voids it, on the hub:", .body),
                LabelText("hubpair print --label", .code),
            ]
        }
        return texts
    }
}
