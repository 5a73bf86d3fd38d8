/// The hub's own cookie, which stands for a browser's session.
///
///     set-cookie = name "=" token "; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=" seconds
///     name       = "__Host-hubpair" [ "-" port ]               ; port: a service's
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

    /// How long one at a service lives without being used, in seconds: a panel on the wall may be looked at
    /// once a week, and a revocation ends all of them at once.
    package static let serviceLifetime = 7 * 86_400

    /// The value of `Set-Cookie`.
    ///
    /// - Parameter port: a service's; nil for the hub's own.
    package static func setting(_ token: String, at port: UInt16? = nil) -> String {
        let lifetime = port == nil ? lifetime : serviceLifetime
        return "\(name(at: port))=\(token)\(attributes)\(lifetime)"
    }

    private static func name(at port: UInt16?) -> String { port.map { "\(name)-\($0)" } ?? name }

    /// The value of `Set-Cookie` that makes a browser forget it.
    package static let forgetting = "\(name)=\(attributes)0"

    /// The token in a request; nil if there is none, or more than one: two readers may take two.
    ///
    /// - Parameter port: a service's; nil for the hub's own.
    package static func token(in fields: FieldBlock, at port: UInt16? = nil) -> [UInt8]? {
        let name = name(at: port).lowercased()
        var found: ArraySlice<UInt8>?
        for field in fields.fields where field.role == .clientCookies {
            for pair in pairs(fields.value(of: field)) where lowercasedName(of: pair) == name {
                guard found == nil, let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return nil }
                found = pair[(equals + 1)...]
            }
        }
        return found.flatMap { $0.count == tokenCharacterCount ? Array($0) : nil }
    }

    /// The value of a `Cookie` field without the hub's own; nil if nothing is left.
    static func others(in value: ArraySlice<UInt8>) -> [UInt8]? {
        let others = pairs(value).filter { !isOurs($0) && !ServiceCookies.isRenamed($0) }
        return others.isEmpty ? nil : Array(others.joined(separator: Array("; ".utf8)))
    }

    /// True for the value of a `Set-Cookie` field of the hub's name, in any case, or one that browsers send
    /// back as if it were: a cookie without a name.
    static func isSet(by value: ArraySlice<UInt8>) -> Bool {
        isOurs(value.drop { $0 == UInt8(ascii: "=") || isSpace($0) })
    }

    private static func pairs(_ value: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        // Some servers take a comma for the end of a cookie, too (RFC 2109 § 4.3.4).
        split(value, at: ";,")
    }

    /// The parts of a list that are not empty, without white space at their ends.
    static func split(_ value: ArraySlice<UInt8>, at separators: String) -> [ArraySlice<UInt8>] {
        value.split { separators.utf8.contains($0) }.compactMap { pair in
            var pair = pair.drop(while: isSpace)
            while let last = pair.last, isSpace(last) { pair.removeLast() }
            return pair.isEmpty ? nil : pair
        }
    }

    /// True for the hub's own cookie, and for that of any of its services' ports.
    static func isOurs(_ pair: ArraySlice<UInt8>) -> Bool {
        let own = name.lowercased()
        let found = lowercasedName(of: pair)
        return found == own || found.hasPrefix(own + "-")
    }

    private static func lowercasedName(of pair: ArraySlice<UInt8>) -> String {
        var name = pair.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
        while let last = name.last, isSpace(last) { name.removeLast() }
        return String(decoding: name, as: UTF8.self).lowercased()
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
