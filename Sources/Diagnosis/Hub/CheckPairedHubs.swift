import Addresses
import Discovery
import Glibc
import HubClient
import JSON
import Pairing
import PinnedTLS

/// This computer's files, and the hubs that it is paired with: whether they can be reached where they were
/// last, show the right key, and let this computer in. Nothing is written.
struct CheckPairedHubs: Sendable {
    /// The most hubs that are asked.
    private static let maximumHubs = 8

    let configuration: DeviceConfiguration

    var checks: [DiagnosisCheck] {
        let configuration = configuration
        let files = DiagnosisCheck(
            "device-files", tried: "read this computer's files in \(configuration.path)"
        ) {
            let known = try configuration.knownHubs()
            guard !known.hubs.isEmpty else {
                return .skipped(
                    known.added.isEmpty
                        ? "this computer knows no hub" : "this computer is paired with no hub",
                    mend: HubChoiceError.noHub.hint)
            }
            guard let identity = try DeviceIdentity.load(from: configuration) else {
                throw DeviceIdentityError.missing(path: "\(configuration.path)/\(DeviceIdentity.keyFileName)")
            }
            return CheckPairedHubs.files(
                paired: known.hubs.count, hasDefault: known.defaultHub != nil || known.defaultAdded != nil,
                fingerprint: identity.pin.fingerprint.description)
        }
        guard let known = try? configuration.knownHubs(),
            let identity = try? DeviceIdentity.load(from: configuration)
        else { return [files] }
        let hubs = known.hubs.sorted { one, other in
            one.fingerprint == known.defaultHub && other.fingerprint != known.defaultHub
        }
        return [files]
            + hubs.prefix(CheckPairedHubs.maximumHubs).map { hub in
                let isDefault = hub.fingerprint == known.defaultHub || known.hubs.count == 1
                let place = hub.address ?? "an unknown address"
                return DiagnosisCheck(
                    "paired-hub", tried: "asked \(hub.name)\(isDefault ? " (the default)" : "") at \(place)",
                    deadline: .seconds(45)
                ) { try await CheckPairedHubs.ask(hub, as: identity, isDefault: isDefault) }
            }
    }

    static func files(paired: Int, hasDefault: Bool, fingerprint: String) -> Finding.Verdict {
        guard hasDefault || paired == 1 else {
            return .warning(
                "\(paired) hubs, and none is the default", mend: "choose one: 'hubpair hubs use HUB'")
        }
        return .ok("\(paired) paired, this computer is \(fingerprint)")
    }

    /// - Parameters:
    ///   - status: the HTTP status of `GET /hubpair/v1/device`.
    ///   - word: the `status` of its JSON.
    static func verdict(status: Int, word: String?, device: String) -> Finding.Verdict {
        switch (status, word) {
        case (200, "approved"): .ok("its key is right, and this computer is approved")
        case (_, "pending"):
            .warning(
                "this computer is not approved yet", mend: "on the hub: 'hubpair devices approve \(device)'")
        case (_, "revoked"), (_, "expired"):
            .problem(
                "this computer was \(word == "expired" ? "let in for a time that is over" : "revoked")",
                mend: "on the hub: 'hubpair print' makes a new code; here: 'hubpair pair'")
        case (401, _), (403, _):
            .problem(
                "the hub does not know this computer (\(device))",
                mend: "on the hub: 'hubpair devices' lists the approved ones, 'hubpair print' makes a code")
        default:
            .warning(
                "its key is right, but it answers \(status)",
                mend: "on the hub: look at what 'hubpair serve' says")
        }
    }

    private static func ask(_ hub: KnownHub, as identity: TLSIdentity, isDefault: Bool) async throws
        -> Finding.Verdict
    {
        let known = hub.address.flatMap { HubAddress($0) }
        do {
            guard let known else { throw HubNotFound() }
            return try await ask(hub, at: [known], as: identity)
        } catch let error as HubConnectionError {
            if case .otherKey = error.reason { return .problem("\(error)", mend: error.hint) }
            // Commands look for it then, and so do we.
            if let verdict = try await lookFor(hub, as: identity) { return verdict }
            // The default hub is the one that a command without --hub fails with.
            let mend = error.hint
            return isDefault ? .problem("\(error)", mend: mend) : .warning("\(error)", mend: mend)
        } catch is HubNotFound {
            return try await lookFor(hub, as: identity)
                ?? .skipped("its address is not known", mend: "'hubpair call GET /' finds it by its key")
        }
    }

    /// Never reaches a user: the hub is looked for then.
    private struct HubNotFound: Error {}

    /// At every address that the network tells of it; nil if it is not there.
    private static func lookFor(_ hub: KnownHub, as identity: TLSIdentity) async throws -> Finding.Verdict? {
        let rows = try await SearchHubs(known: KnownHubs(), options: .init()).run { _ in }
        let places = rows.filter { $0.hub.id == hub.fingerprint || $0.hub.pin == hub.pin }
            .flatMap { row in row.hub.addresses.map { HubAddress($0, port: row.hub.port) } }
        guard !places.isEmpty else { return nil }
        return try? await ask(hub, at: places, as: identity)
    }

    private static func ask(
        _ hub: KnownHub, at addresses: [HubAddress], as identity: TLSIdentity
    ) async throws -> Finding.Verdict {
        let connection = try await HubConnector(identity: identity).connect(
            to: addresses, expecting: .pin(hub.pin), deadline: .milliseconds(1500))
        defer { connection.close() }
        let answer = try await connection.send(
            HubRequest(method: "GET", target: PairEndpoint.device.path), maximumBodyByteCount: 4_096,
            deadlines: .init(quiet: .seconds(1), total: .seconds(1)))
        let word = JSONValue(parsing: answer.body)?.asObject?["status"]?.asString
        return verdict(
            status: answer.response.status, word: word, device: identity.pin.fingerprint.description)
    }
}
