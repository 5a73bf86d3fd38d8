public import Identity
import JSON

/// A hub's refusal of a device's request, as an HTTP body.
///
///     {"error": code, "message": string}
///     code = 1*64( %x61-7A / DIGIT / "_" )     ; lower case
///
/// JSON with the limits of I-JSON (RFC 7493): at most 4,096 bytes, no duplicate keys. Unknown keys are
/// ignored; `message` may be missing. A code that this version does not know is kept, so that the user sees a
/// newer hub's reason.
///
/// Accepted: `{"error":"ticket_used","message":"another device has used this code"}`. Rejected: no `error`,
/// `"error": "Ticket used"`, `"message": 1`.
public struct PairRefusal: Error, Equatable, Sendable {
    /// The machine-readable reason.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// 1–64 lower-case ASCII letters, digits and underscores.
        public let rawValue: String

        /// Creates a code from its text; nil if it does not have that form.
        public init?(rawValue: String) {
            let isWord = rawValue.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_")
            }
            guard isWord, (1...64).contains(rawValue.utf8.count) else { return nil }
            self.rawValue = rawValue
        }

        private init(_ word: StaticString) { rawValue = word.description }

        /// 401: the device presented no client certificate.
        public static let noCertificate = Code("no_certificate")
        /// 400, or 413 if it is too large: the request is not a valid request of the exchange.
        public static let badRequest = Code("bad_request")
        /// 400: the device's name breaks a rule.
        public static let nameInvalid = Code("name_invalid")
        /// 429: too many failures from this source or for this code, or too many approval requests with this
        /// label.
        public static let tooManyAttempts = Code("too_many_attempts")
        /// 404: the hub does not know the code.
        public static let ticketUnknown = Code("ticket_unknown")
        /// 403: the proof does not verify.
        public static let badProof = Code("bad_proof")
        /// 409: the code was used, by another device or by this one in another attempt.
        public static let ticketUsed = Code("ticket_used")
        /// 403: the owner has rejected or revoked the device.
        public static let notApproved = Code("not_approved")
        /// 410: the code has expired.
        public static let ticketExpired = Code("ticket_expired")
        /// 503: the hub could not write its keyfile, so nothing has changed. Not part of ``inOrder``.
        public static let unavailable = Code("unavailable")

        /// The codes of version 1, in the order in which the hub checks their conditions.
        public static let inOrder: [Code] = [
            .noCertificate, .badRequest, .nameInvalid, .tooManyAttempts, .ticketUnknown, .badProof,
            .ticketUsed,
            .notApproved, .ticketExpired,
        ]

        /// The HTTP status (RFC 9110 § 15.5, RFC 6585 § 4) of the code; nil for a code of a newer hub.
        public var httpStatus: Int? {
            switch self {
            case .badRequest, .nameInvalid: 400
            case .noCertificate: 401
            case .badProof, .notApproved: 403
            case .ticketUnknown: 404
            case .ticketUsed: 409
            case .ticketExpired: 410
            case .tooManyAttempts: 429
            case .unavailable: 503
            default: nil
            }
        }
    }

    /// The machine-readable reason.
    public let code: Code
    /// The hub's explanation for a person. Untrusted: escape it before printing to a terminal.
    public let message: String

    /// Creates a refusal from its parts.
    public init(_ code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// Parses an HTTP body.
    public init(parsing bytes: [UInt8]) throws(PairMessageError) {
        let message = try PairMessage(parsing: bytes)
        guard let code = Code(rawValue: try message.text("error")) else {
            throw .malformed("error is not a word in lower case")
        }
        self.code = code
        self.message = try message.optionalText("message") ?? ""
    }

    /// The HTTP body: one JSON object in UTF-8.
    public var serialized: [UInt8] {
        PairMessage(["error": .string(code.rawValue), "message": .string(message)]).serialized
    }
}

extension PairRefusal: UserError {
    /// What is wrong, for the user of the device, in lower case, without a full stop.
    public var description: String {
        switch code {
        case .noCertificate: "the hub did not see this computer's certificate"
        case .badRequest: "the hub could not read this computer's request: \(message)"
        case .nameInvalid: "the hub refuses this computer's name: \(message)"
        case .tooManyAttempts: "the hub has had too many attempts: \(message)"
        case .ticketUnknown where message == PairRefusal.home.message: message
        case .ticketUnknown:
            "the hub does not know this code: it was replaced, or taken back, or is another hub's"
        case .badProof:
            "the hub refuses this computer's proof: the code is not this hub's, or somebody stands between"
        case .ticketUsed: "the code has been used already"
        case .notApproved: "the hub's owner has not approved this computer, or has revoked it"
        case .ticketExpired: "the code has expired"
        case .unavailable: "the hub cannot pair now: \(message)"
        default: "the hub refuses with \(code.rawValue): \(message)"
        }
    }

    /// How a program should react; the command's exit code is derived from it.
    public var kind: UserErrorKind {
        switch code {
        case .tooManyAttempts, .unavailable: .tryAgain
        case .notApproved, .noCertificate: .notPermitted
        case .nameInvalid: .usage
        // Among them an unknown, used or expired code: the user needs another one.
        default: .data
        }
    }

    /// How to fix it, and on which side.
    public var hint: String? {
        switch code {
        case .noCertificate: "on this computer: remove any proxy that ends TLS between it and the hub"
        case .badRequest: "both sides must speak hubpair/1: update the older one"
        case .nameInvalid: "on this computer: choose another name with --name"
        case .tooManyAttempts:
            "on this computer: wait 10 minutes; on the hub: make a new code with 'hubpair print'"
        case .ticketUnknown:
            "is it the newest label? --hub names another hub; on the hub: 'hubpair print' makes a new code"
        case .ticketUsed, .ticketExpired: "on the hub: make a new code with 'hubpair print'"
        case .badProof:
            "on this computer: check which hub answers; on the hub: make a new code with 'hubpair print'"
        case .notApproved:
            "on the hub: 'hubpair devices' shows what it knows; a code from 'hubpair print' approves "
                + "this computer"
        case .unavailable: "on the hub: see its log; nothing was changed, so the same code works again"
        default: "on this computer: update hubpair"
        }
    }
}
