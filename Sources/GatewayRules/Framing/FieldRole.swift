/// What a header field means to the gateway, derived from its name alone when the field is read.
///
/// Proxy-only fields are those with which proxies report a client's address, certificate, user or URL. A
/// server behind the gateway may trust them, so none is forwarded from a client.
package enum FieldRole: Hashable, Sendable {
    case host
    case contentLength
    case transferEncoding
    case connection
    case upgrade
    case expect
    /// Another hop-by-hop field (RFC 9110 § 7.6.1).
    case hopByHop
    /// `X-SSL-Client-Cert`: the certificate of a client, forwarded by a reverse proxy in front of the hub.
    case clientCertificate
    /// `X-Original-Method`, `X-Original-URI` and `X-Original-Upgrade`: the request that nginx asks about.
    case originalMethod, originalTarget, originalUpgrade
    /// `X-Forwarded-Method` and `X-Forwarded-Uri`: the request that Traefik, Caddy and their kin ask about.
    case forwardedMethod, forwardedTarget
    /// `Sec-WebSocket-Key` and its kin (RFC 6455 § 11.3).
    case webSocket
    /// A field by which some servers take a request for one with another method.
    case methodOverride
    /// A field that only a proxy may send, including the hub's own `X-Hubpair…`.
    case proxyOnly
    /// A name with a character other than letters, digits and `-`. CGI and WSGI treat `X_Hubpair_Device` as
    /// equal to `X-Hubpair-Device`, and some servers also `X-Hubpair.Device`.
    case ambiguous
    /// `Authorization`, which is not allowed in trailers.
    case credentials
    /// `Cookie`, which is not either, and may hold the hub's own (``SessionCookie``).
    case clientCookies
    /// `Last-Event-ID`: the last event that a client of a stream has seen (WHATWG HTML § 9.2.4).
    case lastEventID
    /// `Sec-Fetch-Site`: whose page makes a browser send the request (Fetch Metadata, W3C).
    case fetchSite
    /// Another `Sec-Fetch-…`: a browser sends the request.
    case fetchOther
    /// `Origin`: the site of the page that makes a browser send the request (RFC 6454 § 7).
    case origin
    /// `Referer` and `Destination` (RFC 4918 § 10.3): addresses of the server, as the client knows it.
    case referer
    /// `Location` and `Content-Location`: addresses, perhaps of the server itself as it knows it.
    case location
    /// `X-Forwarded-Host`: the `Host` of the request that a proxy asks about.
    case forwardedHost
    /// `Server`, which identifies the upstream's software.
    case server
    /// In an answer, holds for the whole origin (``OriginGuard``).
    case originWide
    /// `Set-Cookie`, which browsers keep for all of a host.
    case cookie
    /// `Service-Worker`: a browser asks for the script of a service worker (Service Workers, W3C, § 5).
    case serviceWorker
    /// Any other field.
    case other

    /// - Parameter name: a token (RFC 9110 § 5.6.2) in any case.
    init(name: Slice<UnsafeRawBufferPointer>) {
        var isPlain = true
        let lower = String(unsafeUninitializedCapacity: name.count) { buffer in
            var index = 0
            for byte in name {
                let letter = byte &- 0x41 < 26 ? byte | 0x20 : byte
                isPlain = isPlain && (letter &- 0x61 < 26 || letter &- 0x30 < 10 || letter == 0x2D)
                buffer[index] = letter
                index += 1
            }
            return index
        }
        if !isPlain {
            self = .ambiguous
        } else if let known = FieldRole.known[lower] {
            self = known
        } else {
            if lower.utf8.starts(with: "sec-fetch-".utf8) {
                self = .fetchOther
                return
            }
            let isProxyOnly =
                FieldRole.proxyOnlyLetters.contains(lower.utf8.first)
                && FieldRole.proxyOnlyBeginnings.contains { lower.utf8.starts(with: $0.utf8) }
            self = isProxyOnly ? .proxyOnly : .other
        }
    }

    private static let known: [String: FieldRole] = {
        var roles: [String: FieldRole] = [
            "host": .host, "content-length": .contentLength, "transfer-encoding": .transferEncoding,
            "connection": .connection, "upgrade": .upgrade, "expect": .expect, "server": .server,
            "last-event-id": .lastEventID, "origin": .origin, "sec-fetch-site": .fetchSite,
            "x-forwarded-host": .forwardedHost, "referer": .referer, "destination": .referer,
            "location": .location, "content-location": .location, "set-cookie": .cookie,
            "service-worker": .serviceWorker,
            "authorization": .credentials, "cookie": .clientCookies,
            "x-ssl-client-cert": .clientCertificate,
            "x-original-method": .originalMethod, "x-original-uri": .originalTarget,
            "x-original-upgrade": .originalUpgrade,
            "x-forwarded-method": .forwardedMethod, "x-forwarded-uri": .forwardedTarget,
        ]
        for name in ["key", "version", "protocol", "extensions"] {
            roles["sec-websocket-" + name] = .webSocket
        }
        for name in ["x-http-method-override", "x-http-method", "x-method-override"] {
            roles[name] = .methodOverride
        }
        for name in ["keep-alive", "proxy-connection", "te", "trailer"] { roles[name] = .hopByHop }
        for name in proxyOnlyNames { roles[name] = .proxyOnly }
        for name in OriginGuard.dropped { roles[name] = .originWide }
        return roles
    }()

    private static let proxyOnlyNames = [
        // `Proxy` becomes the environment variable HTTP_PROXY in CGI.
        "proxy", "proxy-authorization",
        // The client's address.
        "forwarded", "forwarded-for", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "true-client-ip",
        "client-ip", "fastly-client-ip", "cf-connecting-ip", "cf-connecting-ipv6", "cf-pseudo-ipv4",
        "x-proxyuser-ip", "x-originating-ip", "x-remote-ip", "x-remote-addr", "remote-addr",
        "x-appengine-user-ip", "x-azure-clientip", "x-azure-socketip", "proxy-client-ip",
        // The client's certificate (RFC 9440).
        "client-cert", "client-cert-chain", "x-arr-clientcert", "x-arr-ssl",
        // The client's user.
        "remote-user", "x-remote-user", "x-authenticated-user", "x-webauth-user",
        // The requested URL.
        "x-host", "x-http-host-override", "x-scheme", "x-url-scheme", "front-end-https",
    ]
    private static let proxyOnlyBeginnings = [
        "x-hubpair", "x-forwarded", "x-ssl-", "ssl-client-", "x-tls-client-", "tls-client-", "x-client-cert",
        "x-client-ssl-", "x-client-verify", "x-client-dn", "x-client-subject", "x-client-issuer",
        "x-amzn-mtls-", "x-amzn-tls-", "x-envoy-", "x-auth-request-", "x-original-", "x-rewrite-",
        "wl-proxy-",
    ]
    /// With which those begin: most fields begin with another one.
    private static let proxyOnlyLetters = Set(proxyOnlyBeginnings.map(\.utf8.first))
}
