import FoundationEssentials

/// What the hub makes of a request to pair.
public enum PairVerdict: Equatable, Sendable {
    /// It is refused; what of it counts as a failure.
    case refused(PairRefusal, counts: Counts)
    /// It was answered before, and gets the same answer with the status as it is now; nothing changes.
    case again(TicketUse, PairReply.Status)
    /// It is good: enter the use, and complete it.
    case use(TicketUse, PairReply.Status)

    /// What a refusal counts as.
    public enum Counts: Equatable, Sendable {
        /// No failure.
        case nothing
        /// A failure of the source.
        case source
        /// A failure of the source and of the once ticket.
        case sourceAndTicket
    }
}

/// The rules of pairing, over what the hub's files say: pure, so that the time, the nonce and the files are
/// parameters.
///
/// The order is the design's: the first reason that holds is the answer. What it needs no file for (no
/// certificate, a malformed request, a name that breaks a rule) has been refused before.
public struct PairPolicy: Sendable {
    /// How many new questions a label takes in 10 minutes.
    public static let askLimit = 5

    /// The pin of the hub's key.
    public let hub: Pin
    /// The pin of the key that it had before, and that it shows to who asks for it.
    package let old: Pin?
    /// The codes that are out.
    public let tickets: Tickets
    /// The devices, with the uses of all codes completed.
    public let devices: ApprovedDevices
    /// What has failed before.
    public let attempts: FailedAttempts

    /// The rules over these files.
    public init(hub: Pin, tickets: Tickets, devices: ApprovedDevices, attempts: FailedAttempts) {
        self.init(hub: hub, old: nil, tickets: tickets, devices: devices, attempts: attempts)
    }

    package init(
        hub: Pin, old: Pin?, tickets: Tickets, devices: ApprovedDevices, attempts: FailedAttempts
    ) {
        (self.hub, self.old) = (hub, old)
        self.tickets = tickets
        self.devices = devices
        self.attempts = attempts
    }

    /// The latest moment by the wall clock that the files know of; nil if of none.
    private var latest: Date? {
        [tickets.latest, devices.latest, attempts.latest].compactMap(\.self).max()
    }

    /// Judges a request that came at the time `now` from `source`, over a connection on which the device
    /// showed that it holds the key with the pin `device`, or shows it by the signature of `browser`.
    /// `hubNonce` is used if the request is good and new.
    public func judge(
        _ request: PairRequest, from device: Pin, browser: BrowserProof? = nil, source: SourcePrefix,
        hubNonce: PairNonce, now: Moment
    ) -> PairVerdict {
        judge(
            request, from: device, browser: browser, source: source, isRelayed: false, hubNonce: hubNonce,
            now: now)
    }

    /// The same for a connection that a relay may have brought: then only a code for outside is good, and no
    /// failure there counts for another one. Such a code is asked with from outside of a tunnel, too, where
    /// all callers have one address, so the failures of others with the same one do not keep it out.
    package func judge(
        _ request: PairRequest, from device: Pin, browser: BrowserProof? = nil, source: SourcePrefix,
        isRelayed: Bool, hubNonce: PairNonce, now: Moment
    ) -> PairVerdict {
        let known = tickets.ticket(request.ticket).flatMap { $0.isForgotten(at: now) ? nil : $0 }
        let isProven = known.map { pin(in: request, $0, device, browser) != nil } ?? false
        guard
            attempts.failures(of: source, at: now) < FailedAttempts.sourceLimit
                || known?.isForAway == true && isProven
        else { return .refused(.source, counts: .nothing) }
        guard let ticket = known else { return .refused(.unknown, counts: .source) }
        guard !isRelayed || ticket.isForAway else {
            return .refused(isProven ? .home : .unknown, counts: isProven ? .nothing : .source)
        }
        let uses = tickets.uses(of: ticket.id).filter { ticket.kind == .once || $0.isRecent(at: now) }
        // A label is asked with by many; what a device sends again is no new question.
        let use = ticket.kind == .once ? uses.first : uses.first { $0.device == device }
        switch ticket.kind {
        case .once where attempts.failures(of: ticket.id) >= FailedAttempts.ticketLimit:
            return .refused(.dead, counts: .nothing)
        case .label where use == nil && uses.count >= PairPolicy.askLimit:
            return .refused(.asks, counts: .nothing)
        case .once, .label: break
        }
        guard isProven else {
            return .refused(.proof, counts: ticket.kind == .once ? .sourceAndTicket : .source)
        }
        let verdict = devices.device(device)?.verdict(at: now) ?? .unknown
        if let use {
            guard use.isSame(as: request, by: device), use.isRecent(at: now) else {
                // Who asks knows the secret, and should know who else does.
                return .refused(use.device == device ? .usedByYou : .used(by: use), counts: .nothing)
            }
            switch verdict {
            case .approved: return .again(use, .approved)
            case .pending: return .again(use, .pending)
            // With a label a device asks for more time, and its approval that ran out stands in the keyfile.
            case .expired where ticket.kind == .label: return .again(use, .pending)
            case .expired, .revoked, .unknown, .unknownRole: return .refused(.notApproved, counts: .nothing)
            }
        }
        if ticket.kind == .label, verdict == .revoked { return .refused(.notApproved, counts: .nothing) }
        guard !ticket.isExpired(at: now, latest: latest) else { return .refused(.expired, counts: .nothing) }
        let fresh = TicketUse(
            request, by: device, isBrowser: browser != nil,
            number: max(tickets.lastNumber, devices.pairings) + 1, hubNonce: hubNonce, used: now)
        // A device that is approved already has nothing to ask for.
        return .use(fresh, ticket.kind == .once || verdict == .approved ? .approved : .pending)
    }
}

extension PairPolicy {
    /// The pin of the hub's key that the device has seen, as its proof says; nil if that fits none of them.
    package func pin(
        in request: PairRequest, _ ticket: Ticket, _ device: Pin, _ browser: BrowserProof?
    ) -> Pin? {
        [hub, old].compactMap(\.self).first { hub in
            let transcript = PairTranscript(
                ticket: ticket.id, hub: hub, device: device, deviceNonce: request.nonce, name: request.name)
            return transcript.deviceProof(ticket.proofKey) == request.proof
                && (browser?.holds(for: transcript) ?? true)
        }
    }
}

extension PairRefusal {
    /// The hub could not write its files.
    public static let unavailable = PairRefusal(
        .unavailable, message: "the hub cannot write its keyfile; nothing was changed")
    /// The device showed no certificate.
    public static let certificate = PairRefusal(
        .noCertificate, message: "pairing needs a client certificate of the device's own")

    static let source = PairRefusal(
        .tooManyAttempts, message: "20 attempts from this address failed; wait 10 minutes")
    static let dead = PairRefusal(
        .tooManyAttempts,
        message: "5 proofs for this code were wrong, so it is void; make a new one on the hub")
    static let asks = PairRefusal(
        .tooManyAttempts,
        message: "5 devices have asked with this label in 10 minutes; wait, or use a code for one device")
    static let unknown = PairRefusal(
        .ticketUnknown, message: "this hub has no such code, or has forgotten it")
    static let home = PairRefusal(
        .ticketUnknown,
        message: "this code is for the hub's own network; 'hubpair print --away' makes another")
    static let proof = PairRefusal(
        .badProof, message: "the proof does not fit the code and the keys of this connection")
    static func used(by use: TicketUse) -> PairRefusal {
        PairRefusal(
            .ticketUsed,
            message:
                "\"\(use.name)\" (\(use.device.fingerprint)) has used this code, at "
                + "\(use.used.wall.timestamp); if that is none of yours, revoke it")
    }
    static let usedByYou = PairRefusal(.ticketUsed, message: "this device has used this code already")
    static let notApproved = PairRefusal(
        .notApproved, message: "the owner has refused or revoked this device")
    static let expired = PairRefusal(
        .ticketExpired, message: "the code has expired; make a new one on the hub")

    /// The answer to a body that is no request.
    public init(_ error: PairMessageError) {
        switch error {
        case .tooLarge, .malformed: self.init(.badRequest, message: error.description)
        case .name: self.init(.nameInvalid, message: error.description)
        }
    }
}
