/// Addresses by which a server means itself, in fields like `Location`.
struct OwnAddress {
    private let authorities: [[UInt8]]

    /// - Parameter authorities: each `host [ ":" port ]`; nil if there is none.
    init?(of authorities: [some Collection<UInt8>]) {
        self.authorities = authorities.filter { !$0.isEmpty }.map { Array($0) }
        if self.authorities.isEmpty { return nil }
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
    /// Scheme and host have no case (RFC 3986 § 6.2.2.1).
    fileprivate func hasBeginning(_ other: [UInt8]) -> Bool {
        count >= other.count && zip(self, other).allSatisfy { $0.lowercase == $1.lowercase }
    }
}

extension UInt8 {
    fileprivate var lowercase: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
