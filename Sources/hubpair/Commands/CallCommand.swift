import ArgumentParser
import Home
import HubClient
import Identity
import Pairing
import QRCodes

/// `hubpair call`: one request over the paired connection.
struct CallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Send one request to a hub, and write what it answers.",
        discussion: """
            The hub is the default one, unless --hub names another. The body of the answer goes to standard \
            output, whatever the status; the exit code follows from the status: 0 for 2xx; 1 for 3xx (not \
            followed), 404 and 410; 77 for 401 and 403; 75 for 408, 425, 429 and 503; 65 for the other 4xx; \
            69 for the other 5xx.

            EXAMPLES:
              hubpair call GET /devices/
              hubpair call PUT /devices/1 --data '{"name": "Lamp"}'
              hubpair call --hub Garden POST /devices/ --data @new.json
            """
    )

    @Option(name: .customLong("hub"), help: .chosenHub)
    var hubs: [PeerSelector] = []
    var hub: PeerSelector? { hubs.first }

    @Flag(help: "Use a stock hub although nothing protects the connection; it is remembered for that hub.")
    var insecure = false

    @Option(
        help: ArgumentHelp(
            "The request's body, as application/json: a text, @<file>, or '-' for standard input.",
            valueName: "json"))
    var data: String?

    @OptionGroup var configuration: ConfigurationOption

    @Argument(help: "GET, PUT, POST, DELETE …")
    var method: String

    @Argument(help: "The path on the hub, with its query: /devices/")
    var path: String

    func validate() throws { try hubs.checkIsOne() }

    /// The largest body of a request, in bytes: the default limit of a hub's gateway.
    private static let maximumBodyByteCount = 32 << 20

    func run() async throws {
        guard !method.hasPrefix("/") else {
            throw UsageMistake(
                "\(quoted(method)) is not an HTTP method", meant: ["call"], [path.uppercased(), method])
        }
        if let part = CallCommand.path(ofAddress: path) {
            throw UsageMistake(
                "the path is wanted, not the hub's address", meant: ["call"], [method.uppercased(), part])
        }
        guard path.hasPrefix("/") else {
            let bare = path.split(whereSeparator: \.isWhitespace).joined(separator: "%20")
            throw UsageMistake(
                "the path must begin with '/'", meant: ["call"],
                [method.uppercased(), bare.hasPrefix("/") ? bare : "/" + bare])
        }
        let call = try CallHub(
            configuration: configuration.configuration, selector: hub, isInsecureAllowed: insecure)
        var request = HubRequest(method: method.uppercased(), target: path, body: try body())
        if request.body != nil { request.headers.append(("Content-Type", "application/json")) }
        request.headers.append(("Accept", "application/json, */*;q=0.5"))
        request.headers.append(("User-Agent", "hubpair/\(Version.text)"))
        var answer: HubResponse?
        var text = Console.outputIsTerminal ? TerminalText() : nil
        do {
            try await call.send(request) {
                answer = $0
            } body: { piece in
                try Console.output(bytes: text?.escaped(piece) ?? piece)
            }
        } catch {
            throw HubFailure.named(error, hub: call.hub.name)
        }
        if let rest = text?.end() { try Console.output(bytes: rest) }
        guard let answer else { return }
        do {
            try call.remember()
        } catch {
            // The request has been answered: that the address could not be saved is only a warning.
            Console.note("warning: \(call.hub.name) was not remembered: \(error)")
        }
        try judge(answer, hub: call.hub.name, device: call.device)
    }

    /// `https://192.168.1.5:8000/devices/`: the path in it.
    private static func path(ofAddress text: String) -> String? {
        for scheme in ["https://", "http://"] where text.lowercased().hasPrefix(scheme) {
            let rest = text.dropFirst(scheme.count)
            return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
        }
        return nil
    }

    private func body() throws -> [UInt8]? {
        guard let data else { return nil }
        guard data == "-" || data.hasPrefix("@") else { return Array(data.utf8) }
        let file = data == "-" ? data : String(data.dropFirst())
        do {
            return try InputFile.readWhole(file, limit: CallCommand.maximumBodyByteCount)
        } catch {
            Console.report(error, subject: file == "-" ? "standard input" : file)
            throw ExitStatus(of: error)
        }
    }

    private func judge(_ answer: HubResponse, hub: PeerName, device: Fingerprint?) throws {
        let status: ExitStatus
        var hint: String?
        switch answer.status {
        case 200..<300: return
        case 300..<400:
            status = .nothingFound
            hint = answer["Location"].map { "it is at \($0) now; redirects are not followed" }
        case 401, 403:
            status = .notPermitted
            hint =
                device.map { "on the hub: 'hubpair devices' shows whether this computer (\($0)) is approved" }
                ?? (answer["WWW-Authenticate"]?.hasPrefix("Hubpair ") == true
                    ? ServerError.guardedHint
                    : "this stock hub asks for a password, and hubpair has none")
        case 404, 410:
            status = .nothingFound
            hint = "check the path; 'hubpair call GET /devices/' lists what a Hestia server controls"
        case 408, 425, 429, 503:
            status = .tryAgain
            hint = "the same request may be answered later"
        case 502, 504:
            status = .unavailable
            hint = "on the hub: is the server behind the gateway running?"
        case 400..<500:
            status = .badData
            hint =
                "on this computer: the server does not take this; check the method, the path and --data"
        default:
            status = .unavailable
            hint = "on the hub: the server behind the gateway failed; its log may say why"
        }
        Console.report(
            "\(hub) answers \(answer.status) to \(method.uppercased()) \(path)", hint: hint, exit: status)
        throw status
    }
}
