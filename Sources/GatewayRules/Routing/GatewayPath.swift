package import Pairing

/// What a request's target asks for. Targets are compared as raw bytes before `?` and passed on as they came.
///
/// The names under `/hubpair` are the hub's own, and nothing that any server might read as one of them is
/// passed on: what stands behind the gateway must never answer in the hub's name. So the guard reads a target
/// in every way that servers read them (percent-encoding once and more often, doubled slashes, dot segments,
/// backslashes, path parameters, either case), and withholds it if one of them leads to `/hubpair…`.
///
/// Own: `/hubpair/v1/hub`, `/hubpair/v1/hub?x=1`. Withheld: `/hubpair`, `/hubpairing`, `//hubpair`,
/// `/%68ubpair`, `/x/..%2fHUBPAIR`. Passed on: `/devices/`, `/x/hubpair`.
package enum GatewayPath: Equatable, Sendable {
    /// One of the hub's own endpoints.
    case own(PairEndpoint)
    /// The hub's own, but no endpoint, or another spelling of one.
    case withheld
    /// The upstream's.
    case upstream

    /// Reads a target that begins with `/`.
    package init(target: some StringProtocol) {
        let bytes = target.utf8
        let path = bytes.prefix { $0 != UInt8(ascii: "?") }
        // Fast way: without one of these bytes there is only one way to read a path.
        let isPlain = path.allSatisfy {
            switch $0 {
            case 0x61...0x7A, 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "/"): true
            default: false
            }
        }
        if path.starts(with: "/hubpair".utf8) {
            let endpoint = PairEndpoint.allCases.first { path.elementsEqual($0.rawValue.utf8) }
            self = endpoint.map(GatewayPath.own) ?? .withheld
        } else if isPlain, !path.starts(with: "//".utf8) {
            self = .upstream
        } else {
            self = GatewayPath.leadsToHubpair(Array(path)) ? .withheld : .upstream
        }
    }

    private static func leadsToHubpair(_ path: [UInt8]) -> Bool {
        var path = path
        // Each round undoes one level of encoding; a path that is still changing after this many is no path.
        for _ in 0..<8 {
            if namesHubpair(path) { return true }
            let decoded = percentDecoded(path)
            guard decoded != path else { return false }
            path = decoded
        }
        return true
    }

    /// True if the path's first segment is `hubpair…`, as it stands or at any point while dot segments are
    /// removed (RFC 3986 § 5.2.4).
    private static func namesHubpair(_ path: [UInt8]) -> Bool {
        var depth = 0
        for segment in path.split(whereSeparator: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }) {
            // Path parameters (RFC 3986 § 3.3), and what a server in C would cut at a NUL, or trim.
            let name = segment.prefix { $0 != UInt8(ascii: ";") && $0 != 0 }.drop { $0 <= 0x20 }
            if name.isEmpty || name.elementsEqual(".".utf8) { continue }
            if name.elementsEqual("..".utf8) {
                depth = max(0, depth - 1)
                continue
            }
            if depth == 0, name.count >= 7, zip(name, "hubpair".utf8).allSatisfy({ $0 | 0x20 == $1 }) {
                return true
            }
            depth += 1
        }
        return false
    }

    private static func percentDecoded(_ path: [UInt8]) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(path.count)
        var position = 0
        while position < path.count {
            if path[position] == UInt8(ascii: "%"), position + 2 < path.count,
                let high = hexValue(path[position + 1]), let low = hexValue(path[position + 2])
            {
                decoded.append(high << 4 | low)
                position += 3
            } else {
                decoded.append(path[position])
                position += 1
            }
        }
        return decoded
    }
}

/// The value of a hexadecimal digit; nil for any other byte.
package func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
}
