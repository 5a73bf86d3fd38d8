import NIOHTTP1

/// The header fields that the gateway passes on, in both directions.
///
/// Dropped from a request: hop-by-hop fields and those that `Connection` names (RFC 9110 § 7.6.1), framing (it is
/// written anew), what only a proxy may say (`X-Hubpair-*`, and what proxies of all makers write about the client's
/// address, certificate, user and URL), `Proxy` (CGI makes `HTTP_PROXY` of it), and every field with another character in its name than letters,
/// digits and `-`: behind CGI and WSGI `X_Hubpair_Device`, with some `X-Hubpair.Device` too, and `X-Hubpair-Device` are
/// one name. `Host` is passed on as it came.
/// Set: `X-Hubpair-Device`, the device's fingerprint, and `X-Hubpair-Name`.
enum GatewayHeaders {
    /// The device's fingerprint, `XXXX-XXXX-XXXX-XXXX`.
    static let device = "X-Hubpair-Device"
    /// The device's name: printable ASCII as it is, every other byte of its UTF-8, and `%` itself, as `%XX`
    /// (RFC 3986 § 2.1), so that decoding it always gives the name.
    static let name = "X-Hubpair-Name"

    private static let hopByHop: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]
    private static let fromProxiesOnly: Set<String> = [
        "proxy", "proxy-authorization",
        // The client's address.
        "forwarded", "forwarded-for", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "true-client-ip",
        "client-ip", "fastly-client-ip", "cf-connecting-ip", "cf-connecting-ipv6", "cf-pseudo-ipv4",
        "x-proxyuser-ip", "x-originating-ip", "x-remote-ip", "x-remote-addr", "remote-addr",
        "x-appengine-user-ip", "x-azure-clientip", "x-azure-socketip", "proxy-client-ip",
        // Its certificate; RFC 9440.
        "client-cert", "client-cert-chain", "x-arr-clientcert", "x-arr-ssl",
        ServeVerify.certificateHeader.lowercased(),
        // Its user.
        "remote-user", "x-remote-user", "x-authenticated-user", "x-webauth-user",
        // The URL that it asked for.
        "x-host", "x-http-host-override", "x-scheme", "x-url-scheme", "front-end-https",
    ]
    private static let fromProxiesOnlyBeginnings = [
        "x-hubpair-", "x-forwarded", "x-ssl-", "ssl-client-", "x-tls-client-", "tls-client-", "x-client-cert",
        "x-client-ssl-", "x-client-verify", "x-client-dn", "x-client-subject", "x-client-issuer",
        "x-amzn-mtls-", "x-amzn-tls-", "x-envoy-", "x-auth-request-", "x-original-", "x-rewrite-",
        "wl-proxy-",
    ]
    private static let framing: Set<String> = ["content-length", "transfer-encoding"]

    /// What the upstream gets of the head of a request.
    ///
    /// - Parameters:
    ///   - authority: what stands in `Host` if the client, of HTTP/1.0, sent none.
    ///   - upgrade: the protocol to switch to, passed on hop by hop; nil: none.
    static func request(
        _ head: HTTPRequestHead, from device: ServeDevice, body: BodyFraming, authority: String,
        upgrade: String?
    ) -> HTTPHeaders {
        var headers = HTTPHeaders()
        headers.reserveCapacity(head.headers.count + 4)
        let named = connectionOptions(head.headers)
        var hasHost = false
        for (name, value) in head.headers {
            let lower = name.lowercased()
            if lower == "host" {
                hasHost = true
            } else if isDroppedFromRequest(lower) || framing.contains(lower) || named.contains(lower) {
                continue
            } else if lower == "expect", head.version.minor == 0 {
                continue
            }
            headers.add(name: name, value: value)
        }
        if !hasHost { headers.add(name: "Host", value: authority) }
        headers.add(name: GatewayHeaders.device, value: device.fingerprint)
        headers.add(name: GatewayHeaders.name, value: device.encodedName)
        body.write(to: &headers)
        if let upgrade {
            headers.add(name: "Connection", value: "Upgrade")
            headers.add(name: "Upgrade", value: upgrade)
        } else if body != .none {
            // A server that answers without having read the body, or does not know chunks, would take it for the
            // next request on the connection.
            headers.add(name: "Connection", value: "close")
        }
        return headers
    }

    /// What the client gets of the head of a response, without its framing.
    static func response(_ head: HTTPResponseHead) -> HTTPHeaders {
        var headers = HTTPHeaders()
        headers.reserveCapacity(head.headers.count + 2)
        let named = connectionOptions(head.headers)
        for (name, value) in head.headers {
            let lower = name.lowercased()
            if hopByHop.contains(lower) || framing.contains(lower) || named.contains(lower) { continue }
            headers.add(name: name, value: value)
        }
        return headers
    }

    /// True if a field may not be what was sent: NIO reads values as UTF-8, and puts U+FFFD for what is none.
    static func areAltered(_ headers: HTTPHeaders?) -> Bool {
        headers?.contains { $0.value.utf8.contains(0xEF) && $0.value.unicodeScalars.contains("\u{FFFD}") }
            ?? false
    }

    /// What passes of trailers: nothing that frames, routes or identifies (RFC 9110 § 6.5.1).
    static func trailers(_ trailers: HTTPHeaders?) -> HTTPHeaders? {
        guard let trailers else { return nil }
        var kept = HTTPHeaders()
        for (name, value) in trailers {
            let lower = name.lowercased()
            let isHead = lower == "host" || lower == "expect" || lower == "authorization" || lower == "cookie"
            if !isHead, !framing.contains(lower), !isDroppedFromRequest(lower) {
                kept.add(name: name, value: value)
            }
        }
        return kept.isEmpty ? nil : kept
    }

    /// The protocol that a request asks to switch to, if the gateway passes it on: WebSocket (RFC 6455 § 4.1)
    /// alone. Another, HTTP/2 above all, would carry requests past this gateway.
    static func upgrade(_ head: HTTPRequestHead, body: BodyFraming) -> String? {
        guard head.method == .GET, head.version == .http1_1, body == .none,
            connectionOptions(head.headers).contains("upgrade"),
            head.headers["upgrade"].count == 1, let name = head.headers.first(name: "upgrade"),
            name.lowercased() == "websocket"
        else { return nil }
        return name
    }

    /// True if a response with 101 switches to WebSocket.
    static func upgrades(_ head: HTTPResponseHead) -> Bool {
        connectionOptions(head.headers).contains("upgrade")
            && head.headers["upgrade"].map { $0.lowercased() } == ["websocket"]
    }

    /// True if NIO's parser takes the bytes after this request for another protocol's.
    static func endsHTTP(_ head: HTTPRequestHead) -> Bool {
        head.headers.contains(name: "upgrade") && connectionOptions(head.headers).contains("upgrade")
    }

    /// A device's name for a header field.
    static func encoded(_ name: String) -> String {
        var text = ""
        for byte in name.utf8 {
            if (0x20...0x7E).contains(byte), byte != UInt8(ascii: "%") {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                text += (byte < 0x10 ? "%0" : "%") + digits
            }
        }
        return text
    }

    private static func isDroppedFromRequest(_ lower: String) -> Bool {
        !lower.utf8.allSatisfy(isPlainNameByte) || hopByHop.contains(lower) || fromProxiesOnly.contains(lower)
            || fromProxiesOnlyBeginnings.contains { lower.hasPrefix($0) }
    }

    private static func isPlainNameByte(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
    }

    private static func connectionOptions(_ headers: HTTPHeaders) -> Set<String> {
        guard headers.contains(name: "connection") else { return [] }
        let options = headers[canonicalForm: "connection"].map { $0.lowercased() }
        return Set(options).subtracting(["host", "close", "keep-alive"])
    }
}

/// How the end of a body is told.
enum BodyFraming: Equatable, Sendable {
    /// There is no body.
    case none
    /// So many bytes.
    case length(Int)
    /// Chunked (RFC 9112 § 7.1).
    case chunked
    /// The end of the connection; in responses only.
    case untilClose

    /// A request's; `RequestFraming` has seen to it that there is no doubt.
    init(request headers: HTTPHeaders) {
        if headers.contains(name: "transfer-encoding") {
            self = .chunked
        } else if let text = headers.first(name: "content-length"), let length = Int(text) {
            self = .length(length)
        } else {
            self = .none
        }
    }

    /// The header field that tells it.
    func write(to headers: inout HTTPHeaders) {
        switch self {
        case .length(let length): headers.add(name: "Content-Length", value: String(length))
        case .chunked: headers.add(name: "Transfer-Encoding", value: "chunked")
        case .none, .untilClose: break
        }
    }
}
