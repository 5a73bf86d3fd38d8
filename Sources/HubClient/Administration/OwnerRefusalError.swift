package import Identity
import Pairing

/// A hub does not do what this computer's user asked for: for the reason, and with the exit code, that the
/// command line on the hub would have.
package struct OwnerRefusalError: Equatable, UserError {
    private let refusal: OwnerRefusal
    let status: Int
    /// The hub's name on this computer.
    private let hub: String
    /// This computer.
    private let device: Fingerprint?

    init(_ refusal: OwnerRefusal, status: Int, hub: String, device: Fingerprint?) {
        (self.refusal, self.status, self.hub, self.device) = (refusal, status, hub, device)
    }

    /// A hub of an earlier version has no such path, and says nothing of a kind.
    private var isOlder: Bool { status == 404 && refusal.kind == nil }

    package var description: String {
        if isOlder { return "\(quoted(hub)) runs a version that cannot be administered from here" }
        if status == 403, refusal.word == "not_allowed" {
            return "this computer is not an owner of \(quoted(hub))"
        }
        return refusal.message.unicodeScalars.count > 300 ? shortened(refusal.message) : refusal.message
    }

    package var kind: UserErrorKind {
        if let kind = refusal.kind { return kind }
        return switch status {
        case 401, 403: .notPermitted
        case 404: .unavailable
        case 408, 429, 503: .tryAgain
        case 500...: .unavailable
        default: .data
        }
    }

    package var hint: String? {
        if isOlder { return "on the hub: install a newer hubpair, or run the command there" }
        if status == 403, refusal.word == "not_allowed" {
            return device.map { "on the hub: hubpair devices role \($0) owner" }
        }
        guard let hint = refusal.hint, hint.utf8.count <= 1_000 else { return nil }
        // The hint names commands as they are run on the hub.
        return ["devices", "codes", "print"].reduce(hint) { hint, command in
            hint.replacing("hubpair \(command)", with: "hubpair \(command)\(onHub(hub))")
        }
    }
}
