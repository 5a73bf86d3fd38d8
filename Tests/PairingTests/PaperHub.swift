import FoundationEssentials
import Testing

@testable import Pairing

/// A hub on paper: its files, and devices that send it requests.
struct PaperHub {
    static let boot = "6f0e4a0c-3c5b-4f0e-9d0e-2b1f3c4d5e6f"
    static let otherBoot = "00000000-3c5b-4f0e-9d0e-2b1f3c4d5e6f"
    let pin = Pin(subjectPublicKeyInfo: Data("hub".utf8))
    var tickets = Tickets()
    var devices = ApprovedDevices()
    var attempts = FailedAttempts()

    /// `seconds` after the start by both clocks; `wall` is what the wall clock is off by.
    static func at(_ seconds: Double, wall: Double = 0, boot: String = boot) -> Moment {
        Moment(
            wall: Date(timeIntervalSince1970: 1_795_256_523 + seconds + wall),
            boot: BootTime(id: boot, milliseconds: Int64((1_000 + seconds) * 1000)))
    }

    static func device(_ name: String) -> Pin { Pin(subjectPublicKeyInfo: Data(name.utf8)) }
    static func source(_ number: Int) throws -> SourcePrefix {
        let bytes = [10, UInt8(number >> 16 & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]
        return try #require(NetworkAddress(bytes: bytes).map { SourcePrefix($0) })
    }
    static func nonce(_ byte: UInt8) throws -> PairNonce {
        try #require(PairNonce(bytes: [UInt8](repeating: byte, count: 16)))
    }

    mutating func issue(_ kind: PairingCode.Kind, lifetime: Double?, at now: Moment = at(0)) throws
        -> TicketSecret
    {
        let secret = TicketSecret.random()
        let code = try PairingCode(
            kind: kind, expires: lifetime.map(now.wall.addingTimeInterval), secret: secret, hub: pin)
        tickets.issue(Ticket(of: code, issued: now), at: now)
        return secret
    }

    /// What the hub answers: a word for the verdict. Its files change as they would, and go through their
    /// text.
    mutating func ask(
        _ secret: TicketSecret, _ device: String, nonce: UInt8 = 1, name: String? = nil, wrong: Bool = false,
        from source: Int = 1, at now: Moment
    ) throws -> String {
        let attempt = PairAttempt(
            secret: secret, name: try PeerName(name ?? device), nonce: try Self.nonce(nonce),
            device: Self.device(device))
        let request = attempt.request(to: wrong ? Self.device("another hub") : pin)
        devices = try ApprovedDevices(parsing: devices.serialized)
        tickets = try Tickets(parsing: tickets.serialized)
        attempts = try FailedAttempts(parsing: attempts.serialized)
        attempts.rebase(to: now)
        let verdict = PairPolicy(hub: pin, tickets: tickets, devices: devices, attempts: attempts).judge(
            request, from: Self.device(device), source: try Self.source(source), hubNonce: .random(), now: now
        )
        switch verdict {
        case .refused(let refusal, .nothing): return refusal.code.rawValue
        case .refused(let refusal, let counts):
            try attempts.record(
                Self.source(source), ticket: counts == .sourceAndTicket ? request.ticket : nil, at: now)
            return refusal.code.rawValue
        case .again(_, let status): return "again " + status.rawValue
        case .use(let use, let status):
            tickets.enter(use)
            _ = devices.forgetAsks(at: now)
            _ = devices.complete(tickets)
            return status.rawValue
        }
    }

    mutating func set(_ status: ApprovedDevice.Status, _ device: String) throws {
        var changed = try #require(devices.device(Self.device(device)))
        changed.status = status
        changed.asked = nil
        devices.insert(changed)
    }
}
