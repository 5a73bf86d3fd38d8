import GatewayRules
import JSON
import NIOHTTP1
import Pairing

/// An answer of the hub's own: a status, JSON, and the fields that go with it.
struct ServeReply: Sendable {
    let status: HTTPResponseStatus
    /// JSON in UTF-8; empty for 204.
    let body: [UInt8]
    var headers: [(String, String)] = []
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

    func with(_ name: String, _ value: String) -> ServeReply {
        var reply = self
        reply.headers.append((name, value))
        return reply
    }

    /// RFC 9110 § 15.5.2 wants a challenge; there is no scheme for TLS certificates, so this is one of our own.
    private static func unauthorized(_ message: String) -> ServeReply {
        ServeReply(.unauthorized, error: "no_certificate", message)
            .with("WWW-Authenticate", "Hubpair realm=\"hubpair\"")
    }

    static let noCertificate = unauthorized(
        "only paired devices are served here, and this one showed no certificate; pair it: run 'hubpair print' "
            + "on the hub and 'hubpair pair' on the device, then use 'hubpair call' or the device's certificate"
    )
    /// - Parameter kind: what the key is, as "an RSA key".
    static func wrongKey(_ kind: String) -> ServeReply {
        unauthorized(
            "the certificate that came has \(kind), and devices are known here by a P-256 key; pair with one: "
                + "'hubpair pair' makes it")
    }
    static let notVerified = unauthorized("no approved device's certificate came with the request")
    static let stranger = refused("this device has not paired with the hub; run 'hubpair pair' on it")
    static let notFound = ServeReply(.notFound, error: "not_found", "the hub has no such page")
    static let methodNotAllowed = ServeReply(
        .methodNotAllowed, error: "method_not_allowed", "the gateway does not pass this method on"
    ).with("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
    static let timeout = ServeReply(.requestTimeout, error: "timeout", "the request took too long to arrive")
    static let unreadable = ServeReply(
        .serviceUnavailable, error: "unavailable",
        "the hub cannot read its list of approved devices; see its log, or run 'hubpair devices' on it")
    static let noUpstream = ServeReply(
        .badGateway, error: "no_upstream",
        "the hub has no server behind it to pass requests on to; set one with 'upstream' in its settings")
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

    static func tooLarge(_ limit: Int) -> ServeReply {
        ServeReply(.payloadTooLarge, error: "too_large", "the body has more than \(limit) bytes")
    }

    static func wrongMethod(for endpoint: PairEndpoint) -> ServeReply {
        let methods = endpoint.methods.joined(separator: ", ")
        return ServeReply(.methodNotAllowed, error: "method_not_allowed", "this page takes \(methods)")
            .with("Allow", methods)
    }

    /// The answer to a device that is known and may not come in.
    static func refused(_ verdict: DeviceVerdict) -> ServeReply {
        switch verdict {
        case .pending: refused("the owner has not approved this device yet; see 'hubpair devices' on the hub")
        case .revoked: refused("the owner has revoked this device; only a new code lets it in again")
        case .expired: refused("the approval of this device has expired; see 'hubpair devices' on the hub")
        case .unknown, .approved: stranger
        }
    }

    private static func refused(_ message: String) -> ServeReply {
        ServeReply(.forbidden, error: "not_approved", message)
    }
}
