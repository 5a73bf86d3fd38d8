/// Keeps the cookies of a service apart from those of others: browsers send a host's cookies to all of its
/// ports, and let each of them set any.
///
///     name-in-browser = "__Http-hubpair-" port "-" name   ; of a cookie with HttpOnly
///                     / name                              ; of any other
///     session         = "__Host-hubpair-" port
///
/// The threat is a service that is hostile, beside one that is not: it would get the other's sessions with
/// every request. A cookie that no script may read is renamed, so nobody but the gate meets the other name,
/// and it goes to the service that has set it alone. A cookie for scripts (`_xsrf`, a choice of colours)
/// keeps its name, since they look for it; all services of the hub get it, but not in place of a renamed one.
/// Its pages' scripts could plant a cookie of the other name, for a path of their choice: a browser that
/// knows the prefix `__Http-` takes it from servers alone (draft-ietf-httpbis-rfc6265bis § 4.1.3).
///
/// The gate's own cookies (``SessionCookie``) reach no service, and none can set one.
package struct ServiceCookies: Equatable, Sendable {
    private let prefix: [UInt8]

    package init(port: UInt16) { prefix = Array("\(ServiceCookies.beginning)\(port)-".utf8) }

    private static let beginning = "__Http-hubpair-"

    /// True for the name of a renamed cookie, whosever it is.
    static func isRenamed(_ name: some Collection<UInt8>) -> Bool {
        guard name.starts(with: beginning.utf8) else { return false }
        let rest = name.dropFirst(beginning.utf8.count)
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        return !digits.isEmpty && rest.dropFirst(digits.count).first == UInt8(ascii: "-")
    }

    /// What the service gets of the cookies in a request; nil if that is nothing.
    ///
    /// - Parameter values: those of all `Cookie` fields.
    func request(_ values: [ArraySlice<UInt8>]) -> [UInt8]? {
        var own: [ArraySlice<UInt8>] = []
        var others: [ArraySlice<UInt8>] = []
        for value in values {
            for pair in SessionCookie.split(value, at: ";") where !SessionCookie.isOurs(pair) {
                if pair.starts(with: prefix) {
                    own.append(pair.dropFirst(prefix.count))
                } else if !ServiceCookies.isRenamed(pair) {
                    others.append(pair)
                }
            }
        }
        let names = Set(own.map(ServiceCookies.name))
        let all = own + others.filter { !names.contains(ServiceCookies.name(of: $0)) }
        return all.isEmpty ? nil : Array(all.joined(separator: Array("; ".utf8)))
    }

    private static func name(of pair: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        pair.prefix { $0 != UInt8(ascii: "=") }
    }

    /// The value of a service's `Set-Cookie` for browsers: for this host alone, over TLS alone, and under its
    /// other name; nil if it is not passed on.
    func response(_ value: ArraySlice<UInt8>) -> [UInt8]? {
        let parts = SessionCookie.split(value, at: ";")
        // Without a name a browser sends the value back as if it were one.
        guard let pair = parts.first, pair.first != UInt8(ascii: "="), pair.contains(UInt8(ascii: "=")),
            !SessionCookie.isSet(by: pair), !ServiceCookies.isRenamed(pair)
        else { return nil }
        var kept: [ArraySlice<UInt8>] = []
        var isForScripts = true
        for attribute in parts.dropFirst() {
            switch ServiceCookies.word(attribute) {
            // The domain is the server's idea of its own; Secure is written below.
            case "domain", "secure": continue
            case "httponly":
                isForScripts = false
                kept.append(attribute)
            default: kept.append(attribute)
            }
        }
        let first: [UInt8] = (isForScripts ? [] : prefix) + pair
        let all: [[UInt8]] = [first] + kept.map(Array.init) + [Array("Secure".utf8)]
        return Array(all.joined(separator: Array("; ".utf8)))
    }

    /// The name of an attribute in lower case.
    private static func word(_ attribute: ArraySlice<UInt8>) -> String {
        var name = attribute.prefix { $0 != UInt8(ascii: "=") }
        while let last = name.last, last == 0x20 || last == 0x09 { name.removeLast() }
        return String(decoding: name, as: UTF8.self).lowercased()
    }
}
