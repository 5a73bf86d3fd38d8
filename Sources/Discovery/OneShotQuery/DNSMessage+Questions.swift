extension DNSMessage {
    /// Bytes.
    static let headerSize = 12
    /// The most bytes of a multicast question: it fits into an Ethernet frame with the headers of IPv6, UDP
    /// and a tunnel.
    private static let maximumQuestionSize = 1_400
    /// Seconds: the time to live of a PTR record as its host sends it (RFC 6762 § 10). A host stays silent if
    /// it is at least half of its own (§ 7.1). The stack does not say how much of it is left: a record in the
    /// second half of its life, which should not be named, is, and is asked for once it has expired.
    private static let pointerLife: UInt32 = 4_500

    /// A question for multicast answers (RFC 6762 § 5.2), with the answers that are known already (§ 7.1):
    /// the host of such a service stays silent.
    ///
    ///     message = header question *answer
    ///
    /// Nil if there are more known answers than one message holds: some sixty with short names. Several
    /// messages (§ 7.2) cost more than they save: Avahi keeps a timer for each answer, and forty hosts of 200
    /// hubs in a lab were busy for 20 s with them.
    ///
    /// - Parameters:
    ///   - known: names of instances, 1–63 bytes each (RFC 6763 § 4.1.1); others are left out.
    ///   - isWhole: what does not fit is left out, and its hosts answer.
    static func multicastQuestion(
        forServicesOf type: DNSName, known: some Sequence<[UInt8]>, isWhole: Bool = false
    ) -> [UInt8]? {
        var answers: [UInt8] = []
        var count = 0
        let question = type.bytes + [0, RecordType.ptr.rawValue, 0, 1]
        for label in known where (1...63).contains(label.count) {
            let answer = knownAnswer(label)
            guard headerSize + question.count + answers.count + answer.count <= maximumQuestionSize else {
                if isWhole { break }
                return nil
            }
            count += 1
            answers += answer
        }
        return header(questions: 1, answers: count) + question + answers
    }

    private static func knownAnswer(_ instance: [UInt8]) -> [UInt8] {
        /// To the first name after the header.
        let pointer: [UInt8] = [0xC0, UInt8(headerSize)]
        let life = (0..<4).map { UInt8(truncatingIfNeeded: pointerLife >> (24 - 8 * $0)) }
        let data = [UInt8(instance.count)] + instance + pointer
        return pointer + [0, RecordType.ptr.rawValue, 0, 1] + life + [0, UInt8(data.count)] + data
    }

    /// Questions for single records: one-shot, as in ``question(forServicesOf:id:)``, or for answers that are
    /// multicast, without an identifier (RFC 6762 § 18.1).
    static func questions(_ questions: [HeardRecords.Question], id: UInt16?) -> [UInt8] {
        header(id: id ?? 0, questions: questions.count)
            + questions.flatMap { $0.name.bytes + [0, $0.kind.rawValue, id == nil ? 0 : 0x80, 1] }
    }

    static func header(id: UInt16 = 0, questions: Int, answers: Int = 0) -> [UInt8] {
        [id, 0, UInt16(questions), UInt16(answers), 0, 0].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }
}

extension DNSName {
    /// As it is sent, without compression (RFC 1035 § 3.1).
    var bytes: [UInt8] { labels.flatMap { [UInt8($0.count)] + $0 } + [0] }
}
