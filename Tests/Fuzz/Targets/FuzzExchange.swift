import FoundationEssentials
import Pairing

/// Parses any bytes as each message of the exchange and as each file of the hub. What is accepted must
/// survive serialising and parsing; everything else must be refused without a trap, and the reason must not
/// repeat the input.
func fuzzExchange(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    if let request = try? PairRequest(parsing: bytes) {
        precondition(bytes.count <= PairRequest.maximumByteCount)
        precondition((try? PairRequest(parsing: request.serialized)) == request, "a request survives")
    }
    if let reply = try? PairReply(parsing: bytes) {
        precondition((try? PairReply(parsing: reply.serialized)) == reply, "a reply survives")
    }
    if let refusal = try? PairRefusal(parsing: bytes) {
        _ = (refusal.description, refusal.recoverySuggestion, refusal.code.httpStatus)
        // If every character had to be escaped, the serialised message can exceed the size limit.
        let again = try? PairRefusal(parsing: refusal.serialized)
        precondition(again == refusal || refusal.serialized.count > PairRequest.maximumByteCount)
    }
    if let hubs = try? SiteHub.list(parsing: bytes) {
        precondition(hubs.count <= SiteHub.maximumCount, "no more hubs than are kept")
        // What is written may be longer than what was read: then the last ones have no room.
        let again = try? SiteHub.list(parsing: SiteHub.answer(hubs))
        precondition(again.map { $0 == Array(hubs.prefix($0.count)) } == true, "hubs of a site survive")
    }
    if let hub = try? HubDescription(parsing: bytes) {
        precondition((try? HubDescription(parsing: hub.serialized)) == hub, "a hub survives")
    }
    if let device = try? DeviceDescription(parsing: bytes) {
        precondition((try? DeviceDescription(parsing: device.serialized)) == device, "a device survives")
    }
    fuzzHubFiles(bytes)
    return 0
}

private func fuzzHubFiles(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    if let source = SourcePrefix(text) { precondition(source.description == text, "a source has one text") }
    if let time = BootTime(text) { precondition(BootTime(time.description) == time, "a boot clock survives") }

    let now = Moment(
        wall: Date(timeIntervalSince1970: 1_795_256_523),
        boot: BootTime(id: "6f0e4a0c-3c5b-4f0e-9d0e-2b1f3c4d5e6f", milliseconds: 200_000))
    if var attempts = try? FailedAttempts(parsing: bytes),
        let source = NetworkAddress("192.0.2.8").map({ SourcePrefix($0) })
    {
        precondition(attempts.serialized == bytes, "an unchanged file is the same to the byte")
        attempts.rebase(to: now)
        attempts.record(source, ticket: nil, at: now)
        precondition(
            attempts.failures(of: source, at: now) > 0
                && attempts.sourceCount <= FailedAttempts.maximumSources)
        precondition(
            (try? FailedAttempts(parsing: attempts.serialized)) != nil, "what is written can be read")
    }
    if var tickets = try? Tickets(parsing: bytes) {
        precondition(tickets.serialized == bytes, "an unchanged file is the same to the byte")
        var devices = ApprovedDevices()
        _ = devices.complete(tickets)
        precondition(devices.complete(tickets).isEmpty, "what is completed is not completed again")
        precondition((try? ApprovedDevices(parsing: devices.serialized))?.pairings == devices.pairings)
        for ticket in tickets.tickets { _ = (ticket.isExpired(at: now), ticket.isForgotten(at: now)) }
        if let ticket = tickets.tickets.first {
            tickets.issue(ticket, at: now)
            tickets.withdraw(ticket.id, restoring: [])
            precondition(tickets.ticket(ticket.id) == nil)
            precondition((try? Tickets(parsing: tickets.serialized)) != nil, "what is written can be read")
        }
    }
}

/// Reads any bytes as a statement of a new key, and as a certificate that has one: what is accepted is signed
/// by both keys, so the same bytes with any one changed are not.
func fuzzStatements(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    for statement in [try? KeyStatement(verifying: bytes), KeyStatement(inCertificate: bytes)] {
        guard let statement else { continue }
        precondition((try? KeyStatement(verifying: statement.bytes)) == statement, "it is what it says")
        var other = statement.bytes
        other[count % other.count] ^= 1
        precondition((try? KeyStatement(verifying: other)) == nil, "both signatures cover every byte")
    }
    return 0
}
