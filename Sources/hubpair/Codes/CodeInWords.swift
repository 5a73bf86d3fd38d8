import FoundationEssentials
import HubService
import Pairing
import QRCodes

/// A code for one device in sentences, without a drawing, for screen readers and Braille displays.
struct CodeInWords {
    /// The sentences, each on a line with its end.
    let text: String

    /// - Throws: `RenderError.unreadable` if the spelled text does not read as the code again.
    init(
        _ code: PairingCode, of hub: HubDescription, lifetime: Double?, role: Role?,
        stay: ApprovalEnd = .unsaid, now: Date
    ) throws {
        let typed = TypedCode(secret: code.secret).text
        let groups = typed.split(separator: "-")
        // Commas make a screen reader pause; the spaces make it spell.
        let spelled = groups.map { $0.map(String.init).joined(separator: " ") }.joined(separator: ", ")
        guard try TypedCode(typed: spelled.filter { $0 != "," }).secret == code.secret else {
            throw RenderError.unreadable("plain")
        }
        var lines = [
            "A code that lets one device in to the hub \(SafeText.escaped(hub.name.description)).",
            "The hub's fingerprint: \(hub.id)",
        ]
        if let role { lines.append("The device will be \(role.words).") }
        if let stay = stay.words(seenAt: now) { lines.append("Its stay: \(stay).") }
        if let expires = code.expires, let lifetime {
            let until = LocalTime(expires).text(seenAt: now)
            lines.append("Valid for \(Duration(passed: lifetime).words), until \(until).")
        }
        lines += [
            "The code: \(typed)",
            "Spelled: \(spelled).",
            "0 is always zero and 1 is always one; the letters I, L, O and U do not occur.",
            "On the device: run 'hubpair pair' and type it.",
            "Capitals, spaces and hyphens do not matter.",
        ]
        text = lines.map { $0 + "\n" }.joined()
    }
}
