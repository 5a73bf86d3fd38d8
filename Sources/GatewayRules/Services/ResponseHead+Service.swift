extension ResponseHead {
    /// The head of a service's answer to send to the client, including its empty line.
    ///
    /// The service has the origin to itself: what it says for the whole origin holds, and its pages run as
    /// they are. Not passed on is what reaches beyond it (``OriginGuard/droppedForHost``).
    ///
    /// - Parameters:
    ///   - host: the request's `Host`; nil if it had none.
    ///   - cookie: the value of a `Set-Cookie` of the gate's own.
    package func passedOn(
        from service: ServiceRule, to host: ArraySlice<UInt8>?, framing: BodyFraming, connection: String?,
        upgrade: String? = nil, cookie: String? = nil
    ) -> [UInt8] {
        var head: [UInt8] = []
        head.reserveCapacity(1024)
        writeStatusLine(to: &head)
        let host = host ?? []
        for field in fields.fields where reachesNoFurther(field) && !isHop(field) {
            let value = fields.value(of: field)
            let repaired: [UInt8]?
            switch field.role {
            case .cookie:
                guard let cookie = service.cookies.response(value) else { continue }
                repaired = cookie
            case .location where !host.isEmpty:
                let authority = Array(service.authority.utf8)[...]
                let own = OwnAddress(
                    of: [host, authority, OwnAddress.name(in: host, atPortOf: authority)])
                repaired = own?.moved(value, to: "https://" + String(decoding: host, as: UTF8.self))
            default: repaired = nil
            }
            guard let repaired else {
                fields.write(field, to: &head)
                continue
            }
            head += fields.name(of: field)
            head += ": ".utf8
            head += repaired
            head += "\r\n".utf8
        }
        if let cookie { head += "Set-Cookie: \(cookie)\r\n".utf8 }
        writeEnd(to: &head, framing: framing, connection: connection, upgrade: upgrade)
        return head
    }

    private func reachesNoFurther(_ field: FieldBlock.Field) -> Bool {
        field.role != .originWide || !fields.isNamed(field, in: OriginGuard.droppedForHost)
    }
}
