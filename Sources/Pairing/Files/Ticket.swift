public import FoundationEssentials

/// What the hub keeps of a pairing code: never the secret, only what is derived from it.
public struct Ticket: Equatable, Sendable {
    /// The ticket's public name.
    public let id: TicketID
    /// What the code is for.
    public let kind: PairingCode.Kind
    /// The key of the proofs.
    public let proofKey: ProofKey
    /// When the code was made.
    public let issued: Date
    /// The boot clock when the code was made; nil if the system did not say.
    public let boot: BootTime?
    /// From when on the code is refused, by the clock that made it; nil for a label that stays valid.
    public let expires: Date?
    /// Where the code went; nil if nobody noted it, as in version 0.1.
    public let output: CodeOutput?
    /// Which of a sheet's codes it is; nil for a code by itself.
    public let place: SheetPlace?
    /// The word for the role of the device that a once code lets in; nil if its owner said none, and for a
    /// label, whose devices get theirs with the approval. No part of the code itself.
    public let role: String?
    /// How long the device may come in that a once code lets in.
    package let stay: ApprovalEnd
    /// True if the code is also good from outside, by a relay.
    package let isForAway: Bool
    /// The fingerprint of the hub's key in the code; nil if nobody noted it, as in version 0.1.
    package let key: Fingerprint?
    /// The owner's device that made the code; nil: the command line on the hub, or nobody noted it.
    package let maker: Fingerprint?

    /// The ticket of a code that was made at `issued`.
    public init(
        of code: PairingCode, issued: Moment, output: CodeOutput? = nil, place: SheetPlace? = nil,
        role: Role? = nil
    ) {
        self.init(of: code, issued: issued, output: output, place: place, role: role, stay: .unsaid)
    }

    /// The same for a device that stays for a time.
    package init(
        of code: PairingCode, issued: Moment, output: CodeOutput?, place: SheetPlace?, role: Role?,
        stay: ApprovalEnd, maker: Fingerprint? = nil, isForAway: Bool = false
    ) {
        self.init(
            id: code.secret.ticketID, kind: code.kind, proofKey: code.secret.proofKey, issued: issued.wall,
            boot: issued.boot, expires: code.expires, output: output, place: place,
            role: code.kind == .once ? role?.rawValue : nil, stay: code.kind == .once ? stay : .unsaid,
            maker: maker, isForAway: isForAway && code.kind == .once, key: code.hub.fingerprint)
    }

    init(
        id: TicketID, kind: PairingCode.Kind, proofKey: ProofKey, issued: Date, boot: BootTime?,
        expires: Date?, output: CodeOutput?, place: SheetPlace?, role: String?,
        stay: ApprovalEnd, maker: Fingerprint?, isForAway: Bool, key: Fingerprint?
    ) {
        self.id = id
        self.kind = kind
        self.proofKey = proofKey
        self.issued = issued
        self.boot = boot
        self.expires = expires
        self.output = output
        self.place = place
        self.role = role
        self.stay = stay
        self.maker = maker
        self.isForAway = isForAway
        self.key = key
    }

    /// True from the expiry on.
    ///
    /// A once code lives as long as it was made for by the boot clock, whatever becomes of the wall clock in
    /// the meantime; after a restart, and for labels, the wall clock decides.
    ///
    /// After a restart a wall clock that says a time before the code was made, or before anything else that
    /// the hub has written down, is behind, by nobody knows how much. A once code then counts as expired: it
    /// may have been refused already, and another is soon printed. A clock that is behind, and still later
    /// than all that, cannot be seen.
    ///
    /// - Parameters:
    ///   - now: the moment now, by both clocks.
    ///   - latest: the latest moment in the hub's files; only asked for if it matters.
    public func isExpired(at now: Moment, latest: @autoclosure () -> Date? = nil) -> Bool {
        if isPast(0, at: now) { return true }
        guard kind == .once, now.monotonicSeconds(since: boot) == nil else { return false }
        return now.wall < issued || latest().map { now.wall < $0 } ?? false
    }

    /// Seconds until the expiry by the clock that decides; nil for a label that stays valid.
    package func remaining(at now: Moment) -> Double? {
        guard let expires else { return nil }
        if kind == .once, let age = now.monotonicSeconds(since: boot) {
            // Whole seconds, as the file and the code have them.
            return expires.timeIntervalSince1970.rounded(.down) - issued.timeIntervalSince1970.rounded(.down)
                - age
        }
        return expires.timeIntervalSince(now.wall)
    }

    /// True from one day after the expiry on: nobody can ask for it any more, and the file stays small.
    public func isForgotten(at now: Moment) -> Bool { isPast(86_400, at: now) }

    private func isPast(_ delay: Double, at now: Moment) -> Bool {
        remaining(at: now).map { $0 + delay <= 0 } ?? false
    }
}

/// That a device used a code: a once code is burnt by it; with a label's the device asks.
public struct TicketUse: Equatable, Sendable {
    /// How long the same request gets the same answer: 10 minutes, in seconds.
    public static let retryWindow: Double = 600

    /// Counts the uses of all codes of this hub, from 1 on; see ``ApprovedDevices/pairings``.
    public let number: Int
    /// The code's ticket.
    public let ticket: TicketID
    /// The pin of the device's key.
    public let device: Pin
    /// What the device calls itself.
    public let name: PeerName
    /// The device's nonce.
    public let deviceNonce: PairNonce
    /// The hub's nonce.
    public let hubNonce: PairNonce
    /// When it was.
    public let used: Moment
    /// The word for the kind of device, ``ApprovedDevice/browserKind``; nil for a program.
    public let kind: String?

    init(
        number: Int, ticket: TicketID, device: Pin, name: PeerName, deviceNonce: PairNonce,
        hubNonce: PairNonce, used: Moment, kind: String? = nil
    ) {
        self.number = number
        self.ticket = ticket
        self.device = device
        self.name = name
        self.deviceNonce = deviceNonce
        self.hubNonce = hubNonce
        self.used = used
        self.kind = kind
    }

    /// The use of a ticket that `request` asks for, from the device with the pin `device`.
    public init(
        _ request: PairRequest, by device: Pin, isBrowser: Bool = false, number: Int, hubNonce: PairNonce,
        used: Moment
    ) {
        self.init(
            number: number, ticket: request.ticket, device: device, name: request.name,
            deviceNonce: request.nonce, hubNonce: hubNonce, used: used,
            kind: isBrowser ? ApprovedDevice.browserKind : nil)
    }

    /// True for 10 minutes: the device may have missed the answer, and gets the same again.
    public func isRecent(at now: Moment) -> Bool { now.isWithin(TicketUse.retryWindow, of: used) }

    /// True if `request` is the one that this use came from, sent again.
    func isSame(as request: PairRequest, by device: Pin) -> Bool {
        device == self.device && request.name == name && request.nonce == deviceNonce
    }
}
