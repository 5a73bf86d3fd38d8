import Crypto
import Discovery
import FoundationEssentials
import Testing

/// samples/vectors/datagrams.json: made by make-vectors, which shares no code with this package.
struct DatagramVectors: Decodable, Sendable {
    struct Accepted: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let kind: String
        let hex: String
        let nonce: String?
        let open: Bool?
        let port: UInt16?
        let hub: String?
        let pin: String?
        var testDescription: String { name }
        var bytes: [UInt8] { DatagramVectors.bytes(hex) }
    }

    struct Rejected: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let kind: String
        let hex: String
        let error: String
        var testDescription: String { name }
        var bytes: [UInt8] { DatagramVectors.bytes(hex) }
    }

    let accepted: [Accepted]
    let rejected: [Rejected]

    static let all: DatagramVectors = {
        let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
        let path = root + "/samples/vectors/datagrams.json"
        do {
            return try JSONDecoder().decode(DatagramVectors.self, from: Data(contentsOf: URL(filePath: path)))
        } catch {
            fatalError("\(path): \(error)")  // a test without its vectors must not pass
        }
    }()

    static func bytes(_ hex: String) -> [UInt8] {
        stride(from: 0, to: hex.utf8.count, by: 2).compactMap {
            UInt8(hex.dropFirst($0).prefix(2), radix: 16)
        }
    }
}

extension ProbeError {
    var vectorName: String {
        switch self {
        case .wrongMagic: "magic"
        case .wrongLength: "length"
        case .nonzeroPadding: "padding"
        }
    }
}

extension ProbeReplyError {
    var vectorName: String {
        switch self {
        case .wrongMagic: "magic"
        case .tooShort: "too-short"
        case .tooLong: "too-long"
        case .portZero: "port"
        case .invalidName: "name"
        case .invalidKey: "key"
        case .invalidSignature: "signature"
        }
    }
}

@Suite struct DatagramTests {
    @Test(arguments: DatagramVectors.all.accepted)
    func isRead(_ vector: DatagramVectors.Accepted) throws {
        let nonce = vector.nonce.map(DatagramVectors.bytes)
        switch vector.kind {
        case "probe":
            let probe = try Probe(parsing: vector.bytes)
            #expect(probe.nonce == nonce)
            #expect(probe.bytes == vector.bytes)
        case "notice": #expect(try Notice(parsing: vector.bytes).bytes == vector.bytes)
        default:
            let reply = try ProbeReply(verifying: vector.bytes)
            #expect(reply.nonce == nonce)
            #expect(reply.port == vector.port)
            #expect(reply.isPairingOpen == vector.open)
            #expect(Array(reply.name.description.utf8) == vector.hub.map { Array($0.utf8) })
            #expect(reply.pin.bytes == vector.pin.map(DatagramVectors.bytes))
        }
    }

    @Test(arguments: DatagramVectors.all.rejected)
    func isRefused(_ vector: DatagramVectors.Rejected) {
        var name: String?
        switch vector.kind {
        case "probe":
            do { _ = try Probe(parsing: vector.bytes) } catch { name = error.vectorName }
        case "notice":
            do { _ = try Notice(parsing: vector.bytes) } catch { name = error.vectorName }
        default:
            do { _ = try ProbeReply(verifying: vector.bytes) } catch { name = error.vectorName }
        }
        #expect(name == vector.error)
    }

    @Test func noPrefixOfADatagramIsOne() {
        for vector in DatagramVectors.all.accepted {
            for count in 0..<vector.bytes.count {
                let part = Array(vector.bytes.prefix(count))
                #expect((try? Probe(parsing: part)) == nil)
                #expect((try? Notice(parsing: part)) == nil)
                #expect((try? ProbeReply(verifying: part)) == nil)
            }
        }
    }

    @Test(arguments: [
        "H", "Kitchen hub", String(repeating: "x", count: 63), String(repeating: "ü", count: 31),
    ])
    func aReplyIsReadAsItIsWritten(name: String) throws {
        let key = P256.Signing.PrivateKey()
        var generator = SystemRandomNumberGenerator()
        let probe = Probe(using: &generator)
        for isOpen in [false, true] {
            let bytes = try ProbeReply.bytes(
                to: probe, name: PeerName(name), port: 65_535, isPairingOpen: isOpen, key: key)
            let reply = try ProbeReply(verifying: bytes)
            #expect(reply.nonce == probe.nonce)
            #expect(reply.isPairingOpen == isOpen)
            #expect(reply.name.description == name)
            #expect(reply.port == 65_535)
            #expect(reply.pin == Pin(key.publicKey))
            #expect(bytes.count < Probe.byteCount)
        }
        #expect(throws: ProbeReplyError.portZero) {
            try ProbeReply.bytes(to: probe, name: PeerName(name), port: 0, isPairingOpen: false, key: key)
        }
    }

    @Test func everyBitOfAReplyCounts() throws {
        let bytes = try #require(DatagramVectors.all.accepted.first { $0.name == "reply" }).bytes
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1 << UInt8(index % 8)
            #expect((try? ProbeReply(verifying: changed)) == nil, "byte \(index)")
        }
    }
}
