/// Addresses by which a server means itself, in fields like `Location`.
struct OwnAddress {
    private let authorities: [[UInt8]]

    /// - Parameter authorities: each `host [ ":" port ]`; nil if there is none.
    init?(of authorities: [some Collection<UInt8>]) {
        self.authorities = authorities.filter { !$0.isEmpty }.map { Array($0) }
        if self.authorities.isEmpty { return nil }
    }

    /// The name in `host` with the port in `authority`, or with none: servers that know their port and are
    /// told a name mean themselves so. `kitchen.local:8001` with `127.0.0.1:3000` is `kitchen.local:3000`.
    static func name(in host: ArraySlice<UInt8>, atPortOf authority: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        host.withoutPort + authority.dropFirst(authority.withoutPort.count)
    }

    /// The same address at another origin; nil if it is not one of the server's own.
    ///
    /// `http://127.0.0.1:8123/auth?x` with the authority `127.0.0.1:8123` moves to
    /// `https://kitchen.local:8001/auth?x`. `/auth`, `//127.0.0.1:8123/`, `http://127.0.0.1:81234/` and
    /// `http://127.0.0.1:8123@evil/` do not.
    func moved(_ value: ArraySlice<UInt8>, to origin: String) -> [UInt8]? {
        for scheme in ["http://", "https://"] where value.hasBeginning(Array(scheme.utf8)) {
            let rest = value.dropFirst(scheme.utf8.count)
            for authority in authorities where rest.hasBeginning(authority) {
                let path = rest.dropFirst(authority.count)
                guard path.first.map({ "/?#".utf8.contains($0) }) ?? true else { continue }
                return Array(origin.utf8) + path
            }
        }
        return nil
    }
}

extension ArraySlice<UInt8> {
    /// Of `host [ ":" port ]` the host; an IPv6 address stands in brackets.
    fileprivate var withoutPort: ArraySlice<UInt8> {
        guard let colon = lastIndex(of: UInt8(ascii: ":")), !self[colon...].contains(UInt8(ascii: "]")) else {
            return self
        }
        return self[..<colon]
    }

    /// Scheme and host have no case (RFC 3986 § 6.2.2.1).
    fileprivate func hasBeginning(_ other: [UInt8]) -> Bool {
        count >= other.count && zip(self, other).allSatisfy { $0.lowercase == $1.lowercase }
    }
}

extension UInt8 {
    fileprivate var lowercase: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
