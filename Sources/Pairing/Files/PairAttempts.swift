package import FoundationEssentials

/// The device's file `pairing`: attempts to pair whose end it has not seen.
///
///     [keyfile]
///     format=1
///
///     [attempt 7M2KQ0V3XG5TA]
///     name=Anna's tablet
///     nonce=…
///     begun=2026-11-21T10:22:03Z
///
/// A group is named by the Crockford base32 of the 8-byte ticket ID; `nonce` is the standard base64 of 16
/// bytes. It is written before the request is sent: if the reply is lost, the same request gets the same
/// reply. The secret is not in it.
///
/// Accepted: the above with a whole nonce. Rejected: a nonce of another length, two groups of one name, a
/// group of another kind, `format=2`.
package struct PairAttempts: Equatable, Sendable {
    package static let fileName = "pairing"
    private static let groupKind = "attempt"
    /// A hub has forgotten the ticket by then.
    private static let lifetime: Double = 2 * 86_400
    /// The most attempts that are kept; the oldest go.
    private static let maximumCount = 64

    /// One attempt.
    package struct Attempt: Equatable, Sendable {
        /// Which code it was made with.
        package let ticket: TicketID
        /// What the device calls itself in it.
        package let name: PeerName
        package let nonce: PairNonce
        package let begun: Date

        package init(ticket: TicketID, name: PeerName, nonce: PairNonce, begun: Date) {
            self.ticket = ticket
            self.name = name
            self.nonce = nonce
            self.begun = begun
        }
    }

    /// The attempts in the file's order.
    package private(set) var attempts: [Attempt] = []
    private var file: KeyFile

    /// A file without an attempt.
    package init() {
        file = .empty(comment: "Attempts to pair whose end this computer has not seen; written by hubpair.")
    }

    /// Reads the file; the first fault refuses all of it.
    package init(parsing bytes: [UInt8]) throws(KeyFileError) {
        file = try KeyFile(parsing: bytes)
        try file.checkFormat()
        for identifier in try file.identifiers(of: PairAttempts.groupKind) {
            let group = "\(PairAttempts.groupKind) \(identifier)"
            guard let ticket = TicketID(identifier) else { throw .unknownGroup(group) }
            let base64 = try file.required("nonce", in: group)
            guard let data = Data(base64Encoded: base64), let nonce = PairNonce(bytes: data) else {
                throw .invalidValue("not 16 bytes in base64", key: "nonce", group: group)
            }
            guard let begun = try file.time("begun", in: group) else {
                throw .missingKey("begun", group: group)
            }
            attempts.append(
                Attempt(ticket: ticket, name: try file.name("name", in: group), nonce: nonce, begun: begun))
        }
    }

    /// The bytes of the file: what was read, with the changes since.
    package var serialized: [UInt8] { file.serialized }

    /// The attempt that was begun with this code, or nil.
    package subscript(ticket: TicketID) -> Attempt? { attempts.first { $0.ticket == ticket } }

    /// Adds an attempt, or puts it in place of the one with the same code. What is too old by then goes.
    package mutating func begin(_ attempt: Attempt) {
        for old in attempts
        where abs(attempt.begun.timeIntervalSince(old.begun)) > PairAttempts.lifetime { end(old.ticket) }
        while attempts.count >= PairAttempts.maximumCount, let oldest = attempts.first { end(oldest.ticket) }
        let group = "\(PairAttempts.groupKind) \(attempt.ticket)"
        file.set("name", to: attempt.name.description, in: group)
        file.set("nonce", to: Data(attempt.nonce.bytes).base64EncodedString(), in: group)
        file.set("begun", to: attempt.begun.timestamp, in: group)
        attempts.removeAll { $0.ticket == attempt.ticket }
        attempts.append(attempt)
    }

    /// Removes the attempt with this code.
    package mutating func end(_ ticket: TicketID) {
        file.removeGroup("\(PairAttempts.groupKind) \(ticket)")
        attempts.removeAll { $0.ticket == ticket }
    }
}
