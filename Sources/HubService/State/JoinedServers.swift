package import GatewayRules
package import Identity
package import Pairing

/// The hub's file `joined`: the servers whose things stand in the house, beside those of the server behind
/// the hub. Like all of the hub directory it is its owner's alone (0600), since it holds tokens.
///
///     [keyfile]
///     format=1
///
///     [server home-assistant]
///     url=http://127.0.0.1:8123
///     token=eyJhbGciOiJIUzI1NiJ9…
///
/// The server's kind (``GatewayRules/JoinedKind``), one of each; `url` as an ``Upstream``; `token` is what
/// lets in there, 1 to 2048 bytes of printable ASCII without spaces.
///
/// Accepted: the above. Rejected: `[server nas]`, `url=http://nas.lan`, no `token`, `token=a b`.
package struct JoinedServers: Equatable, Sendable {
    package static let fileName = "joined"
    package static let maximumTokenByteCount = 2048
    private static let group = "server"

    package private(set) var servers: [JoinedServer] = []
    private var file: KeyFile

    /// No server.
    package init() {
        file = .empty(comment: "The servers that have joined this house; see 'hubpair hub join'.")
    }

    /// Reads the file; the first fault refuses all of it.
    package init(parsing bytes: [UInt8]) throws(KeyFileError) {
        file = try KeyFile(parsing: bytes)
        try file.checkFormat()
        for word in try file.identifiers(of: JoinedServers.group) {
            let group = "\(JoinedServers.group) \(word)"
            guard let kind = JoinedKind(rawValue: word) else { throw .unknownGroup(group) }
            servers.append(try JoinedServer(kind, file, group))
        }
    }

    /// The bytes of the file: what was read, with the changes since.
    package var serialized: [UInt8] { file.serialized }

    package func server(_ kind: JoinedKind) -> JoinedServer? { servers.first { $0.kind == kind } }

    /// Puts a server in place of the one of its kind, or adds it.
    package mutating func put(_ server: JoinedServer) {
        servers = servers.filter { $0.kind != server.kind } + [server]
        file.replaceGroup(
            "\(JoinedServers.group) \(server.kind.rawValue)",
            with: [(key: "url", value: server.url.text), (key: "token", value: server.token)])
    }

    package mutating func remove(_ kind: JoinedKind) {
        servers.removeAll { $0.kind == kind }
        file.removeGroup("\(JoinedServers.group) \(kind.rawValue)")
    }
}

/// A server whose things stand in the house.
package struct JoinedServer: Equatable, Sendable {
    package let kind: JoinedKind
    package let url: Upstream
    /// Lets in there. It must not reach a log, an answer or the arguments of a program.
    package let token: String

    /// - Throws: ``JoinError/badToken``.
    package init(_ kind: JoinedKind, at url: Upstream, token: String) throws(JoinError) {
        // It stands in the head of a request.
        guard (1...JoinedServers.maximumTokenByteCount).contains(token.utf8.count),
            token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw .badToken }
        (self.kind, self.url, self.token) = (kind, url, token)
    }

    fileprivate init(_ kind: JoinedKind, _ file: KeyFile, _ group: String) throws(KeyFileError) {
        let url: Upstream
        let text = try file.required("url", in: group)
        do {
            url = try Upstream(text)
        } catch {
            throw .invalidValue(error.description, key: "url", group: group)
        }
        let token = try file.required("token", in: group)
        do {
            try self.init(kind, at: url, token: token)
        } catch {
            throw .invalidValue("no token", key: "token", group: group)
        }
    }
}

/// Why the servers of a house stay as they are.
package enum JoinError: Equatable, UserError {
    case badToken
    case notJoined(JoinedKind)
    /// It does not take the token.
    case refused(JoinedKind)
    case silent(JoinedKind, String, String)
    /// What answers is something else: its status.
    case other(JoinedKind, String, Int)

    package var description: String {
        switch self {
        case .badToken:
            "a token has 1 to \(JoinedServers.maximumTokenByteCount) letters, digits and signs, and no space"
        case .notJoined(let kind): "\(kind.title) has not joined this house"
        case .refused(let kind): "\(kind.title) does not take this token"
        case .silent(let kind, let url, let words): "\(kind.title) at \(url) does not answer: \(words)"
        case .other(let kind, let url, let status): "\(url) is no \(kind.title): it answers \(status)"
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .badToken: .data
        case .notJoined: .notFound
        case .refused: .notPermitted
        case .silent: .unavailable
        case .other: .data
        }
    }

    package var hint: String? {
        switch self {
        case .badToken, .refused:
            "make one in Home Assistant: your profile, Security, Long-lived access tokens; its whole text is "
                + "the first line of the file"
        case .notJoined: "'hubpair hub join' lists those that have"
        case .silent: "start it, or give the address at which it listens, like http://127.0.0.1:8123"
        case .other: "give the address of its own page, like http://127.0.0.1:8123"
        }
    }
}
