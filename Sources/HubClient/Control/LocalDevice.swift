import FoundationEssentials
import Glibc
public import Pairing

/// This computer as hubs know it: its key, and the hubs that it is paired with.
///
///     let device = LocalDevice()
///     try await device.pair(with: "HUBPAIR:…")
///     let hub = try await device.connect()
///     let answer = try await hub.send("GET", "/devices/")
///
/// The files are those of the command `hubpair`, unless another directory is given: what one pairs, the other
/// can use. Errors are `UserError`s, with words and a hint for people, or `CancellationError`.
public struct LocalDevice: Sendable {
    private let configuration: DeviceConfiguration

    /// The device whose files are in `directory`; nil: where `hubpair` has them (`$HUBPAIR_CONFIG`, else
    /// `$XDG_CONFIG_HOME/hubpair`, else `~/.config/hubpair`). It is made, with mode 0700, at the first
    /// pairing.
    public init(directory: String? = nil) {
        configuration = DeviceConfiguration(
            option: directory, environment: ProcessInfo.processInfo.environment)
    }

    /// The hubs that this computer is paired with, or has asked to be, in the keyfile's order.
    public var hubs: [KnownHub] {
        get throws { try configuration.knownHubs().hubs }
    }

    /// Pairs with the hub of a code, and stores it.
    ///
    /// - Parameters:
    ///   - code: the text of a scanned code (`HUBPAIR:…`), or the 20 characters of a typed one; then the hub
    ///     must be the only one on the network, or `hub` says which.
    ///   - name: what the hub calls this computer, 1 to 63 bytes; nil: the host's name.
    ///   - hub: `HOST:PORT`, or the name that the hub announces; nil: it is looked for.
    ///   - waiting: called about once a second while the hub's owner has not yet approved this computer, with
    ///     the time that is left: 10 minutes from the start. Only a label's code needs an approval.
    /// - Returns: the hub as it is stored; its key is proven.
    @discardableResult
    public func pair(
        with code: String, as name: String? = nil, at hub: String? = nil,
        waiting: (Duration) -> Void = { _ in }
    ) async throws -> KnownHub {
        let pairing = PairWithHub(
            configuration: configuration, code: try ScannedCode(text: code), place: hub.map(HubPlace.init),
            deviceName: try name.map(PeerName.init(_:)))
        return try await pairing.run { if case .waiting(let left) = $0 { waiting(left) } }.hub
    }

    /// Opens a connection to a paired hub, at its last address or where it announces itself now. The hub's
    /// key is checked in the TLS handshake; nothing is sent before.
    ///
    /// - Parameter hub: its name or fingerprint, as `hubpair hubs` shows it; nil: the default, or the only
    ///   one there is.
    public func connect(to hub: String? = nil) async throws -> HubConnection {
        let useHub = try UseHub(configuration: configuration)
        return try await useHub.connect(to: useHub.find(hub.map(PeerSelector.init)))
    }
}

/// A hub's answer to a request.
public struct HubAnswer: Sendable {
    /// 200–599. A device that the hub does not know gets 401; one that was revoked, or still waits for its
    /// approval, 403.
    public let status: Int
    /// The header fields in the order in which they came.
    public let headers: [(name: String, value: String)]
    /// The content, at most 1 MiB.
    public let body: [UInt8]
}

extension HubConnection {
    /// Sends a request and reads the answer, for 60 s at most. Requests on one connection go one after the
    /// other.
    ///
    /// - Parameters:
    ///   - method: an HTTP token (RFC 9110 § 5.6.2), usually in upper case.
    ///   - target: the request target in origin form (RFC 9112 § 3.2.1): begins with `/`, visible ASCII.
    ///   - headers: fields beside `Host` and `Content-Length`.
    ///   - body: the content; nil for none.
    public func send(
        _ method: String, _ target: String, headers: [(name: String, value: String)] = [],
        body: [UInt8]? = nil
    ) async throws -> HubAnswer {
        let (response, content) = try await send(
            HubRequest(method: method, target: target, headers: headers, body: body))
        return HubAnswer(status: response.status, headers: response.headers, body: content)
    }
}
