/// A domain name as its labels, 1–63 bytes each, at most 255 bytes with their length bytes (RFC 1035 § 3.1).
/// ASCII case does not count when two are compared (RFC 6762 § 16).
package struct DNSName: Hashable, Sendable {
    /// As they were sent: any bytes.
    package let labels: [[UInt8]]

    package init(labels: [[UInt8]]) { self.labels = labels }

    package static let local = DNSName(labels: [Array("local".utf8)])
    /// `b._dns-sd._udp`: below a domain, its PTR records name the domains to browse (RFC 6763 § 11).
    package static let browsing = enumeration("b")
    /// `lb._dns-sd._udp`: the same for clients that are told no domain.
    package static let legacyBrowsing = enumeration("lb")
    /// `_services._dns-sd._udp`: the service types of a domain (§ 9).
    package static let serviceTypes = enumeration("_services")

    private static func enumeration(_ first: String) -> DNSName {
        DNSName(labels: [first, "_dns-sd", "_udp"].map { Array($0.utf8) })
    }

    /// `_hestia._tcp` as `_hestia._tcp.local`; nil if it is no service type (RFC 6763 § 7).
    package init?(serviceType: String) {
        let parts = serviceType.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ (2...63).contains($0.count) }) else { return nil }
        labels = parts.map { Array($0) } + DNSName.local.labels
    }

    package static func == (one: DNSName, other: DNSName) -> Bool {
        one.labels.count == other.labels.count
            && zip(one.labels, other.labels).allSatisfy { one, other in
                one.count == other.count && zip(one, other).allSatisfy { folded($0) == folded($1) }
            }
    }

    package func hash(into hasher: inout Hasher) {
        for label in labels {
            hasher.combine(label.count)
            for byte in label { hasher.combine(DNSName.folded(byte)) }
        }
    }

    /// The instance's own label if this is the name of an instance of `type` (RFC 6763 § 4.1).
    package func instance(of type: DNSName) -> [UInt8]? {
        guard let first = labels.first, DNSName(labels: Array(labels.dropFirst())) == type else { return nil }
        return first
    }

    /// `hub.local`, with the escapes that avahi writes (RFC 1035 § 5.1): `\.`, `\\`, and three decimal digits
    /// for what is neither a letter, a digit, a hyphen nor an underscore.
    package var text: String {
        labels.map { label in
            label.map { byte in
                switch byte {
                case _ where DNSName.isPlain(byte): return String(UnicodeScalar(byte))
                case UInt8(ascii: "."), UInt8(ascii: "\\"): return "\\" + String(UnicodeScalar(byte))
                default:
                    let digits = String(byte)
                    return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
                }
            }.joined()
        }.joined(separator: ".")
    }

    /// A letter, a digit, a hyphen or an underscore.
    static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
        default: false
        }
    }

    private static func folded(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte + 0x20 : byte }
}

/// Reads a message from its first byte on; never past its end.
struct DNSReader {
    private let message: [UInt8]
    private var offset = 0

    init(_ message: [UInt8]) { self.message = message }

    mutating func integer() throws(DNSMessageError) -> UInt16 {
        let bytes = try bytes(2)
        return UInt16(bytes[0]) << 8 | UInt16(bytes[1])
    }

    mutating func bytes(_ count: Int) throws(DNSMessageError) -> [UInt8] {
        guard count <= message.count - offset else { throw .tooShort }
        defer { offset += count }
        return Array(message[offset..<offset + count])
    }

    mutating func name() throws(DNSMessageError) -> DNSName {
        var labels: [[UInt8]] = []
        var byteCount = 1
        // Where the name goes on after its first pointer.
        var end: Int?
        // A pointer must lead to before the piece that it ends: so there is no loop.
        var start = offset
        var position = offset
        while true {
            guard position < message.count else { throw .tooShort }
            let length = Int(message[position])
            switch length & 0xC0 {
            case 0:
                guard length > 0 else {
                    offset = end ?? position + 1
                    return DNSName(labels: labels)
                }
                guard position + 1 + length <= message.count else { throw .tooShort }
                byteCount += 1 + length
                guard byteCount <= 255 else { throw .badName }
                labels.append(Array(message[position + 1..<position + 1 + length]))
                position += 1 + length
            case 0xC0:
                guard position + 1 < message.count else { throw .tooShort }
                let target = (length & 0x3F) << 8 | Int(message[position + 1])
                guard target < start else { throw .badName }
                if end == nil { end = position + 2 }
                start = target
                position = target
            default: throw .badName
            }
        }
    }

    /// The next record; nil if it is of a type or class that is not read.
    mutating func record() throws(DNSMessageError) -> DNSMessage.Record? {
        let name = try name()
        let type = try integer()
        let recordClass = try integer()
        let timeToLive = UInt32(try integer()) << 16 | UInt32(try integer())
        let count = Int(try integer())
        guard count <= message.count - offset else { throw .tooShort }
        let end = offset + count
        guard recordClass & 0x7FFF == 1, let type = UInt8(exactly: type).flatMap(RecordType.init),
            let data = try data(type, until: end)
        else {
            offset = end
            return nil
        }
        guard offset == end else { throw .badRecord }
        return DNSMessage.Record(
            name: name, isUnique: recordClass != 1, timeToLive: timeToLive, data: data)
    }

    private mutating func data(
        _ type: RecordType, until end: Int
    ) throws(DNSMessageError) -> DNSMessage.RecordData? {
        switch type {
        case .a, .aaaa:
            guard end - offset == (type == .a ? 4 : 16) else { throw .badRecord }
            return .address(try bytes(end - offset))
        case .ptr: return .pointer(try name())
        case .cname: return .alias(of: try name())
        case .srv:
            _ = try bytes(4)  // priority and weight: one hub has one target
            let port = try integer()
            return .service(target: try name(), port: port)
        case .txt:
            var strings: [[UInt8]] = []
            while offset < end {
                let length = Int(try bytes(1)[0])
                guard length <= end - offset else { throw .badRecord }
                strings.append(try bytes(length))
            }
            return .text(strings)
        case .nsec: return absence(until: end)
        }
    }

    /// Nil if it is not as RFC 4034 § 4.1 has it: nothing depends on it, so the rest of the message counts.
    private mutating func absence(until end: Int) -> DNSMessage.RecordData? {
        do throws(DNSMessageError) {
            _ = try name()  // its own name (RFC 6762 § 6.1)
            var types: Set<UInt8> = []
            while offset < end {
                let window = try bytes(2)
                let bits = try bytes(Int(window[1]))
                guard window[0] == 0, bits.count <= 32 else { continue }
                for (index, byte) in bits.enumerated() {
                    for bit in 0..<8 where byte & (0x80 >> UInt8(bit)) != 0 {
                        types.insert(UInt8(index * 8 + bit))
                    }
                }
            }
            return offset == end ? .absence(allBut: types) : nil
        } catch {
            return nil
        }
    }
}
