import GatewayRules
import HubService

/// Parses any bytes as an upstream's answer to one request, in pieces of three sizes, which must give equal
/// results. An independent parser must find the same answer in them, and exactly one answer in the bytes that
/// would be written to the client. Bits of the first byte select the request.
func fuzzAnswers(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let all = Array(UnsafeBufferPointer(start: data, count: count))
    let question = Question(isHead: all[0] & 1 != 0, upgrades: all[0] & 2 != 0, isHTTP10: all[0] & 4 != 0)
    let bytes = Array(all.dropFirst())
    let whole = readAnswer(bytes, to: question, step: .max)
    precondition(readAnswer(bytes, to: question, step: 1) == whole, "the cuts between reads do not matter")
    precondition(readAnswer(bytes, to: question, step: 7) == whole, "the cuts between reads do not matter")
    guard whole.isWhole, !whole.hasSwitched else { return 0 }
    compare(whole, with: bytes, question)
    checkWritten(whole, question)
    return 0
}

private struct Question {
    let isHead: Bool
    let upgrades: Bool
    let isHTTP10: Bool
}

private struct Reading: Equatable {
    /// The status of every head, informational ones first.
    var statuses: [Int] = []
    var body: [UInt8] = []
    var isWhole = false
    var hasSwitched = false
    var usedCount = 0
    var isUsable = false
    var error: FramingError?
    /// The heads for the client, as for a body in one piece.
    var heads: [UInt8] = []
    var framing = BodyFraming.none
    var trailers: [UInt8] = []
}

private func readAnswer(_ bytes: [UInt8], to question: Question, step: Int) -> Reading {
    var reading = Reading()
    var framing = ResponseFraming(toHead: question.isHead, upgrades: question.upgrades)
    var arrived = 0
    while arrived < bytes.count, !framing.isComplete, !framing.hasSwitched {
        arrived = step >= bytes.count - arrived ? bytes.count : arrived + step
        while true {
            let rest = bytes[reading.usedCount..<arrived]
            do {
                let (count, part) = try rest.withUnsafeBytes { try framing.next($0) }
                precondition(count <= rest.count, "no more is taken than there is")
                take(part, of: rest, to: question, into: &reading)
                reading.usedCount += count
                reading.hasSwitched = framing.hasSwitched
                if part == nil || framing.hasSwitched { break }
            } catch {
                reading.error = error as? FramingError
                reading.usedCount = 0  // the bytes used before an error depend on the cuts
                return reading
            }
        }
    }
    if framing.endWithConnection() { end(FieldBlock(), &reading) }
    return reading
}

private func take(
    _ part: ResponseFraming.Part?, of bytes: ArraySlice<UInt8>, to question: Question,
    into reading: inout Reading
) {
    switch part {
    case .head(let head):
        reading.statuses.append(head.status)
        reading.isUsable = head.leavesConnectionUsable
        if head.isInformational {
            reading.heads += head.forwarded(framing: .none, connection: nil, toBrowser: false)
        } else {
            let (announced, written) = head.framing(forHTTP10: question.isHTTP10)
            reading.framing = written
            reading.heads += head.forwarded(framing: announced, connection: nil, toBrowser: false)
        }
    case .body(let range):
        let start = bytes.startIndex
        reading.body += bytes[start + range.lowerBound..<start + range.upperBound]
    case .end(let trailers): end(trailers, &reading)
    case nil: break
    }
}

private func end(_ trailers: FieldBlock, _ reading: inout Reading) {
    var writer = BodyWriter(reading.framing)
    if !reading.body.isEmpty {
        precondition(writer.piece(reading.body.count) != nil, "the body is as long as announced")
    }
    guard let end = writer.end(trailers) else { preconditionFailure("the body is as long as announced") }
    reading.trailers = end
    reading.isWhole = true
}

private func compare(_ reading: Reading, with bytes: [UInt8], _ question: Question) {
    var reader = StrictReader(bytes)
    var start = 0
    for (place, status) in reading.statuses.enumerated() {
        guard let second = try? reader.answer(at: start, toHead: question.isHead) else {
            preconditionFailure("a second reader finds no answer where the gateway has found one")
        }
        precondition(second.start[1] == String(status))
        if place == reading.statuses.count - 1 {
            precondition(second.body == reading.body, "both find the same body")
            precondition(second.end ?? bytes.count == reading.usedCount, "both cut at the same place")
            precondition(
                second.end != nil || !reading.isUsable, "a connection that has ended is not used again")
        } else {
            start = second.end ?? bytes.count
        }
    }
}

private func checkWritten(_ reading: Reading, _ question: Question) {
    var writer = BodyWriter(reading.framing)
    var written = reading.heads
    if !reading.body.isEmpty, let (before, after) = writer.piece(reading.body.count) {
        written += before.utf8 + reading.body + after.utf8
    }
    written += reading.trailers
    var reader = StrictReader(written)
    var start = 0
    for status in reading.statuses {
        guard let second = try? reader.answer(at: start, toHead: question.isHead) else {
            preconditionFailure("the client is told an answer")
        }
        precondition(second.start[1] == String(status) && second.start[0] == "HTTP/1.1")
        precondition(second.end != nil || reading.framing == .untilClose, "the client is told where it ends")
        start = second.end ?? written.count
        if status >= 200 { precondition(second.body == reading.body, "the client gets the body") }
    }
    precondition(start == written.count, "nothing stands behind the answer")
}

/// Parses any bytes as each answer of etcd's: what is accepted has revisions and numbers that are not
/// negative, and no more entries than bytes.
func fuzzEtcd(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    var headers: [EtcdAnswer.Header] = []
    var entries: [EtcdEntry] = []
    if let range = try? EtcdAnswer.Range(parsing: bytes) {
        headers.append(range.header)
        entries += range.entries
    }
    if let transaction = try? EtcdAnswer.Transaction(parsing: bytes) {
        headers.append(transaction.header)
        entries += transaction.entries
    }
    switch try? EtcdAnswer.Watch(parsing: bytes) {
    case .created(let header): headers.append(header)
    case .changed(let header, let changes):
        headers.append(header)
        entries += changes
    case .ended(let revision): precondition(revision >= 0, "history is kept since a revision")
    case nil: break
    }
    if let status = try? EtcdAnswer.Status(parsing: bytes) { headers.append(status.header) }
    _ = try? EtcdAnswer.Member.list(parsing: bytes)
    _ = EtcdAnswer.error(parsing: bytes)
    precondition(headers.allSatisfy { $0.cluster > 0 && $0.revision >= 0 }, "a header names its cluster")
    precondition(entries.allSatisfy { $0.revision > 0 }, "a key has been written")
    precondition(entries.count <= 3 * count, "entries are made of bytes")
    return 0
}
