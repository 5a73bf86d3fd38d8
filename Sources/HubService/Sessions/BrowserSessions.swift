import GatewayRules
import JSON
import NIOHTTP1
import Pairing
import Synchronization

/// The hub's side of browsers' sessions: what `POST /hubpair/v1/session` is answered with, and whose session
/// a request has.
final class BrowserSessions: Sendable {
    private let hub: HubDescription
    private let pin: Pin
    /// The pins of the keys before it: a browser goes by the hub's name, and signs for the key that the hub
    /// had when they met.
    private let past: [Pin]
    private let devices: DeviceAccess
    private let challenges = SessionChallenges()
    private let table = Mutex(SessionTable())
    private let start = ContinuousClock.now

    init(hub: HubDescription, pin: Pin, past: [Pin], devices: DeviceAccess) {
        (self.hub, self.pin, self.past, self.devices) = (hub, pin, past, devices)
    }

    /// Milliseconds since the start: no clock that somebody sets.
    var now: UInt64 {
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return UInt64(max(0, seconds)) * 1_000 + UInt64(max(0, attoseconds) / 1_000_000_000_000_000)
    }

    /// The device whose session the request has, as long as its approval is the one with which that began.
    func device(of head: RequestHead) -> Pin? {
        guard let token = SessionCookie.token(in: head.fields) else { return nil }
        let now = now
        guard let (pin, approved) = table.withLock({ $0.device(of: token, now: now) }) else { return nil }
        if case .approved(let device) = devices.access(of: pin), device.approvedSecond == approved {
            return pin
        }
        end(pin)
        return nil
    }

    func isLive(_ device: ApprovedDevice) -> Bool {
        let now = now
        return table.withLock { $0.isLive(device, now: now) }
    }

    func end(_ device: Pin) { table.withLock { $0.end(device) } }

    /// Called when the keyfile has changed.
    func sweep() {
        let (now, pins) = (now, table.withLock { $0.pins })
        // Outside the lock: a look-up may find that the keyfile has changed again, and call this.
        let staying = Set(pins.filter { if case .approved = devices.access(of: $0) { true } else { false } })
        table.withLock { $0.keep(now: now) { staying.contains($0) || !pins.contains($0) } }
    }

    /// Answers one request. What is refused to whom is told by the signature alone; strangers, of whom the
    /// hub knows nothing, are refused before it is looked at.
    func answer(_ body: [UInt8]) -> ServeReply {
        let request: SessionRequest
        do {
            request = try SessionRequest(parsing: body)
        } catch {
            return ServeReply(.badRequest, json: PairRefusal(error).serialized)
        }
        let (now, device) = (now, request.key.pin)
        guard let challenge = request.answer?.challenge else {
            return ServeReply(
                .ok,
                json: .object([
                    "challenge": .string(Base64URL.encode(challenges.make(for: device, now: now))),
                    "hub": .object(hub.members(pin: pin, past: past)),
                ]))
        }
        guard challenges.isFresh(challenge, for: device, now: now) else {
            return ServeReply(
                .forbidden, error: "challenge_expired", "the challenge is too old, or none of this hub's")
        }
        let access = devices.access(of: device)
        switch access {
        case .unreadable: return ServeReply(.unreadable)
        case .unknown: return BrowserSessions.refusal(.unknown)
        case .approved, .refused: break
        }
        guard ([pin] + past).contains(where: request.isSigned) else {
            return ServeReply(
                .forbidden, error: PairRefusal.Code.badProof.rawValue,
                "the signature does not fit the challenge, the hub and the key")
        }
        guard case .approved(let approved) = access else {
            if case .refused(_, let verdict) = access { return BrowserSessions.refusal(verdict) }
            return BrowserSessions.refusal(.unknown)
        }
        let token = BrowserSessions.token()
        let isBegun = table.withLock { table in
            guard table.spend(challenge, of: device, now: now) else { return false }
            table.begin(
                Array(token.utf8), of: approved, now: now, lifetime: UInt64(SessionCookie.lifetime) * 1_000)
            return true
        }
        guard isBegun else {
            return ServeReply(
                .forbidden, error: "challenge_expired",
                "the challenge was used already, or there were too many")
        }
        return ServeReply(
            .ok,
            json: .object([
                "device": .string(device.fingerprint.description),
                "seconds": .count(SessionCookie.lifetime),
            ]), cookie: SessionCookie.setting(token))
    }

    static func token() -> String {
        var random = SystemRandomNumberGenerator()
        return Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }

    /// `not_approved`, with the state of the device for the page.
    private static func refusal(_ verdict: DeviceVerdict) -> ServeReply {
        let refusal: RequestRefusal = verdict == .unknown ? .stranger : .notApproved(verdict)
        let status =
            switch verdict {
            case .pending: "pending"
            case .revoked: "revoked"
            case .expired: "expired"
            case .approved, .unknown, .unknownRole: "unknown"
            }
        return ServeReply(
            .forbidden,
            json: .object([
                "error": .string(refusal.word), "message": .string(refusal.message),
                "status": .string(status),
            ]))
    }
}
