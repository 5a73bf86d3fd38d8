import GatewayRules
import Pairing

/// Parses any bytes as requests on one connection, in pieces of three sizes, which must give equal results.
/// An independent parser must find the same requests at the same offsets. In the bytes that would be written
/// to the upstream it must find exactly one request for each, with the same method, target and body, and the
/// fields of the device that sent it. The router must forward nothing that it must not, for any client.
func fuzzRequests(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    let whole = readRequests(bytes, step: .max)
    precondition(readRequests(bytes, step: 1) == whole, "the cuts between reads do not matter")
    precondition(readRequests(bytes, step: 7) == whole, "the cuts between reads do not matter")
    var start = 0
    for request in whole.requests {
        checkWritten(request)
        guard request.isWhole else { continue }
        var reader = StrictReader(bytes)
        guard let second = try? reader.request(at: start), let end = second.end else {
            preconditionFailure("a second reader finds no request where the gateway has found one")
        }
        precondition(end == request.end, "both cut at the same place")
        precondition(second.start[0] == request.method && second.start[1] == request.target)
        precondition(second.body == request.body, "both find the same body")
        start = end
    }
    checkPath(bytes)
    return 0
}

private let device = DeviceFields(fingerprint: "K7QF-2M9D-X0TW-8RHC", name: "Anna's tablet", role: .guest)

private struct Request: Equatable {
    var method = ""
    var target = ""
    var body: [UInt8] = []
    var isWhole = false
    /// The offset of its end in the client's bytes.
    var end = 0
    /// The head for the upstream, as for a body in one piece: the chunks depend on the reads.
    var head: [UInt8] = []
    var framing = BodyFraming.none
    var trailers: [UInt8] = []
}

private struct Reading: Equatable {
    var requests: [Request] = []
    var error: FramingError?
}

private func readRequests(_ bytes: [UInt8], step: Int) -> Reading {
    var reading = Reading()
    var framing = RequestFraming()
    var (taken, arrived) = (0, 0)
    while arrived < bytes.count {
        arrived = step >= bytes.count - arrived ? bytes.count : arrived + step
        while true {
            let rest = bytes[taken..<arrived]
            do {
                let (count, part) = try rest.withUnsafeBytes { try framing.next($0) }
                precondition(count <= rest.count, "no more is taken than there is")
                take(part, of: rest, into: &reading)
                taken += count
                guard let part else { break }
                if case .end = part {
                    reading.requests[reading.requests.count - 1].end = taken
                    framing = RequestFraming()
                }
            } catch {
                reading.error = error as? FramingError
                return reading
            }
        }
    }
    return reading
}

private func take(_ part: RequestFraming.Part?, of bytes: ArraySlice<UInt8>, into reading: inout Reading) {
    switch part {
    case .head(let head):
        checkActions(for: head)
        let written = head.forwarded(for: device.lines, authority: "127.0.0.1:80", closes: false)
        reading.requests.append(
            Request(method: head.method, target: head.target, head: written, framing: head.body))
    case .body(let range):
        let start = bytes.startIndex
        reading.requests[reading.requests.count - 1].body +=
            bytes[start + range.lowerBound..<start + range.upperBound]
    case .end(let trailers):
        let last = reading.requests.count - 1
        var writer = BodyWriter(reading.requests[last].framing)
        if !reading.requests[last].body.isEmpty {
            precondition(
                writer.piece(reading.requests[last].body.count) != nil, "the body is as long as announced")
        }
        guard let end = writer.end(trailers) else { preconditionFailure("the body is as long as announced") }
        reading.requests[last].trailers = end
        reading.requests[last].isWhole = true
    case nil: break
    }
}

private func checkWritten(_ request: Request) {
    var writer = BodyWriter(request.framing)
    var written = request.head
    if !request.body.isEmpty, let (before, after) = writer.piece(request.body.count) {
        written += before.utf8 + request.body + after.utf8
    }
    written += request.trailers
    var reader = StrictReader(written)
    let second: StrictMessage
    do {
        second = try reader.request()
    } catch {
        precondition(!request.isWhole && error as? StrictFault == .partial, "the upstream is told a request")
        return
    }
    precondition(request.isWhole || !request.framing.hasBytes, "what is broken off looks so")
    precondition(second.end == written.count, "nothing stands behind the request")
    precondition(second.start == [request.method, request.target, "HTTP/1.1"])
    precondition(second.body == request.body, "the upstream gets the body")
    precondition(second.values("host").count == 1)
    let claims = second.fields.filter { field in
        ["xhubpair", "xhubpairdevice"].contains(field.name.filter(\.isLetter))
    }
    precondition(
        claims.count == 1 && claims[0].value == Array(device.fingerprint.utf8), "nobody claims to be another")
}

private func pin(_ byte: UInt8) -> Pin {
    guard let pin = Pin(bytes: [UInt8](repeating: byte, count: Pin.byteCount)) else {
        preconditionFailure("a pin has this many bytes")
    }
    return pin
}

private func approved(_ pin: Pin, role: String? = nil) -> ApprovedDevice {
    guard let name = try? PeerName("x") else { preconditionFailure("a name") }
    return ApprovedDevice(name: name, pin: pin, status: .approved, role: role)
}

/// True if a guest may send it: to read, or to switch at a path without a character that any server might
/// decode.
private func isForGuests(_ head: RequestHead) -> Bool {
    if head.upgrade != nil { return false }
    if ["GET", "HEAD"].contains(head.method) { return true }
    return head.method == "POST" && head.target.hasPrefix("/devices/") && head.target.contains("/activators/")
        && head.target.utf8.count { $0 == UInt8(ascii: "/") } == 4 && !head.target.contains("//")
        && !head.target.contains("/../") && !head.target.hasSuffix("/") && !head.target.hasSuffix("/..")
        && !head.target.contains { "%?;&=".contains($0) }
}

private let (own, vouched) = (pin(1), pin(2))
private let maximumBodyByteCount = 1_000
private let router = RequestRouter(
    hasUpstream: true, maximumBodyByteCount: maximumBodyByteCount,
    crossSite: CrossSiteRule { $0 == .name("h") }
) {
    $0.count.isMultiple(of: 2) ? vouched : nil
}

/// Whether guests may set an appliance; any function of its id.
private func verdict(on id: String) -> GuestVerdict? {
    switch id.utf8.count % 4 {
    case 0: .guarded
    case 1: .allowed
    case 2: .unknown
    default: nil
    }
}

/// Checks every kind of client with every result of the keyfile.
private func checkActions(for head: RequestHead) {
    let certificates: [RequestRouter.Client.Certificate] = [.none, .otherKey("a key"), .device(own)]
    for certificate in certificates {
        for isProxy in [false, true] {
            let client = RequestRouter.Client(certificate: certificate, isTrustedProxy: isProxy)
            for role in [nil, "owner", "guest", "x"] {
                checkAction(for: head, from: client) { .approved(approved($0, role: role)) }
            }
            checkAction(for: head, from: client) { .refused(approved($0), .revoked) }
            checkAction(for: head, from: client) { _ in .unknown }
            checkAction(for: head, from: client) { _ in .unreadable }
        }
    }
}

private func checkAction(
    for head: RequestHead, from client: RequestRouter.Client, _ access: (Pin) -> RequestRouter.Access
) {
    var asked: [Pin] = []
    var isApproved = false
    let action = router.action(for: head, from: client, guests: verdict) {
        asked.append($0)
        let access = access($0)
        if case .approved = access { isApproved = true }
        return access
    }
    precondition(asked.count <= 1, "one look-up decides")
    precondition(asked.allSatisfy { $0 == client.pin || client.isTrustedProxy }, "only proxies vouch")
    let length: Int? = if case .length(let length) = head.body { length } else { nil }
    switch action {
    case .ask(let appliance):
        precondition(isApproved && verdict(on: appliance) == nil, "nobody has asked about it")
    case .forward(let device):
        precondition(isApproved && client.pin == device.pin && asked == [device.pin], "it was let in")
        precondition(!namesHub(head.target), "the hub's names are withheld")
        precondition(
            device.role != "x" && (device.role != "guest" || isForGuests(head)), "its role allows it")
        let parts = head.target.split(separator: "/").map(String.init)
        precondition(
            device.role != "guest" || head.method != "POST" || verdict(on: parts[1]) == .allowed,
            "guests may set it")
        precondition(head.method != "TRACE" && length ?? 0 <= maximumBodyByteCount)
    case .house(let device, let asksForBody):
        precondition(isApproved && client.pin == device.pin && asked == [device.pin], "it was let in")
        precondition(!namesHub(head.target) && head.target.hasPrefix("/devices/"), "it asks for a thing")
        precondition(
            device.role != "x" && (device.role != "guest" || isForGuests(head)), "its role allows it")
        precondition(
            device.role != "guest" || head.method != "POST"
                || verdict(on: head.target.split(separator: "/").map(String.init)[1]) == .allowed,
            "guests may set it")
        precondition(length ?? 0 <= HubResource.maximumBodyByteCount)
        precondition(!asksForBody || head.body.hasBytes && head.expectsContinue)
    case .serve(let resource, let device, let asksForBody):
        precondition(isApproved && client.pin == device.pin && asked == [device.pin], "it was let in")
        let use = resource.pattern.use(of: head.method)
        precondition(use != nil, "the path takes the method")
        precondition(device.role == nil || device.role == "owner" || use == .using, "its role allows it")
        precondition(use != .administering || device.role == "owner", "only owners administer")
        precondition(head.path.hasPrefix("/hubpair/v1/") && length ?? 0 <= HubResource.maximumBodyByteCount)
        precondition(!asksForBody || head.body.hasBytes && head.expectsContinue)
    case .pair:
        precondition(head.path == "/hubpair/v1/pair" && head.method == "POST" && asked.isEmpty)
        precondition(client.pin == nil || length ?? 0 <= PairRequest.maximumByteCount)
    case .session:
        precondition(head.path == "/hubpair/v1/session" && head.method == "POST" && asked.isEmpty)
        precondition(length ?? 0 <= PairRequest.maximumByteCount)
    case .leave(let device):
        precondition(head.path == "/hubpair/v1/device" && head.method == "DELETE")
        precondition(client.pin == device.pin && asked == [device.pin], "nobody else leaves")
    case .answer(let answer, let rest, let device):
        precondition(
            device == nil || isApproved && device?.pin == client.pin, "only who is approved comes in")
        if case .verified(let device) = answer {
            precondition(isApproved && asked == [device.pin], "only who is approved is verified")
            precondition(device.pin == (client.isTrustedProxy ? vouched : own), "and nobody else")
            precondition(device.role != "x", "nor with a word that is no role")
        }
        guard rest == .discarded else { return }
        precondition(length ?? 0 <= RequestRouter.discardedByteCount, "what is thrown away has an end")
        precondition(
            !head.expectsContinue || !head.body.hasBytes, "no body is waited for that nobody asks for")
    }
}

private func checkPath(_ bytes: [UInt8]) {
    let target = "/" + String(decoding: bytes, as: UTF8.self)
    guard GatewayPath(target: target) == .upstream else { return }
    precondition(!namesHub(target), "the hub's names are withheld")
}

/// The value of a hexadecimal digit: apart from the gateway's own, which is under test.
private func digit(_ byte: UInt8) -> UInt8? { Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init) }

/// True if a simple server would read the target as one of the hub's paths: it cuts off the query, decodes
/// twice, and ignores case and doubled slashes.
private func namesHub(_ target: String) -> Bool {
    var path = Array(target.utf8.prefix { $0 != UInt8(ascii: "?") })
    for _ in 0..<2 {
        var decoded: [UInt8] = []
        var rest = path[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let high = digit(rest[rest.startIndex]), let low = digit(rest[rest.startIndex + 1])
            {
                decoded.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        path = decoded
        let segments = path.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual(".".utf8) }
        let first = String(decoding: segments.first ?? [], as: UTF8.self).lowercased()
        if first.utf8.starts(with: "hubpair".utf8) { return true }
    }
    return false
}
