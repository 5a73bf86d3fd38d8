/// The hub's own cookie, which stands for a browser's session.
///
///     set-cookie = "__Host-hubpair=" token "; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=600"
///     token      = 43( ALPHA / DIGIT / "-" / "_" )            ; base64url of 32 bytes
///
/// Its prefix keeps other hosts and plain HTTP from setting it (RFC 6265bis § 4.1.3.2), not other ports of
/// this host: so the hub never takes over a token that it has not made. It never reaches the server behind
/// the gateway, and that cannot set one of this name.
package enum SessionCookie {
    package static let name = "__Host-hubpair"
    /// How long a session lives without being renewed, in seconds.
    package static let lifetime = 600
    package static let tokenCharacterCount = 43

    private static let attributes = "; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age="

    /// The value of `Set-Cookie`.
    package static func setting(_ token: String) -> String { "\(name)=\(token)\(attributes)\(lifetime)" }
    /// The value of `Set-Cookie` that makes a browser forget it.
    package static let forgetting = "\(name)=\(attributes)0"

    /// The token in a request; nil if there is none, or more than one: two readers may take two.
    package static func token(in fields: FieldBlock) -> [UInt8]? {
        var found: ArraySlice<UInt8>?
        for field in fields.fields where field.role == .clientCookies {
            for pair in pairs(fields.value(of: field)) where isOurs(pair) {
                guard found == nil, let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return nil }
                found = pair[(equals + 1)...]
            }
        }
        return found.flatMap { $0.count == tokenCharacterCount ? Array($0) : nil }
    }

    /// The value of a `Cookie` field without the hub's own; nil if nothing is left.
    static func others(in value: ArraySlice<UInt8>) -> [UInt8]? {
        let others = pairs(value).filter { !isOurs($0) }
        return others.isEmpty ? nil : Array(others.joined(separator: Array("; ".utf8)))
    }

    /// True for the value of a `Set-Cookie` field of the hub's name, in any case, or one that browsers send
    /// back as if it were: a cookie without a name.
    static func isSet(by value: ArraySlice<UInt8>) -> Bool {
        isOurs(value.drop { $0 == UInt8(ascii: "=") || isSpace($0) })
    }

    private static func pairs(_ value: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        // Some servers take a comma for the end of a cookie, too (RFC 2109 § 4.3.4).
        value.split { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: ",") }.compactMap { pair in
            var pair = pair.drop(while: isSpace)
            while let last = pair.last, isSpace(last) { pair.removeLast() }
            return pair.isEmpty ? nil : pair
        }
    }

    private static func isOurs(_ pair: ArraySlice<UInt8>) -> Bool {
        var name = pair.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
        while let last = name.last, isSpace(last) { name.removeLast() }
        return String(decoding: name, as: UTF8.self).lowercased() == SessionCookie.name.lowercased()
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
