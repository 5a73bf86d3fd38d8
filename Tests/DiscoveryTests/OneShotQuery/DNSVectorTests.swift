import Discovery
import FoundationEssentials
import Testing

/// samples/vectors/dns-messages.json: the accepted messages were written by python-zeroconf.
private struct DNSVectors: Decodable, Sendable {
    struct Hint: Decodable, Equatable, Sendable {
        let name: String
        let host: String
        let port: UInt16
        let addresses: [String]
        let txt: [String: String]
    }

    struct Message: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let hex: String
        let hints: [Hint]?
        var testDescription: String { name }

        var bytes: [UInt8] {
            stride(from: 0, to: hex.utf8.count, by: 2).compactMap {
                UInt8(hex.dropFirst($0).prefix(2), radix: 16)
            }
        }
    }

    let accepted: [Message]
    let rejected: [Message]

    static let all: DNSVectors = {
        let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
        let path = root + "/samples/vectors/dns-messages.json"
        do {
            return try JSONDecoder().decode(DNSVectors.self, from: Data(contentsOf: URL(filePath: path)))
        } catch {
            fatalError("\(path): \(error)")  // a test without its vectors must not pass
        }
    }()
}

extension HeardRecords {
    /// The services of `type` of which an answer says all that there is to say.
    static func hints(in message: DNSMessage, of type: DNSName) -> [Found] {
        var records = HeardRecords(type: type, families: [])
        return records.take(message, over: .ipv4, at: .now).found
    }

    /// The labels of the instances of `type` that an answer announces.
    static func names(in message: DNSMessage, of type: DNSName) -> [[UInt8]] {
        var records = HeardRecords(type: type, families: [])
        return records.take(message, over: .ipv4, at: .now).names
    }
}

@Suite struct DNSVectorTests {
    @Test(arguments: DNSVectors.all.accepted)
    fileprivate func accepted(_ vector: DNSVectors.Message) throws {
        let type = try #require(DNSName(serviceType: "_hestia._tcp"))
        let hints = HeardRecords.hints(in: try DNSMessage(parsing: vector.bytes), of: type).map { hint in
            DNSVectors.Hint(
                name: String(decoding: hint.name, as: UTF8.self), host: hint.host, port: hint.port,
                addresses: hint.addresses.compactMap { NetworkAddress(bytes: $0)?.description },
                txt: Dictionary(
                    hint.txt.entries.map { ($0.key, String(decoding: $0.value ?? [], as: UTF8.self)) },
                    uniquingKeysWith: { first, _ in first }))
        }
        #expect(hints == vector.hints)
    }

    @Test(arguments: DNSVectors.all.rejected)
    fileprivate func rejected(_ vector: DNSVectors.Message) {
        #expect(throws: DNSMessageError.self) { try DNSMessage(parsing: vector.bytes) }
    }
}
