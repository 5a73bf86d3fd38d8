import Identity

extension RequestHead {
    /// The head to send to a service, including its empty line.
    ///
    /// As to the server behind the hub, nothing is passed on that only a proxy may say. The service learns of
    /// the client what the owner wants it to, in the gate's words.
    ///
    /// - Parameters:
    ///   - device: the field lines that identify the device, each with its CR LF.
    ///   - client: the client's address; most services are told nothing of it.
    ///   - closes: true to tell the server that no other request follows on the connection.
    package func passedOn(
        to service: ServiceRule, for device: [UInt8], of client: @autoclosure () -> String, closes: Bool
    ) -> [UInt8] {
        var head: [UInt8] = []
        head.reserveCapacity(1024)
        head += "\(method) \(target) HTTP/1.1\r\n".utf8
        let host = fields.onlyValue(.host) ?? []
        let keepsHost = service.host == .kept && !host.isEmpty
        var cookies: [ArraySlice<UInt8>] = []
        // In front, as clients have it (RFC 9110 § 7.2).
        head += "Host: ".utf8
        head += keepsHost ? Array(host) : Array(service.authority.utf8)
        head += "\r\n".utf8
        for field in fields.fields where passes(field) {
            switch field.role {
            case .host: break
            case .clientCookies: cookies.append(fields.value(of: field))
            // Both have been held against Host (``CrossSiteRule``), so the server may take it for its own.
            case .origin where !keepsHost: head += "Origin: \(service.origin)\r\n".utf8
            case .referer where !keepsHost:
                head += fields.name(of: field)
                head += ": ".utf8
                let value = fields.value(of: field)
                head += OwnAddress(of: [host])?.moved(value, to: service.origin) ?? Array(value)
                head += "\r\n".utf8
            default: fields.write(field, to: &head)
            }
        }
        if let cookies = service.cookies.request(cookies) {
            head += "Cookie: ".utf8
            head += cookies
            head += "\r\n".utf8
        }
        head += device
        if !service.told.isEmpty { head += service.lines(of: client(), host: host) }
        body.write(to: &head)
        if let upgrade {
            head += "Connection: Upgrade\r\nUpgrade: \(upgrade)\r\n".utf8
        } else if closes {
            head += "Connection: close\r\n".utf8
        }
        head += "\r\n".utf8
        return head
    }

    /// True if a person comes to the hub's page from a service, to go on there with a session.
    var isWayToService: Bool {
        let parts = target.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 && parts[0] == "/hubpair/?service" && UInt16(digits: parts[1]) != nil
            && isDocument
    }

    /// True if a browser asks for a page that a person has opened in its window.
    package var isDocument: Bool {
        method == "GET" && !body.hasBytes && fields.members(named: "sec-fetch-mode") == ["navigate"]
            && fields.members(named: "sec-fetch-dest") == ["document"]
    }
}
