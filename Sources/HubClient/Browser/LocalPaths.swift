import Addresses
import Discovery
import Identity
import JSON
import NIOPosix
import Pairing
import QRCodes

/// What the page asks of the computer on which it is opened: the hubs that it knows and those on its network,
/// pairing, use, forget. The names of hubs come from the network: they are only ever text in JSON.
///
///     GET  /hubpair/local/hubs                               the known hubs, and which one is shown
///     POST /hubpair/local/hubs/use, …/forget, …/ask, …/show  {"hub": its name or fingerprint}
///     POST /hubpair/local/hubs/hide                          {"hub": …, "hidden": true or false}
///     GET  /hubpair/local/hubs/kept/FINGERPRINT              how its house was when it was seen last
///     any  /hubpair/local/at/FINGERPRINT/…                   what is asked of that hub (``KnownRelays``)
///     GET  /hubpair/local/network                            events: the hubs on the network, as they change
///     POST /hubpair/local/pictures, …/pictures?quick         a picture: the code in it
///     POST /hubpair/local/pair                               {"code": its text or typed, "at": HOST or none}
///
/// `ask` says what the owner has decided about this computer meanwhile; `show` shows a hub's page, and `use`
/// makes it the default as well. `hide` leaves a house out of those that are shown together.
struct LocalPaths: Sendable {
    enum Answer: Sendable {
        case json(Int, JSONValue)
        /// The last one counts.
        case events(AsyncStream<JSONValue>)
    }

    static let prefix = "/hubpair/local/"
    static let pictures = prefix + "pictures"
    /// The most bytes of a picture: photographs of phones have up to about 12 MB.
    static let maximumPictureByteCount = 16 << 20
    /// The most hubs that are told of; on a network of more, somebody floods it.
    private static let maximumHubs = 200

    let configuration: DeviceConfiguration
    let shown: ShownHub
    /// Nil where the page is for one hub, that of `--hub`.
    let relays: KnownRelays?

    private static let kept = "hubs/kept/"

    func answer(_ method: String, _ target: String, _ body: [UInt8]) async -> Answer {
        do {
            let path = target.dropFirst(LocalPaths.prefix.count)
            switch (method, path) {
            case ("GET", "hubs"): return .json(200, try hubs())
            case ("GET", "network"): return .events(try network())
            case ("POST", "pictures"), ("POST", "pictures?quick"):
                return .json(200, try await code(in: body, isQuick: path != "pictures"))
            case ("POST", "pair"): return .json(200, try await pair(LocalPaths.members(body)))
            case ("POST", "hubs/use"): try use(LocalPaths.selector(body))
            case ("POST", "hubs/forget"): try forget(LocalPaths.selector(body))
            case ("POST", "hubs/ask"): try await ask(LocalPaths.selector(body))
            case ("POST", "hubs/show"): try show(LocalPaths.selector(body))
            case ("POST", "hubs/hide"):
                let isHidden = LocalPaths.members(body)["hidden"] == .boolean(true)
                try ManageHubs(configuration: configuration).hide(LocalPaths.selector(body), isHidden)
            case ("GET", let path) where path.hasPrefix(LocalPaths.kept):
                guard let relays else { break }
                return .json(200, try relays.memory(of: String(path.dropFirst(LocalPaths.kept.count))))
            default: return .json(404, LocalPaths.fault("not_found", "there is nothing here"))
            }
            return .json(200, try hubs())
        } catch {
            let word = error is CancellationError ? "cancelled" : "refused"
            let hint = (error as? any UserError)?.hint
            return .json(422, LocalPaths.fault(word, message(of: error), hint: hint))
        }
    }

    static func fault(_ word: String, _ message: String, hint: String? = nil) -> JSONValue {
        var members: [String: JSONValue] = ["error": .string(word), "message": .string(message)]
        if let hint { members["hint"] = .string(hint) }
        return .object(members)
    }

    private static func members(_ body: [UInt8]) -> [String: JSONValue] {
        JSONValue(parsing: body)?.asObject ?? [:]
    }

    private static func selector(_ body: [UInt8]) -> PeerSelector {
        PeerSelector(members(body)["hub"]?.asString ?? "")
    }

    // MARK: The hubs that this computer knows

    private func hubs() throws -> JSONValue {
        let manage = ManageHubs(configuration: configuration)
        let (paired, defaultHub) = try manage.list()
        let (added, defaultAdded) = (try manage.added(), try manage.defaultAdded())
        let shown = shown.hub
        let hidden = try configuration.knownHubs().hidden
        func json(_ hub: SavedHub, _ address: String?, _ status: String, isDefault: Bool) -> JSONValue {
            .object([
                "hub": .text(hub.fingerprint?.description), "name": .string(hub.name.description),
                "address": .text(address), "status": .string(status), "default": .boolean(isDefault),
                "shown": .boolean(shown?.name == hub.name && shown?.fingerprint == hub.fingerprint),
                "hidden": .boolean(hub.fingerprint.map(hidden.contains) ?? false),
            ])
        }
        return .object([
            "hubs": .array(
                paired.map {
                    json(
                        .paired($0), $0.address, $0.isPending ? "pending" : "paired",
                        isDefault: $0.fingerprint == defaultHub)
                }
                    + added.map {
                        json(
                            .added($0), $0.address, $0.kind == .stock ? "unprotected" : "unpaired",
                            isDefault: $0.name == defaultAdded)
                    }),
            "houses": .boolean(relays != nil), "reads_pictures": .boolean(ParallelScan.isPossible),
        ])
    }

    private func use(_ selector: PeerSelector) throws {
        try show(selector)
        try ManageHubs(configuration: configuration).use(selector)
    }

    @discardableResult
    private func show(_ selector: PeerSelector) throws -> SavedHub {
        let hub = try UseHub(configuration: configuration).find(selector)
        guard !hub.isUnprotected else { throw OpenPageError.noPage(hub: hub.name) }
        shown.show(hub)
        return hub
    }

    private func forget(_ selector: PeerSelector) throws {
        let forgotten = try ManageHubs(configuration: configuration).forget(selector)
        guard forgotten.name == shown.hub?.name else { return }
        shown.show(try UseHub(configuration: configuration).first())
    }

    /// Connects: then the hub is asked, and its approval is kept.
    private func ask(_ selector: PeerSelector) async throws {
        let useHub = try UseHub(configuration: configuration)
        let hub = try useHub.find(selector)
        try await useHub.connect(to: hub).close()
        if shown.hub == nil { shown.show(try useHub.find(selector)) }
    }

    // MARK: The hubs on the network

    private func network() throws -> AsyncStream<JSONValue> {
        var options = SearchHubs.Options()
        options.watches = true
        let search = SearchHubs(known: try configuration.knownHubs(), options: options)
        let (rows, continuation) = AsyncStream<JSONValue>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let task = Task {
            do {
                _ = try await search.run { event in
                    switch event {
                    case .table(let table): continuation.yield(LocalPaths.json(table.sorted))
                    case .incomplete(let words), .note(let words):
                        continuation.yield(.object(["note": .string(words)]))
                    default: break
                    }
                }
            } catch {
                continuation.yield(.object(["note": .string(message(of: error))]))
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return rows
    }

    private static func json(_ hubs: [AssessedHub]) -> JSONValue {
        let rows = hubs.prefix(maximumHubs).map { row in
            JSONValue.object([
                "name": .string(row.hub.name), "id": .text(row.hub.id?.description),
                "address": .text(row.hub.addresses.first.map { "\(HubAddress($0, port: row.hub.port))" }),
                "identity": .string(row.standing.rawValue), "paired": .boolean(row.isPaired),
                "unprotected": .boolean(row.isUnprotected),
                "answers": row.answers.map(JSONValue.boolean) ?? .null,
            ])
        }
        return .object(["hubs": .array(rows), "more": .count(max(0, hubs.count - maximumHubs))])
    }

    // MARK: Pairing

    private func code(in picture: [UInt8], isQuick: Bool) async throws -> JSONValue {
        guard picture.count <= LocalPaths.maximumPictureByteCount else { throw PictureTooLarge() }
        let search = ImageScan.forPairingCodes(effort: isQuick ? .quick : .normal)
        let outcome = try await NIOThreadPool.singleton.runIfActive {
            ParallelScan.run(ImageBytes(picture), search)
        }
        guard case .pairing(let code) = try ScannedCode(ReadCodes.Answer(outcome)) else {
            throw ScannedCodeError.noCode
        }
        return .object([
            "code": .string(code.text), "kind": .string(code.kind.rawValue),
            "hub": .string(code.hub.fingerprint.description),
        ])
    }

    private func pair(_ wish: [String: JSONValue]) async throws -> JSONValue {
        let code = try ScannedCode(text: wish["code"]?.asString ?? "")
        let place = wish["at"]?.asString.flatMap { $0.isEmpty ? nil : HubPlace($0) }
        let pair = PairWithHub(configuration: configuration, code: code, place: place, waits: false)
        let outcome = try await pair.run { _ in }
        if outcome.isApproved, shown.hub == nil { shown.show(.paired(outcome.hub)) }
        return .object([
            "hub": .string(outcome.hub.fingerprint.description),
            "name": .string(outcome.hub.name.description),
            "status": .string(outcome.isApproved ? "approved" : "pending"),
            "device": .string(outcome.device.description),
        ])
    }
}

private struct PictureTooLarge: UserError {
    var description: String { "the picture has more than 16 MB" }
    var kind: UserErrorKind { .data }
    var hint: String? { "take a smaller one" }
}
