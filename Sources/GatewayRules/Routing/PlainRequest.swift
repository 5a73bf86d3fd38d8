/// A request that came without TLS to the port of TLS, as browsers send it that were given no `https://`.
///
/// It is told where it belongs, and nothing of it is carried out. Only what a browser asks for by a GET is
/// sent on, to the name that it used; the rest would have been a mistake of a program, which gets an error.
package enum PlainRequest {
    /// Looked at of what came first.
    private static let byteLimit = 2_048

    /// The answer to bytes that are no beginning of TLS (RFC 8446 § 5.1: 0x16); nil for any that may be.
    package static func answer(to bytes: some Sequence<UInt8>) -> [UInt8]? {
        let start = Array(bytes.prefix(byteLimit))
        // A method is in capitals.
        guard let first = start.first, (0x41...0x5A).contains(first) else { return nil }
        let lines = start.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast()
        guard let address = address(Array(lines)) else {
            return message(
                "400 Bad Request", "", "this is the port of https: write https:// before the address\n")
        }
        return message("307 Temporary Redirect", "Location: \(address)\r\n", "it is at \(address)\n")
    }

    private static func message(_ status: String, _ field: String, _ text: String) -> [UInt8] {
        Array(
            ("HTTP/1.1 \(status)\r\n\(field)Content-Type: text/plain\r\n"
                + "Content-Length: \(text.utf8.count)\r\nConnection: close\r\n\r\n\(text)").utf8)
    }

    /// `https://HOST:PORT/path` of a whole head of a GET.
    private static func address(_ lines: [ArraySlice<UInt8>]) -> String? {
        guard let line = lines.first.flatMap(text), lines.contains(where: { $0.allSatisfy { $0 == 0x0D } })
        else { return nil }
        let parts = line.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "GET", parts[1].hasPrefix("/"), parts[2].hasPrefix("HTTP/1.")
        else {
            return nil
        }
        let hosts = lines.dropFirst().compactMap(text).filter { $0.lowercased().hasPrefix("host:") }
        guard hosts.count == 1 else { return nil }
        let host = hosts[0].dropFirst(5).drop { $0 == " " }
        let isHost = host.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x3A, 0x41...0x5B, 0x5D, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"): true
            default: false
            }
        }
        guard isHost, (1...262).contains(host.utf8.count) else { return nil }
        return "https://\(host)\(parts[1])"
    }

    /// A line of printable ASCII without its end; nil for another.
    private static func text(_ line: ArraySlice<UInt8>) -> String? {
        let bytes = line.last == 0x0D ? line.dropLast() : line
        guard bytes.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
