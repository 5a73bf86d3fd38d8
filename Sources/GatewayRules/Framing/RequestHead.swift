/// The head of a request, parsed once. It holds everything that later steps need, so that none of them
/// interprets header fields.
package struct RequestHead: Sendable {
    /// The method, a token with its case unchanged: `GET`, `M-SEARCH`.
    package let method: String
    /// The unchanged target: begins with `/`, visible ASCII without `#`.
    package let target: String
    /// True for HTTP/1.0, false for HTTP/1.1.
    package let isHTTP10: Bool
    /// How the end of the body is determined.
    package let body: BodyFraming
    package let fields: FieldBlock
    /// True if the client may send another request on the connection (RFC 9112 § 9.3).
    package let keepsAlive: Bool
    /// The requested protocol, only ever WebSocket (RFC 6455 § 4.1). A request for another one is ignored:
    /// HTTP/2 in particular would carry requests past the gateway.
    package let upgrade: String?
    /// True if the client waits for `100 Continue` before it sends the body (RFC 9110 § 10.1.1).
    package let expectsContinue: Bool
    /// The connection options in lower case, without those whose fields the gateway writes itself.
    private let hopFields: Set<String>

    init(
        method: String, target: String, isHTTP10: Bool, body: BodyFraming, fields: FieldBlock,
        options: Set<String>
    ) {
        self.method = method
        self.target = target
        self.isHTTP10 = isHTTP10
        self.body = body
        self.fields = fields
        // After a request to switch protocols, granted or not, the client may already send bytes of the other
        // protocol.
        let asksToSwitch = options.contains("upgrade") && fields.fields.contains { $0.role == .upgrade }
        keepsAlive =
            !options.contains("close") && (!isHTTP10 || options.contains("keep-alive")) && !asksToSwitch
        expectsContinue =
            !isHTTP10 && fields.onlyValue(.expect).map { isEqual($0, "100-continue") } ?? false
        upgrade =
            if method == "GET", !isHTTP10, body == .none, options.contains("upgrade"),
                let name = fields.onlyValue(.upgrade), isEqual(name, "websocket")
            {
                String(decoding: name, as: UTF8.self)
            } else {
                nil
            }
        hopFields = options.subtracting(["host", "close", "keep-alive"])
    }

    /// The target without its query, which may contain secrets.
    package var path: Substring { target.prefix { $0 != "?" } }

    /// True if the request may be sent a second time: the method is idempotent (RFC 9110 § 9.2.2), and there
    /// is no body, which is streamed and not kept.
    package var isRepeatable: Bool {
        switch method {
        case "GET", "HEAD", "OPTIONS", "PUT", "DELETE": !body.hasBytes
        default: false
        }
    }

    /// True if a browser sends the request, as far as browsers say so.
    package var isOfBrowser: Bool { fields.has(.fetchSite) || fields.has(.fetchOther) || fields.has(.origin) }

    /// True if the method, or one that a field puts in its place, may do more than read (not safe, RFC 9110
    /// § 9.2.1). What a WebSocket carries cannot be told.
    package var mayChangeStates: Bool {
        if fields.has(.methodOverride) { return true }
        return switch method {
        case "GET", "HEAD", "OPTIONS", "PROPFIND", "QUERY", "REPORT", "SEARCH": false
        default: true
        }
    }

    /// What `hubpair open` says of itself where it passes on what a browser asks: `Sec-Fetch-Site` and
    /// `Origin` are about its own address, and stay behind.
    package static let openAgent = "hubpair-open"

    /// True if a browser says that it sends the request; a program may say so, too. For the journal alone.
    package var isFromBrowser: Bool {
        fields.fields.contains { field in
            switch field.role {
            case .fetchSite, .fetchOther, .origin: true
            case .other:
                fields.isNamed(field, in: ["user-agent"])
                    && fields.value(of: field).elementsEqual(RequestHead.openAgent.utf8)
            default: false
            }
        }
    }

    /// The head to send to the upstream, including its empty line.
    ///
    /// Dropped are hop-by-hop fields and those that `Connection` names (RFC 9110 § 7.6.1), framing fields,
    /// which the gateway writes itself, and fields that a client must not send (``FieldRole/proxyOnly``,
    /// ``FieldRole/ambiguous``). `Host` is forwarded unchanged.
    ///
    /// - Parameters:
    ///   - device: the field lines that identify the device, each with its CR LF.
    ///   - authority: the value of `Host` if an HTTP/1.0 client sent none.
    ///   - closes: true to tell the upstream that no other request follows on the connection.
    package func forwarded(for device: [UInt8], authority: String, closes: Bool) -> [UInt8] {
        var head: [UInt8] = []
        head.reserveCapacity(1024)
        head.append(contentsOf: method.utf8)
        head.append(0x20)
        head.append(contentsOf: target.utf8)
        head.append(contentsOf: " HTTP/1.1\r\n".utf8)
        var hasHost = false
        for field in fields.fields where passes(field) {
            hasHost = hasHost || field.role == .host
            if field.role == .clientCookies {
                guard let others = SessionCookie.others(in: fields.value(of: field)) else { continue }
                head.append(contentsOf: "Cookie: ".utf8)
                head.append(contentsOf: others)
                head.append(contentsOf: "\r\n".utf8)
                continue
            }
            fields.write(field, to: &head)
        }
        if !hasHost { head.append(contentsOf: "Host: \(authority)\r\n".utf8) }
        head.append(contentsOf: device)
        body.write(to: &head)
        if let upgrade {
            head.append(contentsOf: "Connection: Upgrade\r\nUpgrade: \(upgrade)\r\n".utf8)
        } else if closes {
            head.append(contentsOf: "Connection: close\r\n".utf8)
        }
        head.append(contentsOf: "\r\n".utf8)
        return head
    }

    func passes(_ field: FieldBlock.Field) -> Bool {
        switch field.role {
        case .host: true
        case .expect: !isHTTP10 && !isNamed(field)
        case .credentials, .clientCookies, .server, .webSocket, .methodOverride, .lastEventID, .origin,
            .fetchSite,
            .fetchOther, .originWide, .cookie, .serviceWorker, .referer, .location, .other:
            !isNamed(field)
        case .contentLength, .transferEncoding, .connection, .upgrade, .hopByHop, .clientCertificate,
            .originalMethod, .originalTarget, .originalUpgrade, .forwardedMethod, .forwardedTarget,
            .forwardedHost, .proxyOnly, .ambiguous:
            false
        }
    }

    /// True if `Connection` names the field.
    private func isNamed(_ field: FieldBlock.Field) -> Bool {
        !hopFields.isEmpty && fields.isNamed(field, in: hopFields)
    }
}

extension FieldBlock {
    /// True if the field's name, in lower case, is one of `names`.
    func isNamed(_ field: Field, in names: Set<String>) -> Bool {
        names.contains(String(decoding: name(of: field), as: UTF8.self).lowercased())
    }
}
