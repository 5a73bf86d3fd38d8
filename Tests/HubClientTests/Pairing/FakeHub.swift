import Addresses
import FoundationEssentials
import Glibc
import HubClient
import Pairing
import PinnedTLS
import Synchronization

/// A hub that follows a script, over real TLS, with real proofs where the script does not spoil them.
final class FakeHub: Sendable {
    /// What it does with one request to pair.
    enum Turn: Sendable {
        case reply(PairReply.Status)
        case spoiledProof
        case otherID
        case otherDevice
        case refuse(PairRefusal.Code)
        /// The connection ends without an answer.
        case lose
        case bytes(Int, String)
    }

    /// What it says of a device that asks for itself.
    enum Standing: Sendable {
        case status(DeviceDescription.Status)
        case stranger
        case lose
        case busy
    }

    let identity: TLSIdentity
    let secret: TicketSecret
    let name: PeerName
    private let turns: Mutex<[Turn]>
    private let standings: Mutex<[Standing]>
    /// The requests that have come in.
    let requests = Mutex<[PairRequest]>([])
    /// What the device's file `pairing` held when each of them came in.
    let files = Mutex<[String]>([])
    private let serverBox = Mutex<TLSServer?>(nil)
    private let configurationPath: String

    /// The last turn and the last standing repeat.
    init(
        _ turns: [Turn], then standings: [Standing] = [], name: String = "Kitchen hub", device: String,
        identity: TLSIdentity = .random(), secret: TicketSecret = .random(), host: String = "127.0.0.1"
    ) async throws {
        self.identity = identity
        self.secret = secret
        self.name = try PeerName(known: name)
        self.turns = Mutex(turns.reversed())
        self.standings = Mutex(standings.reversed())
        configurationPath = device
        let server = try await TLSServer(
            .respond { [weak self] head, body, client in self?.answer(head, body, client) },
            identity: identity, host: host)
        serverBox.withLock { $0 = server }
    }

    var address: HubAddress {
        get throws {
            guard let server = serverBox.withLock({ $0 }) else {
                throw HubConnectionError(address: "", reason: .noAddress)
            }
            return server.address
        }
    }

    /// Its code, which leads to it by the hint.
    func code(_ kind: PairingCode.Kind = .once) throws -> ScannedCode {
        let address = try address
        guard case .address(let host) = address.host else { throw ScannedCodeError.noCode }
        return .pairing(
            try PairingCode(
                kind: kind, expires: .now.addingTimeInterval(600), secret: secret, hub: identity.pin,
                addressHint: PairingCode.AddressHint(ipv4: host.bytes, port: address.port)))
    }

    private func answer(_ head: String, _ body: [UInt8], _ client: Pin?) -> [UInt8]? {
        guard let client else { return nil }
        if head.hasPrefix("GET /hubpair/v1/device HTTP/1.1\r\n") { return standing(of: client) }
        guard head.hasPrefix("POST /hubpair/v1/pair HTTP/1.1\r\n"),
            let request = try? PairRequest(parsing: body)
        else { return http(400, "{}") }
        requests.withLock { $0.append(request) }
        let file = readFile(configurationPath + "/pairing")
        files.withLock { $0.append(file) }
        return pair(request, client)
    }

    private func pair(_ request: PairRequest, _ client: Pin) -> [UInt8]? {
        let turn = turns.withLock { $0.count > 1 ? $0.removeLast() : $0[0] }
        let transcript = PairTranscript(
            ticket: request.ticket, hub: identity.pin, device: client, deviceNonce: request.nonce,
            name: request.name)
        guard transcript.deviceProof(secret.proofKey) == request.proof else {
            return http(403, String(decoding: PairRefusal(.badProof, message: "").serialized, as: UTF8.self))
        }
        let nonce = PairNonce.random()
        var status = PairReply.Status.approved
        var proof = transcript.hubProof(secret.proofKey, hubNonce: nonce)
        var id = identity.pin.fingerprint
        var device = client.fingerprint
        switch turn {
        case .reply(let word): status = word
        case .spoiledProof: proof = transcript.hubProof(secret.proofKey, hubNonce: .random())
        case .otherID: id = TLSIdentity.random().pin.fingerprint
        case .otherDevice: device = TLSIdentity.random().pin.fingerprint
        case .refuse(let code):
            return http(
                code.httpStatus ?? 400,
                String(decoding: PairRefusal(code, message: "why").serialized, as: UTF8.self))
        case .lose: return nil
        case .bytes(let status, let text): return http(status, text)
        }
        let reply = PairReply(
            status: status, device: device, hub: HubDescription(name: name, id: id), nonce: nonce,
            proof: proof)
        return http(reply.httpStatus, String(decoding: reply.serialized, as: UTF8.self))
    }

    private func standing(of client: Pin) -> [UInt8]? {
        let standing = standings.withLock { $0.count > 1 ? $0.removeLast() : $0[0] }
        switch standing {
        case .lose: return nil
        case .busy: return http(503, "{\"error\":\"unavailable\"}")
        case .stranger: return http(403, "{\"error\":\"not_approved\",\"message\":\"\"}")
        case .status(let status):
            guard let name = requests.withLock({ $0.last?.name }) else { return nil }
            let description = DeviceDescription(status: status, device: client.fingerprint, name: name)
            return http(200, String(decoding: description.serialized, as: UTF8.self))
        }
    }

    private func http(_ status: Int, _ body: String) -> [UInt8] {
        Array("HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
    }
}

/// A file's text; empty if there is none.
func readFile(_ path: String) -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = fread(&buffer, 1, buffer.count, file)
    return String(decoding: buffer[..<count], as: UTF8.self)
}

/// A device with an empty configuration directory, which goes when the value does.
final class ScratchDevice: Sendable {
    let path: String
    let configuration: DeviceConfiguration

    init() throws {
        var template = Array("/tmp/hubpair-device-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw HubConnectionError(address: "", reason: .system(errno)) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        configuration = DeviceConfiguration(option: path + "/config", environment: [:], home: path)
    }

    deinit {
        let names = [
            "known-hubs", "pairing", "scenes", "appliances", "device-key.pem", "device-certificate.pem",
        ]
        for name in names + names.map({ $0 + ".bak" }) + [".lock"] { unlink("\(path)/config/\(name)") }
        rmdir(path + "/config")
        rmdir(path)
    }

    /// All that the device has written.
    var everything: String {
        ["known-hubs", "pairing", "device-certificate.pem", "known-hubs.bak", "pairing.bak"]
            .map { readFile("\(path)/config/\($0)") }.joined()
    }

    func exists(_ name: String) -> Bool { access("\(path)/config/\(name)", F_OK) == 0 }
}
