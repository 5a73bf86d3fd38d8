package import Addresses

/// Where figures are told: on this computer only, since they say when its people are at home.
package enum MetricsPlace: Equatable, Sendable {
    /// An address of the loopback.
    case port(NetworkAddress, UInt16)
    /// A Unix socket, in a folder that others cannot enter.
    case socket(name: String, directory: String)

    /// - Parameter text: `127.0.0.1:9464`, `[::1]:9464`, `localhost:9464`, `9464`, or the absolute path of a
    ///   socket.
    package init?(_ text: String) {
        if text.hasPrefix("/") {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard let name = parts.last, !name.isEmpty, parts.count > 2 else { return nil }
            self = .socket(name: String(name), directory: parts.dropLast().joined(separator: "/"))
            return
        }
        guard let colon = text.lastIndex(of: ":") ?? text.indices.first else { return nil }
        let hasHost = text[colon] == ":"
        let host = hasHost ? text[..<colon] : "127.0.0.1"
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? host.dropFirst().dropLast() : host
        let digits = hasHost ? text[text.index(after: colon)...] : text[...]
        guard let address = NetworkAddress(bare == "localhost" ? "127.0.0.1" : String(bare)),
            address.isLoopback, digits.utf8.count <= 5,
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = UInt16(digits), port > 0
        else { return nil }
        self = .port(address, port)
    }

    package var description: String {
        switch self {
        case .port(let address, let port):
            "\(address.family == .ipv6 ? "[\(address)]" : "\(address)"):\(port)"
        case .socket(let name, let directory): "\(directory)/\(name)"
        }
    }
}
