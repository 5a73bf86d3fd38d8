/// A question for multicast answers (RFC 6762 § 5.2), with the answers that are known already (§ 7.1): the
/// host of such a service stays silent.
///
///     message = header question *answer
package struct MulticastQuestion: Hashable, Sendable {
    /// The most bytes of a message: it fits into an Ethernet frame with the headers of IPv6, UDP and a
    /// tunnel.
    static let maximumSize = 1_400
    /// Seconds: the time to live of a PTR record as its host sends it (RFC 6762 § 10). A host stays silent if
    /// it is at least half of its own (§ 7.1); the stack asks by itself before its copy expires (§ 5.2).
    static let timeToLive: UInt32 = 4_500

    package let bytes: [UInt8]

    /// Nil if `type` is no service type, or if there are more known answers than one message holds, some
    /// sixty. Several messages (§ 7.2) cost as much time as they save: Avahi keeps a timer for each answer.
    ///
    /// - Parameter known: names of instances, 1–63 bytes each (RFC 6763 § 4.1.1); others are left out.
    package init?(forServicesOf type: String, known: some Sequence<[UInt8]>) {
        guard let name = DNSName(serviceType: type) else { return nil }
        var answers: [UInt8] = []
        var count = 0
        let question = name.bytes + [0, RecordType.ptr, 0, 1]
        for label in known where (1...63).contains(label.count) {
            count += 1
            answers += MulticastQuestion.answer(label)
            let size = DNSMessage.headerSize + question.count + answers.count
            guard size <= MulticastQuestion.maximumSize else { return nil }
        }
        bytes = DNSMessage.header(questions: 1, answers: count) + question + answers
    }

    private static func answer(_ instance: [UInt8]) -> [UInt8] {
        /// To the first name after the header.
        let pointer: [UInt8] = [0xC0, UInt8(DNSMessage.headerSize)]
        let life = (0..<4).map { UInt8(truncatingIfNeeded: timeToLive >> (24 - 8 * $0)) }
        let data = [UInt8(instance.count)] + instance + pointer
        return pointer + [0, RecordType.ptr, 0, 1] + life + [0, UInt8(data.count)] + data
    }
}

extension DNSMessage {
    /// Bytes.
    static let headerSize = 12

    /// The header of a question.
    static func header(id: UInt16 = 0, questions: Int, answers: Int = 0) -> [UInt8] {
        [id, 0, UInt16(questions), UInt16(answers), 0, 0].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }
}

extension DNSName {
    /// As it is sent, without compression (RFC 1035 § 3.1).
    var bytes: [UInt8] { labels.flatMap { [UInt8($0.count)] + $0 } + [0] }
}
