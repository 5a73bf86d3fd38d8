/// A DNS message (RFC 1035 § 4.1), read as far as DNS-SD answers need it: PTR, SRV, TXT, A, AAAA, CNAME
/// and NSEC records of class IN. Other records are skipped.
///
///     message  = header *question *record
///     header   = id flags qdcount ancount nscount arcount        ; 16 bits each
///     question = name qtype qclass
///     record   = name type class ttl(32) rdlength *rdlength(OCTET)
///     name     = *( length label ) ( %x00 / pointer )            ; length 1–63, at most 255 bytes in all
///     pointer  = 16 bits, the first two of them 1: offset of an earlier name
///
/// The message is anybody's: every length is checked against what is there, a pointer must lead to an earlier
/// byte than the name that holds it, and there are bounds on records, labels and bytes. One fault refuses all
/// of it.
///
/// Accepted: a header of zeros. Rejected: 11 bytes; a name that points to itself; a record that is longer
/// than the message.
package struct DNSMessage: Hashable, Sendable {
    /// The bounds of a message. Its sender decides how large it is, and each record costs memory.
    package struct Limits: Hashable, Sendable {
        package let byteCount: Int
        /// Of records, all sections together, and of questions.
        package let recordCount: Int

        /// A multicast message: RFC 6762 § 17.
        package static let multicast = Limits(byteCount: 9_000, recordCount: 512)
        /// A message over TCP has at most 65,535 bytes (RFC 1035 § 4.2.2): so many records of 15 bytes.
        package static let unicast = Limits(byteCount: 65_535, recordCount: 4_369)
    }

    package struct Record: Hashable, Sendable {
        package let name: DNSName
        /// The cache-flush bit: its host says all records of this name and type at once (RFC 6762 § 10.2).
        package let isUnique: Bool
        /// Seconds.
        package let timeToLive: UInt32
        package let data: RecordData
    }

    package enum RecordData: Hashable, Sendable {
        /// 4 bytes (A) or 16 (AAAA).
        case address([UInt8])
        case pointer(DNSName)
        case service(target: DNSName, port: UInt16)
        /// CNAME: the name is another one's alias.
        case alias(of: DNSName)
        /// Strings of 0–255 bytes.
        case text([[UInt8]])
        /// NSEC: the name has records of these types and of no other below 256 (RFC 6762 § 6.1).
        case absence(allBut: Set<UInt8>)
    }

    package let id: UInt16
    /// True for an answer without an error: QR is set, opcode and rcode are 0.
    package let isAnswer: Bool
    /// TC: there was more than fits.
    package let isTruncated: Bool
    /// The records of all sections, in the order of the message.
    package let records: [Record]

    package init(parsing bytes: [UInt8], within limits: Limits = .multicast) throws(DNSMessageError) {
        guard bytes.count <= limits.byteCount else { throw .tooLarge(bytes.count) }
        var reader = DNSReader(bytes)
        id = try reader.integer()
        let flags = try reader.integer()
        isAnswer = flags & 0xF80F == 0x8000
        isTruncated = flags & 0x0200 != 0
        let questionCount = Int(try reader.integer())
        var recordCount = 0
        for _ in 0..<3 { recordCount += Int(try reader.integer()) }
        guard questionCount <= limits.recordCount, recordCount <= limits.recordCount else {
            throw .tooManyRecords
        }
        for _ in 0..<questionCount {
            _ = try reader.name()
            _ = try reader.bytes(4)
        }
        var records: [Record] = []
        for _ in 0..<recordCount {
            if let record = try reader.record() { records.append(record) }
        }
        self.records = records
    }

    /// A question for the PTR records of a DNS-SD type such as `_hestia._tcp.local`, as RFC 6762 § 5.1 sends
    /// it.
    ///
    /// It asks for a unicast answer (§ 5.4), which it gets anyway: without that bit every other host that is
    /// about to ask the same takes it for its own question (§ 7.3), and does not hear the answer.
    package static func question(forServicesOf type: DNSName, id: UInt16) -> [UInt8] {
        questions([HeardRecords.Question(name: type, kind: .ptr)], id: id)
    }
}

/// The types of records that are read, or asked for.
package enum RecordType: UInt8, Hashable, Sendable {
    case a = 1
    case cname = 5
    case ptr = 12
    case txt = 16
    case aaaa = 28
    case srv = 33
    case nsec = 47
}

/// Why bytes are no DNS message. Never reaches a user: such packets are ignored.
package enum DNSMessageError: Error, Hashable, Sendable {
    /// More bytes than ``DNSMessage/Limits`` allow.
    case tooLarge(Int)
    /// It ends in the middle.
    case tooShort
    case tooManyRecords
    /// A name longer than 255 bytes, a reserved label type, or a pointer that does not lead back.
    case badName
    /// Data of another length than the record's type has.
    case badRecord
}
