import GatewayRules
import JSON
import NIOHTTP1
import Pairing

/// An answer of the hub's own: a status, JSON, and the fields that go with it.
struct ServeReply: Sendable {
    let status: HTTPResponseStatus
    /// JSON in UTF-8; empty for 204.
    let body: [UInt8]
    private(set) var headers: [(String, String)] = []
    /// The error's word, for the log; nil for what is no error, or has been logged.
    private(set) var word: String?

    init(_ status: HTTPResponseStatus, json body: [UInt8]) {
        self.status = status
        self.body = body
    }

    /// An error as the design has it: `{"error": word, "message": text}`.
    init(_ status: HTTPResponseStatus, error: String, _ message: String) {
        var json: [UInt8] = []
        JSONValue.object(["error": .string(error), "message": .string(message)]).write(to: &json)
        self.init(status, json: json)
        word = error
    }

    init(_ error: FramingError) {
        self.init(HTTPResponseStatus(statusCode: error.status), error: "bad_request", error.message)
    }

    init(_ refusal: RequestRefusal) {
        self.init(
            HTTPResponseStatus(statusCode: refusal.status), error: refusal.word, refusal.message)
        if let field = refusal.field { headers.append(field) }
    }

    /// What a device is told of itself.
    init(_ device: ApprovedDevice, verdict: DeviceVerdict) {
        self =
            DeviceDescription(device, verdict: verdict).map { ServeReply(.ok, json: $0.serialized) }
            ?? ServeReply(.stranger)
    }

    /// What a proxy is told of a device whose request may pass.
    init(verified device: DeviceFields) {
        self.init(.noContent, json: [])
        headers = [
            (DeviceFields.fingerprintName, device.fingerprint), (DeviceFields.nameName, device.encodedName),
        ]
    }

    /// The whole answer.
    ///
    /// - Parameters:
    ///   - connection: the value of `Connection`; nil for none.
    ///   - withBody: false in answer to HEAD.
    func serialized(connection: String?, withBody: Bool) -> [UInt8] {
        var text = "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if status != .noContent {
            text += "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n"
        }
        text += "Cache-Control: no-store\r\n"
        if let connection { text += "Connection: \(connection)\r\n" }
        text += "\r\n"
        return Array(text.utf8) + (withBody ? body : [])
    }

    static let timeout = ServeReply(.requestTimeout, error: "timeout", "the request took too long to arrive")
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
    static let upstreamTimeout = ServeReply(
        .gatewayTimeout, error: "upstream_timeout", "the server behind the hub took too long to answer")
}
