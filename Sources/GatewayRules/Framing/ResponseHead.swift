/// The head of an upstream's response, parsed once.
package struct ResponseHead: Sendable {
    /// The status code, 100–999 (RFC 9110 § 15).
    package let status: Int
    /// How the end of the body is determined on the upstream's connection.
    package let body: BodyFraming
    package let fields: FieldBlock
    private let reason: [UInt8]
    private let announcedLength: Int?
    /// True if the head announces a nonempty body, whether or not the response may have one.
    let announcesBody: Bool
    private let isToHead: Bool
    private let keepsAlive: Bool
    private let hopFields: Set<String>

    init(
        status: Int, reason: [UInt8], isHTTP10: Bool, body: BodyFraming, announcedLength: Int?,
        announcesBody: Bool, isToHead: Bool, fields: FieldBlock, options: Set<String>
    ) {
        self.status = status
        self.reason = reason
        self.body = body
        self.announcedLength = announcedLength
        self.announcesBody = announcesBody
        self.isToHead = isToHead
        self.fields = fields
        keepsAlive = !options.contains("close") && (!isHTTP10 || options.contains("keep-alive"))
        hopFields = options.subtracting(["close", "keep-alive"])
    }

    /// True for 1xx except 101: the final response is still to come.
    package var isInformational: Bool { status < 200 && status != 101 }

    /// True if another request may be sent on the connection.
    ///
    /// False after a 204 or 304 whose head announces a body: whether the upstream nevertheless sends it would
    /// be noticed too late.
    package var leavesConnectionUsable: Bool {
        keepsAlive && body != .untilClose && !(body == .none && announcesBody && !isToHead)
    }

    /// The framing to announce to the client, and the framing of the bytes that are written to it.
    ///
    /// - Parameter isHTTP10: true if the client uses HTTP/1.0, which has no chunked coding.
    package func framing(forHTTP10 isHTTP10: Bool) -> (announced: BodyFraming, written: BodyFraming) {
        if status < 200 || status == 204 { return (.none, .none) }
        if body == .none {
            // For HEAD and 304, the length is the one that GET would have had.
            return (announcedLength.map(BodyFraming.length) ?? .none, .none)
        }
        if let announcedLength { return (.length(announcedLength), .length(announcedLength)) }
        return isHTTP10 ? (.untilClose, .untilClose) : (.chunked, .chunked)
    }

    /// The head to send to the client, including its empty line.
    ///
    /// Dropped are hop-by-hop fields and those that `Connection` names, and framing fields, which the gateway
    /// writes itself.
    ///
    /// - Parameters:
    ///   - framing: the framing to announce; `none` for an informational response.
    ///   - connection: the value of `Connection`; nil to omit it.
    ///   - upgrade: the protocol that the connection switches to; nil for none.
    ///   - toBrowser: false to pass cookies on. In a browser an upstream could set as many as make every
    ///     request to the hub too large, and its pages there have no use for them.
    package func forwarded(
        framing: BodyFraming, connection: String?, upgrade: String? = nil, toBrowser: Bool
    ) -> [UInt8] {
        var head: [UInt8] = []
        head.reserveCapacity(1024)
        writeStatusLine(to: &head)
        for field in fields.fields where passes(field, toBrowser: toBrowser) {
            fields.write(field, to: &head)
        }
        // What comes before the final answer, or switches protocols, makes no document.
        if status >= 200 {
            for (name, value) in OriginGuard.added {
                head.append(contentsOf: "\(name): \(value)\r\n".utf8)
            }
        }
        writeEnd(to: &head, framing: framing, connection: connection, upgrade: upgrade)
        return head
    }

    func writeStatusLine(to head: inout [UInt8]) {
        head.append(contentsOf: "HTTP/1.1 \(status) ".utf8)
        head.append(contentsOf: reason)
        head.append(contentsOf: "\r\n".utf8)
    }

    /// What the gate writes itself, and the empty line.
    func writeEnd(to head: inout [UInt8], framing: BodyFraming, connection: String?, upgrade: String?) {
        framing.write(to: &head)
        if let connection { head.append(contentsOf: "Connection: \(connection)\r\n".utf8) }
        if let upgrade { head.append(contentsOf: "Upgrade: \(upgrade)\r\n".utf8) }
        head.append(contentsOf: "\r\n".utf8)
    }

    private func passes(_ field: FieldBlock.Field, toBrowser: Bool) -> Bool {
        switch field.role {
        case .originWide: false
        case .cookie where toBrowser || SessionCookie.isSet(by: fields.value(of: field)): false
        default: !isHop(field)
        }
    }

    /// True if the field ends here: it is about this connection, or the gate writes it itself.
    func isHop(_ field: FieldBlock.Field) -> Bool {
        switch field.role {
        case .connection, .hopByHop, .upgrade, .contentLength, .transferEncoding: true
        case .host, .expect, .clientCertificate, .originalMethod, .originalTarget, .originalUpgrade,
            .forwardedMethod, .forwardedTarget, .webSocket, .methodOverride, .lastEventID, .origin,
            .fetchSite, .fetchOther, .forwardedHost, .proxyOnly, .ambiguous, .credentials,
            .clientCookies, .server, .cookie, .serviceWorker, .originWide, .referer, .location, .other:
            !hopFields.isEmpty && fields.isNamed(field, in: hopFields)
        }
    }
}
