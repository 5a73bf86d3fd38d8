import FoundationEssentials
import Testing

@testable import Pairing

/// The vectors of `exchange.json` and `hub-files.json`, which Python made from the design.
struct ExchangeVectors: Decodable, Sendable {
    struct Attempt: Decodable, Sendable, CustomTestStringConvertible {
        let name, secret, hub, device, deviceName, ticket, deviceNonce, hubNonce: String
        let transcriptOfDevice, transcriptOfHub, proofOfDevice, proofOfHub, request, reply: String
        var testDescription: String { name }
    }
    struct Accepted: Decodable, Sendable, CustomTestStringConvertible {
        let name, message, text: String
        let deviceName, hubName, status, code: String?
        let api: Int?
        var testDescription: String { name }
    }
    struct Rejected: Decodable, Sendable, CustomTestStringConvertible {
        let name, message, error: String
        let text, hex: String?
        var body: [UInt8] { text.map { Array($0.utf8) } ?? bytes(hex: hex ?? "") }
        var testDescription: String { name }
    }
    let attempts: [Attempt]
    let accepted: [Accepted]
    let rejected: [Rejected]

    static let all: ExchangeVectors = {
        let path = packageRoot + "/samples/vectors/exchange.json"
        do {
            return try JSONDecoder().decode(ExchangeVectors.self, from: Data(contentsOf: URL(filePath: path)))
        } catch {
            fatalError("\(path): \(error)")  // a test without its vectors must not pass
        }
    }()
}

@Suite struct ExchangeVectorTests {
    @Test(arguments: ExchangeVectors.all.attempts)
    func bothSidesComputeTheSame(vector: ExchangeVectors.Attempt) throws {
        let secret = try #require(TicketSecret(bytes: bytes(hex: vector.secret)))
        let hub = try #require(Pin(bytes: bytes(hex: vector.hub)))
        let device = try #require(Pin(bytes: bytes(hex: vector.device)))
        let nonce = try #require(PairNonce(bytes: bytes(hex: vector.deviceNonce)))
        let hubNonce = try #require(PairNonce(bytes: bytes(hex: vector.hubNonce)))
        let name = try PeerName(vector.deviceName)
        let transcript = PairTranscript(
            ticket: secret.ticketID, hub: hub, device: device, deviceNonce: nonce, name: name)
        #expect(secret.ticketID.bytes == bytes(hex: vector.ticket))
        #expect(transcript.digest(role: "device", hubNonce: []) == bytes(hex: vector.transcriptOfDevice))
        #expect(
            transcript.digest(role: "hub", hubNonce: hubNonce.bytes) == bytes(hex: vector.transcriptOfHub))
        #expect(transcript.deviceProof(secret.proofKey).bytes == bytes(hex: vector.proofOfDevice))
        #expect(
            transcript.hubProof(secret.proofKey, hubNonce: hubNonce).bytes == bytes(hex: vector.proofOfHub))

        let attempt = PairAttempt(secret: secret, name: name, nonce: nonce, device: device)
        #expect(try attempt.request(to: hub) == PairRequest(parsing: Array(vector.request.utf8)))
        let reply = try PairReply(parsing: Array(vector.reply.utf8))
        try attempt.verify(reply, from: hub)

        // The man in the middle has another key, towards whichever side.
        let other = Pin(subjectPublicKeyInfo: Data([1]))
        #expect(throws: PairReplyError.wrongProof) { try attempt.verify(reply, from: other) }
        #expect(attempt.request(to: other).proof != attempt.request(to: hub).proof)
        let another = PairAttempt(secret: secret, name: name, nonce: nonce, device: other)
        #expect(throws: PairReplyError.wrongProof) { try another.verify(reply, from: hub) }
    }

    @Test func aReplyThatIsProvenMustStillNameBothSides() throws {
        let vector = try #require(ExchangeVectors.all.attempts.first)
        let secret = try #require(TicketSecret(bytes: bytes(hex: vector.secret)))
        let hub = try #require(Pin(bytes: bytes(hex: vector.hub)))
        let device = try #require(Pin(bytes: bytes(hex: vector.device)))
        let nonce = try #require(PairNonce(bytes: bytes(hex: vector.deviceNonce)))
        let attempt = PairAttempt(
            secret: secret, name: try PeerName(vector.deviceName), nonce: nonce, device: device)
        let reply = try PairReply(parsing: Array(vector.reply.utf8))
        let otherHub = PairReply(
            status: .approved, device: reply.device,
            hub: HubDescription(name: reply.hub.name, id: device.fingerprint),
            nonce: reply.nonce, proof: reply.proof)
        #expect(throws: PairReplyError.otherHub(device.fingerprint, seen: hub.fingerprint)) {
            try attempt.verify(otherHub, from: hub)
        }
        let otherDevice = PairReply(
            status: .approved, device: hub.fingerprint, hub: reply.hub, nonce: reply.nonce, proof: reply.proof
        )
        #expect(throws: PairReplyError.otherDevice(hub.fingerprint, own: device.fingerprint)) {
            try attempt.verify(otherDevice, from: hub)
        }
    }

    @Test(arguments: ExchangeVectors.all.accepted)
    func accepted(vector: ExchangeVectors.Accepted) throws {
        let body = Array(vector.text.utf8)
        switch vector.message {
        case "request":
            let request = try PairRequest(parsing: body)
            #expect(Array(request.name.description.utf8) == vector.deviceName.map { Array($0.utf8) })
            #expect(try PairRequest(parsing: request.serialized) == request)
        case "reply":
            let reply = try PairReply(parsing: body)
            #expect(reply.status.rawValue == vector.status && reply.hub.name.description == vector.hubName)
            #expect(
                reply.hub.api == vector.api && reply.httpStatus == (reply.status == .approved ? 200 : 202))
            #expect(try PairReply(parsing: reply.serialized) == reply)
        case "refusal":
            let refusal = try PairRefusal(parsing: body)
            #expect(refusal.code.rawValue == vector.code)
            #expect(try PairRefusal(parsing: refusal.serialized) == refusal)
        case "hub":
            let hub = try HubDescription(parsing: body)
            #expect(hub.name.description == vector.hubName && hub.api == vector.api)
            #expect(try HubDescription(parsing: hub.serialized) == hub)
        default:
            let device = try DeviceDescription(parsing: body)
            #expect(device.status.rawValue == vector.status && device.name.description == vector.deviceName)
            #expect(try DeviceDescription(parsing: device.serialized) == device)
        }
    }

    @Test(arguments: ExchangeVectors.all.rejected)
    func rejected(vector: ExchangeVectors.Rejected) throws {
        let error = try #require(throws: PairMessageError.self) {
            switch vector.message {
            case "request": _ = try PairRequest(parsing: vector.body)
            case "reply": _ = try PairReply(parsing: vector.body)
            case "refusal": _ = try PairRefusal(parsing: vector.body)
            case "hub": _ = try HubDescription(parsing: vector.body)
            default: _ = try DeviceDescription(parsing: vector.body)
            }
        }
        let identifier =
            switch error {
            case .tooLarge: "too-large"
            case .malformed: "malformed"
            case .name: "name"
            }
        #expect(identifier == vector.error, "\(error)")
        #expect(error.recoverySuggestion != nil)
    }

    @Test func statusesAndOrderOfTheCodes() {
        #expect(
            PairRefusal.Code.inOrder.map(\.httpStatus) == [401, 400, 400, 429, 404, 403, 409, 403, 410])
        #expect(PairRefusal.Code(rawValue: "moon_phase")?.httpStatus == nil)
        for code in PairRefusal.Code.inOrder {
            let refusal = PairRefusal(code, message: "m")
            #expect(refusal.description.last != "." && refusal.recoverySuggestion?.hasPrefix("both") != nil)
        }
    }
}

@Suite struct HubFileVectorTests {
    struct Vector: Decodable, Sendable, CustomTestStringConvertible {
        let name, file, text: String
        let tickets, others: Int?
        let error: String?
        var testDescription: String { name }
    }
    struct Both: Decodable, Sendable { let accepted, rejected: [Vector] }

    static let vectors: Both = {
        let path = packageRoot + "/samples/vectors/hub-files.json"
        do {
            return try JSONDecoder().decode(Both.self, from: Data(contentsOf: URL(filePath: path)))
        } catch {
            fatalError("\(path): \(error)")
        }
    }()

    @Test(arguments: vectors.accepted)
    func accepted(vector: Vector) throws {
        let bytes = Array(vector.text.utf8)
        if vector.file == "tickets" {
            let tickets = try Tickets(parsing: bytes)
            #expect(tickets.tickets.count == vector.tickets && tickets.uses.count == vector.others)
            #expect(tickets.serialized == bytes)
        } else {
            let attempts = try FailedAttempts(parsing: bytes)
            #expect(attempts.sourceCount == vector.others && attempts.serialized == bytes)
        }
    }

    @Test(arguments: vectors.rejected)
    func rejected(vector: Vector) throws {
        let bytes = Array(vector.text.utf8)
        let error = try #require(throws: KeyFileError.self) {
            if vector.file == "tickets" {
                _ = try Tickets(parsing: bytes)
            } else {
                _ = try FailedAttempts(parsing: bytes)
            }
        }
        #expect(ApprovedDevicesVectorTests.identifier(of: error) == vector.error, "\(error)")
    }
}
