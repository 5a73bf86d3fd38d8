import GatewayRules
package import HubPage
package import JSON
package import NIOHTTP1
import Pairing

/// An answer of the hub itself: a status, a body, mostly JSON, and header fields.
package struct ServeReply: Sendable {
    package let status: HTTPResponseStatus
    /// Empty for 204 and 304.
    package let body: [UInt8]
    package private(set) var contentType = "application/json"
    package private(set) var cacheControl = "no-store"
    package private(set) var headers: [(String, String)] = []
    /// The error code for the log; nil if it is not an error, or is logged already.
    package private(set) var word: String?
    /// Counts a large body until it is sent; see ``AnswerDesk``.
    var hold: AnswerHold?
    /// True if the connection closes after it.
    package private(set) var closes = false

    package init(_ status: HTTPResponseStatus, json body: [UInt8]) {
        self.status = status
        self.body = body
    }

    /// With a cookie of the hub's own.
    init(_ status: HTTPResponseStatus, json value: JSONValue, cookie: String) {
        self.init(status, json: value)
        headers = [("Set-Cookie", cookie)]
    }

    static let left = ServeReply(
        .ok, json: .object(["status": .string("revoked")]), cookie: SessionCookie.forgetting)

    /// A browser goes to the page; what stands behind `#` goes with it (RFC 9110 § 10.2.2).
    static let toPage = ServeReply(
        .temporaryRedirect, page: [], headers: PageHeaders.plain + [("Location", PagePath.page.rawValue)])

    /// An error: `{"error": word, "message": text}`.
    package init(_ status: HTTPResponseStatus, error: String, _ message: String) {
        var json: [UInt8] = []
        JSONValue.object(["error": .string(error), "message": .string(message)]).write(to: &json)
        self.init(status, json: json)
        word = error
    }

    package init(_ status: HTTPResponseStatus, json value: JSONValue) {
        var json: [UInt8] = []
        value.write(to: &json)
        self.init(status, json: json)
    }

    /// What is served now, with its entity tag.
    package init(_ status: HTTPResponseStatus, json value: JSONValue, tag: EntityTag) {
        self.init(status, json: value)
        headers = [("ETag", tag.text)]
    }

    /// The refusal of what an owner asked for.
    init(_ status: HTTPResponseStatus, _ refusal: OwnerRefusal) {
        self.init(status, json: refusal.json)
        word = refusal.word
    }

    init(_ error: FramingError) {
        self.init(HTTPResponseStatus(statusCode: error.status), error: "bad_request", error.message)
    }

    init(_ refusal: RequestRefusal) {
        self.init(
            HTTPResponseStatus(statusCode: refusal.status), error: refusal.word, refusal.message)
        if let field = refusal.field { headers.append(field) }
    }

    /// A page, or a file of one.
    ///
    /// - Parameter type: the value of `Content-Type`.
    init(
        _ status: HTTPResponseStatus, page body: [UInt8], type: String = "text/html; charset=utf-8",
        cacheControl: String = "no-store", headers: [(String, String)]
    ) {
        (self.status, self.body, self.headers) = (status, body, headers)
        (contentType, self.cacheControl) = (type, cacheControl)
    }

    /// A picture; its type is what its bytes are.
    package init(picture body: [UInt8], type: String) {
        self.init(.ok, json: body)
        contentType = type
    }

    /// A refusal for people in front of a browser.
    init(_ refusal: RequestRefusal, page: StrangerPage) {
        self.init(
            HTTPResponseStatus(statusCode: refusal.status), page: page.bytes,
            headers: (page.mayEnter ? PageHeaders.stranger : PageHeaders.plain)
                + (refusal.field.map { [($0.name, $0.value)] } ?? []))
        word = refusal.word
    }

    /// The same at a service's port.
    init(_ refusal: RequestRefusal, page bytes: [UInt8]) {
        self.init(
            HTTPResponseStatus(statusCode: refusal.status), page: bytes,
            headers: PageHeaders.plain + (refusal.field.map { [($0.name, $0.value)] } ?? []))
        word = refusal.word
    }

    /// The answer to a device about itself.
    init(_ device: ApprovedDevice, verdict: DeviceVerdict, version: String) {
        self =
            DeviceDescription(device, verdict: verdict).map {
                let words = RoleTable.capabilities(of: $0.role).map(\.rawValue)
                return ServeReply(.ok, json: $0.serialized(may: words, version: version))
            }
            ?? ServeReply(.stranger)
    }

    /// The answer to a proxy about a device whose request may pass.
    init(verified device: DeviceFields) {
        self.init(.noContent, json: [])
        headers = [
            (DeviceFields.fingerprintName, device.fingerprint), (DeviceFields.nameName, device.encodedName),
            (DeviceFields.roleName, device.role.rawValue),
        ]
    }

    /// The bytes of the answer.
    ///
    /// - Parameters:
    ///   - connection: the value of `Connection`; nil to omit it.
    ///   - withBody: false in the answer to HEAD.
    func serialized(connection: String?, withBody: Bool) -> [UInt8] {
        var text = "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if status != .noContent, status != .notModified {
            text += "Content-Type: \(contentType)\r\nContent-Length: \(body.count)\r\n"
        }
        text += "Cache-Control: \(cacheControl)\r\nX-Content-Type-Options: nosniff\r\n"
        if let connection { text += "Connection: \(connection)\r\n" }
        text += "\r\n"
        return Array(text.utf8) + (withBody ? body : [])
    }

    package static let busy: ServeReply = {
        var reply = ServeReply(
            .serviceUnavailable, error: "busy",
            "answers of this hub wait to be read, and there is no room for more; try again soon")
        reply.headers = [("Retry-After", "5")]
        reply.closes = true
        return reply
    }()
    static let timeout = ServeReply(.requestTimeout, error: "timeout", "the request took too long to arrive")
    static let tooManyConnections = ServeReply(
        .tooManyRequests, error: "too_many", "this device has too many connections in use; close some")
    static let upstreamDown = ServeReply(
        .badGateway, error: "upstream_unavailable", "the server behind the hub does not answer")
    static let upstreamMalformed = ServeReply(
        .badGateway, error: "upstream_unavailable",
        "the server behind the hub broke off, or its answer is malformed")
    static func upstreamMalformed(_ error: FramingError) -> ServeReply {
        if error == .notUTF8 { return upstreamNotUTF8 }
        return ServeReply(
            .badGateway, error: "upstream_unavailable",
            "the answer of the server behind the hub is malformed: \(error.message)")
    }
    static let upstreamNotUTF8 = ServeReply(
        .badGateway, error: "upstream_unavailable",
        "the server behind the hub answered with a header field that is not UTF-8")

    init(_ fault: ExchangeMachine.Fault) {
        self =
            switch fault {
            case .tooLarge(let limit): ServeReply(.tooLarge(limit: limit))
            case .malformed(let fault): fault.map(ServeReply.upstreamMalformed) ?? .upstreamMalformed
            }
    }

    /// A request that gets no turn at the upstream.
    init(_ refusal: UpstreamTurns.Refusal) {
        switch refusal {
        case .busy:
            self.init(.serviceUnavailable, error: "upstream_busy", refusal.words)
            headers = [("Retry-After", "2")]
        case .away:
            self.init(.serviceUnavailable, error: "upstream_away", refusal.words)
            headers = [("Retry-After", "5")]
        }
    }

    /// What the house has answered.
    init(_ head: HTTPResponseHead, body: [UInt8]) {
        self.init(head.status, json: body)
        word = head.headers.first(name: HouseFields.word)
        if let type = head.headers.first(name: "Content-Type") { contentType = type }
        if let control = head.headers.first(name: "Cache-Control") { cacheControl = control }
        headers = ["ETag", "Retry-After"].flatMap { name in head.headers[name].map { (name, $0) } }
    }

    /// The same for the house.
    package func fields() -> HTTPHeaders {
        var fields = HTTPHeaders(headers)
        fields.add(name: "Content-Type", value: contentType)
        fields.add(name: "Cache-Control", value: cacheControl)
        if let word { fields.add(name: HouseFields.word, value: word) }
        return fields
    }

    static let houseAway: ServeReply = {
        var reply = ServeReply(
            .serviceUnavailable, error: "house_away",
            "the household of this hub does not answer now; try again soon")
        reply.headers = [("Retry-After", "5")]
        return reply
    }()

    static let upstreamTimeout = ServeReply(
        .gatewayTimeout, error: "upstream_timeout", "the server behind the hub took too long to answer")
}
