/// The head of a request, read once: what later steps need to know of it stands here, and none of them looks
/// into the fields for it.
package struct RequestHead: Sendable {
    /// A token, as it came: `GET`, `M-SEARCH`.
    package let method: String
    /// Begins with `/`; visible ASCII without `#`, as it came.
    package let target: String
    /// True for HTTP/1.0, false for HTTP/1.1.
    package let isHTTP10: Bool
    /// How the end of the body is told.
    package let body: BodyFraming
    package let fields: FieldBlock
    /// True if the client will send another request on the connection (RFC 9112 § 9.3).
    package let keepsAlive: Bool
    /// The protocol to switch to, as it came: WebSocket (RFC 6455 § 4.1) alone. Another, HTTP/2 above all,
    /// would carry requests past the gateway, so it counts as not asked for.
    package let upgrade: String?
    /// True if the client waits for `100 Continue` before it sends the body (RFC 9110 § 10.1.1).
    package let expectsContinue: Bool
    /// The connection's options without those that name what the gateway writes itself, in lower case.
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
        // Behind a request to switch protocols, granted or not, stands what the client takes for the other
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

    /// The target without its query, where clients put secrets.
    package var path: Substring { target.prefix { $0 != "?" } }

    /// True if the request may be sent a second time: it changes nothing, or the same (RFC 9110 § 9.2.2), and
    /// has no body, which is sent as it comes and not kept.
    package var isRepeatable: Bool {
        switch method {
        case "GET", "HEAD", "OPTIONS", "PUT", "DELETE": !body.hasBytes
        default: false
        }
    }

    /// The head that the upstream gets, its empty line included.
    ///
    /// Dropped: fields for one hop and those that `Connection` names (RFC 9110 § 7.6.1), framing, which is
    /// written anew, and what a client must not say (``FieldRole/proxyOnly``, ``FieldRole/ambiguous``).
    /// `Host` passes as it came.
    ///
    /// - Parameters:
    ///   - device: the field lines that name the device, each with its CR LF.
    ///   - authority: what stands in `Host` if the client, of HTTP/1.0, sent none.
    ///   - closes: the upstream is told that no other request follows on the connection.
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

    private func passes(_ field: FieldBlock.Field) -> Bool {
        switch field.role {
        case .host: true
        case .expect: !isHTTP10 && !isNamed(field)
        case .credentials, .server, .other: !isNamed(field)
        case .contentLength, .transferEncoding, .connection, .upgrade, .hopByHop, .clientCertificate,
            .proxyOnly, .ambiguous:
            false
        }
    }

    /// True if `Connection` names it.
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
