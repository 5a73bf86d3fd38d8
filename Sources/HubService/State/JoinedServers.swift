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
///     [server mqtt]
///     url=mqtt://127.0.0.1:1883
///     username=hub
///     password=correct horse
///
/// The server's kind (``GatewayRules/JoinedKind``), one of each; `url` as an ``Upstream``. What lets in: at
/// Home Assistant a `token`, 1 to 2048 bytes of printable ASCII without spaces; at a broker `username` and
/// `password`, both or none, 1 to 256 bytes each without control characters.
///
/// Accepted: the above. Rejected: `[server nas]`, `url=http://nas.lan`, no `token`, `token=a b`,
/// `url=mqtt://nas.lan`, a `username` alone.
package struct JoinedServers: Equatable, Sendable {
    package static let fileName = "joined"
    package static let maximumTokenByteCount = 2048
    package static let maximumLoginByteCount = 256
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
            with: [(key: "url", value: server.url.text)] + server.entry.pairs)
    }

    package mutating func remove(_ kind: JoinedKind) {
        servers.removeAll { $0.kind == kind }
        file.removeGroup("\(JoinedServers.group) \(kind.rawValue)")
    }
}

/// A server whose things stand in the house.
package struct JoinedServer: Equatable, Sendable {
    /// The name and password at a broker.
    package struct Login: Equatable, Sendable {
        package let name: String
        package let password: String

        package init(name: String, password: String) throws(JoinError) {
            for text in [name, password] {
                guard (1...JoinedServers.maximumLoginByteCount).contains(text.utf8.count),
                    text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
                else { throw .badLogin }
            }
            (self.name, self.password) = (name, password)
        }
    }

    /// What lets in there. It must not reach a log, an answer or the arguments of a program.
    fileprivate enum Entry: Equatable {
        case free
        case token(String)
        case login(Login)

        var pairs: [(key: String, value: String)] {
            switch self {
            case .free: []
            case .token(let token): [(key: "token", value: token)]
            case .login(let login):
                [(key: "username", value: login.name), (key: "password", value: login.password)]
            }
        }
    }

    package let kind: JoinedKind
    package let url: Upstream
    fileprivate let entry: Entry

    /// Of Home Assistant; empty for others.
    package var token: String { if case .token(let token) = entry { token } else { "" } }
    /// At a broker; nil for one that lets in everybody.
    package var login: Login? { if case .login(let login) = entry { login } else { nil } }

    /// A Home Assistant.
    ///
    /// - Throws: ``JoinError/badToken``.
    package init(homeAssistant url: Upstream, token: String) throws(JoinError) {
        // It stands in the head of a request.
        guard (1...JoinedServers.maximumTokenByteCount).contains(token.utf8.count),
            token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw .badToken }
        (kind, self.url, entry) = (.homeAssistant, url, .token(token))
    }

    /// An MQTT broker.
    package init(mqtt url: Upstream, login: Login?) {
        (kind, self.url, entry) = (.mqtt, url, login.map(Entry.login) ?? .free)
    }

    fileprivate init(_ kind: JoinedKind, _ file: KeyFile, _ group: String) throws(KeyFileError) {
        let url: Upstream
        let text = try file.required("url", in: group)
        do {
            url = try kind == .mqtt ? Upstream(mqtt: text) : Upstream(text)
        } catch {
            throw .invalidValue(error.description, key: "url", group: group)
        }
        switch kind {
        case .homeAssistant:
            let token = try file.required("token", in: group)
            do {
                try self.init(homeAssistant: url, token: token)
            } catch {
                throw .invalidValue("no token", key: "token", group: group)
            }
        case .mqtt:
            let (name, password) = (file.value("username", in: group), file.value("password", in: group))
            guard name != nil || password != nil else {
                self.init(mqtt: url, login: nil)
                return
            }
            do {
                self.init(mqtt: url, login: try Login(name: name ?? "", password: password ?? ""))
            } catch {
                throw .invalidValue("no name and password of a broker", key: "username", group: group)
            }
        }
    }
}

/// Why the servers of a house stay as they are.
package enum JoinError: Equatable, UserError {
    case badToken
    case badLogin
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
        case .badLogin:
            "a name and a password have 1 to \(JoinedServers.maximumLoginByteCount) bytes each, in one line"
        case .notJoined(let kind): "\(kind.title) has not joined this house"
        case .refused(.homeAssistant): "\(JoinedKind.homeAssistant.title) does not take this token"
        case .refused(.mqtt): "the MQTT broker does not take this name and password"
        case .silent(let kind, let url, let words): "\(kind.title) at \(url) does not answer: \(words)"
        case .other(.homeAssistant, let url, let status):
            "\(url) is no \(JoinedKind.homeAssistant.title): it answers \(status)"
        case .other(.mqtt, let url, _): "\(url) is no MQTT broker, or none that speaks MQTT 3.1.1"
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .badToken, .badLogin: .data
        case .notJoined: .notFound
        case .refused: .notPermitted
        case .silent: .unavailable
        case .other: .data
        }
    }

    package var hint: String? {
        switch self {
        case .badLogin, .refused(.mqtt):
            "give those of a user of the broker: --username NAME --password-file FILE, whose first line it is"
        case .silent(.mqtt, _, _), .other(.mqtt, _, _):
            "start it, or give the address at which it listens, like mqtt://127.0.0.1:1883"
        case .badToken, .refused(.homeAssistant):
            "make one in Home Assistant: your profile, Security, Long-lived access tokens; its whole text is "
                + "the first line of the file"
        case .notJoined: "'hubpair hub join' lists those that have"
        case .silent: "start it, or give the address at which it listens, like http://127.0.0.1:8123"
        case .other: "give the address of its own page, like http://127.0.0.1:8123"
        }
    }
}
