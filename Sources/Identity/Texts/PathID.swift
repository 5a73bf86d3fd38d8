/// An id that can stand in a path as it is: a segment whose bytes no server reads as anything else.
///
///     id = 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" )        ; RFC 3986 § 2.3; not "." nor ".."
///
/// The one rule for what the gateway takes for an appliance, and for what the hub itself names in a
/// request: a
/// `/`, a `%` or dots could lead to another path, by the reading of some server.
///
/// Accepted: `6b4d5c`, `lamp.1`. Rejected: nothing, `..`, `a/b`, `a%2Fb`, `a;b`, `küche`.
package enum PathID {
    package static func isOne(_ text: some Collection<UInt8>) -> Bool {
        !text.isEmpty && !text.elementsEqual(".".utf8) && !text.elementsEqual("..".utf8)
            && text.allSatisfy { byte in
                switch byte {
                case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "."),
                    UInt8(ascii: "_"), UInt8(ascii: "~"):
                    true
                default: false
                }
            }
    }
}
