import Addresses
import Glibc
import HubClient
import HubService
import Identity
import JSON
import Pairing

/// Whether the hub keeps strangers out: its port is asked as another device would, at an address of this
/// machine that is not loopback, and without a certificate.
enum CheckGateway {
    /// What the port at one address did.
    enum Answer: Equatable, Sendable {
        /// The hub's own refusal, with the hub's key: 401 `no_certificate`.
        case refused
        /// It served a stranger, with this status.
        case served(Int)
        /// Another answer of the right key.
        case other(Int)
        /// Another server's key.
        case otherKey(Fingerprint)
        /// Nobody listens.
        case closed
        /// In words.
        case failed(String)
    }

    /// The most addresses that are asked.
    static let maximumAddresses = 8

    /// This machine's addresses that others can reach, IPv4 first.
    static func outsideAddresses() -> [NetworkAddress] {
        let all = NetworkLink.current().filter(\.isUsable).flatMap(\.addresses).filter { !$0.isLoopback }
        return Array(
            (all.filter { $0.family == .ipv4 } + all.filter { $0.family == .ipv6 }).prefix(maximumAddresses))
    }

    static func check(_ hub: CheckHubFiles.Hub) -> DiagnosisCheck {
        let port = hub.settings.port
        return DiagnosisCheck(
            "hub-gateway", tried: "asked port \(port) for /devices/ from outside, as a stranger",
            deadline: .seconds(12)
        ) {
            let addresses = outsideAddresses()
            guard !addresses.isEmpty else { return .skipped("no interface is up but loopback") }
            var answers: [(NetworkAddress, Answer)] = []
            let connector = try HubConnector(allowsTLS12: true)
            for address in addresses {
                answers.append((address, await ask(address, port, hub.pin, connector)))
            }
            var isOnLoopback = false
            if answers.allSatisfy({ $0.1 == .closed }), let loopback = NetworkAddress("127.0.0.1") {
                isOnLoopback = await ask(loopback, port, hub.pin, connector) == .refused
            }
            return verdict(answers, port: port, isOnLoopback: isOnLoopback)
        }
    }

    /// True if this machine's hub serves already: its key answers at an address of this machine.
    static func isServed(_ hub: CheckHubFiles.Hub, on port: UInt16) async -> Bool {
        guard let connector = try? HubConnector(allowsTLS12: true) else { return false }
        for address in hub.settings.listen + [NetworkAddress("127.0.0.1")].compactMap(\.self) {
            if await ask(address, port, hub.pin, connector) == .refused { return true }
        }
        return false
    }

    /// - Parameter isOnLoopback: nobody listens outside, and the hub does on loopback.
    static func verdict(
        _ answers: [(NetworkAddress, Answer)], port: UInt16, isOnLoopback: Bool = false
    ) -> Finding.Verdict {
        func places(_ all: [(NetworkAddress, Answer)]) -> String {
            all.map { $0.0.description(withPort: port) }.joined(separator: ", ")
        }
        let open = answers.filter { if case .served = $0.1 { true } else { false } }
        guard open.isEmpty else {
            return .problem(
                "OPEN: a stranger is served at \(places(open))",
                mend:
                    "another server has the port: stop it or move it to 127.0.0.1 (--upstream), then "
                    + "'hubpair serve'; see "
                    + "which program it is: sudo ss -ltnp 'sport = :\(port)'")
        }
        for (address, answer) in answers {
            let place = address.description(withPort: port)
            switch answer {
            case .otherKey(let key):
                return .problem(
                    "not this hub: \(place) shows the key \(key)",
                    mend:
                        "see which program has the port: sudo ss -ltnp 'sport = :\(port)'; or name "
                        + "its directory with --state"
                )
            case .other(let status):
                return .warning(
                    "\(place) answers a stranger with \(status), not with 401",
                    mend: "see what 'hubpair serve' says, and restart it")
            case .failed(let words):
                return .problem(
                    words, mend: "see which program has the port: sudo ss -ltnp 'sport = :\(port)'")
            default: continue
            }
        }
        let enforced = answers.filter { $0.1 == .refused }
        if enforced.isEmpty, isOnLoopback {
            return .warning(
                "ENFORCED: the hub listens on loopback alone, so nobody on the network reaches it",
                mend: "serve without '--listen 127.0.0.1', unless you have a proxy in front of it")
        }
        guard !enforced.isEmpty else {
            return .problem(
                "the hub is not running: nobody listens at \(places(answers))",
                mend: "start it: 'hubpair serve', or sudo systemctl start hubpair")
        }
        return .ok("ENFORCED: a stranger gets 401 at \(places(enforced))")
    }

    private static func ask(
        _ address: NetworkAddress, _ port: UInt16, _ pin: Pin, _ connector: HubConnector
    ) async -> Answer {
        do {
            let connection = try await connector.connect(
                to: [HubAddress(address, port: port)], expecting: .any, deadline: .milliseconds(1500))
            defer { connection.close() }
            let answer = try await connection.send(
                HubRequest(method: "GET", target: "/devices/"), maximumBodyByteCount: 1 << 20,
                deadlines: .init(quiet: .milliseconds(1500), total: .milliseconds(1500)))
            return judge(
                status: answer.response.status, body: answer.body, isOwnKey: connection.pin == pin,
                key: connection.pin.fingerprint)
        } catch let error as HubConnectionError {
            switch error.reason {
            case .unreachable(EACCES), .unreachable(EPERM): return .failed(error.description)
            case .refused, .unreachable: return .closed
            // A body that is larger was served, too.
            case .tooLarge: return .served(200)
            // No certificate was shown, so no key is known: plain HTTP, perhaps.
            case .notTLS, .closed, .tls, .timedOut(.handshake):
                let status = PlainHTTP.status(of: "/devices/", at: address, port: port)
                return status.map { judge(plainStatus: $0) } ?? .failed(error.description)
            default: return .failed(error.description)
            }
        } catch {
            return .failed("\(error)")
        }
    }

    /// What a status without TLS says. One that sends the client on, to https mostly, serves nothing.
    static func judge(plainStatus status: Int) -> Answer {
        (200..<300).contains(status)
            ? .served(status) : .failed("it speaks plain HTTP, and says \(status) to a stranger")
    }

    static func judge(status: Int, body: [UInt8], isOwnKey: Bool, key: Fingerprint) -> Answer {
        if (200..<400).contains(status) { return .served(status) }
        guard isOwnKey else { return .otherKey(key) }
        let word = JSONValue(parsing: body)?.asObject?["error"]?.asString
        return status == 401 && word == "no_certificate" ? .refused : .other(status)
    }
}
