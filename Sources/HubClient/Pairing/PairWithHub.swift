import Addresses
import FoundationEssentials
package import Pairing
import PinnedTLS

/// Pairs this device with a hub: finds it, asks, checks its proof, and stores it.
///
/// The hub is stored once its proof holds, also while the owner has not approved the device yet: what the
/// keyfile says is who the hub is, and that is known then. A hub that was added and ends in a refusal is taken
/// out again.
package struct PairWithHub: Sendable {
    /// What happens meanwhile.
    package enum Event: Sendable {
        /// An earlier attempt with this code was not seen to end, and is taken up under the name it had.
        case resuming(name: PeerName)
        /// The hub has been reached here.
        case reached(HubAddress)
        /// It went wrong, and is tried again.
        case retrying(HubConnectionError)
        /// The hub is stored, and its owner has to approve this device.
        case pending(Outcome)
        /// The approval has not come yet; so much time is left.
        case waiting(Duration)
    }

    /// What pairing has changed about the hub here.
    package enum Change: Equatable, Sendable {
        /// It was not known before.
        case added
        /// It was known, and is stored anew.
        case renewed
        /// It was known, this device was approved, and the code had been used: nothing was changed.
        case none
    }

    /// What came of it.
    package struct Outcome: Sendable {
        /// The hub as it is stored.
        package var hub: KnownHub
        /// What the hub calls itself; another hub may have that name here.
        package let hubName: PeerName
        /// True if it is used when none is named.
        package let isDefault: Bool
        /// What pairing has changed about the hub here.
        package let change: Change
        package let device: Fingerprint
        package let deviceName: PeerName
        package var isApproved: Bool
    }

    /// An ask lives this long at the hub.
    package static let approvalTime = Duration.seconds(600)

    private let configuration: DeviceConfiguration
    let code: ScannedCode
    let place: HubPlace?
    private let deviceName: PeerName?
    private let alias: PeerName?
    private let interval: Duration

    /// - Parameters:
    ///   - place: where the person says that the hub is.
    ///   - deviceName: how the device shall be called on the hub; nil: by its host's name.
    ///   - alias: how the hub shall be called here; nil: as it calls itself.
    ///   - interval: between two requests, when one went wrong or the owner has not decided.
    package init(
        configuration: DeviceConfiguration, code: ScannedCode, place: HubPlace? = nil,
        deviceName: PeerName? = nil, alias: PeerName? = nil, interval: Duration = .seconds(1)
    ) {
        self.configuration = configuration
        self.code = code
        self.place = place
        self.deviceName = deviceName
        self.alias = alias
        self.interval = interval
    }

    /// Pairs.
    ///
    /// - Parameter waits: wait for the owner's approval, if it takes one; else it returns without.
    /// - Throws: `PairRefusal`, `PairReplyError`, `HubConnectionError`, `HubLookupError`, `PairError`, and
    ///   what files throw.
    package func run(waits: Bool = true, _ report: (Event) throws -> Void) async throws -> Outcome {
        let identity = try DeviceIdentity.ensure(in: configuration)
        let files = PairFiles(configuration: configuration)
        if let alias { try files.check(alias, for: code.hub) }
        let finder = HubDialer(configuration: configuration, connector: try HubConnector(identity: identity))
        var connection = try await find(finder, report)
        // On disk before the request is sent, and not before it can be.
        let (attempt, isResumed) = try files.begin(
            code.secret, name: deviceName, device: identity.pin, now: Date())
        if isResumed { try report(.resuming(name: attempt.name)) }
        let reply: PairReply
        do {
            reply = try await exchange(attempt, &connection, finder, report)
        } catch let refusal as PairRefusal {
            if refusal.isFinal { try files.end(attempt) }
            if refusal.code == .notApproved { try files.forgetPending(connection.pin) }
            if refusal.code == .ticketUsed,
                let outcome = try await present(at: connection, attempt, files)
            {
                return outcome
            }
            throw refusal
        }
        // Nothing in the reply is true before this line, and nothing has been stored.
        try attempt.verify(reply, from: connection.pin)
        let address = await lastingAddress(of: connection, finder)
        var outcome = try files.store(
            reply, of: connection.pin, at: address, attempt: attempt, alias: alias, now: Date())
        if !outcome.isApproved {
            try report(.pending(outcome))
            guard waits else { return outcome }
            do {
                try await awaitApproval(of: identity.pin, by: connection, finder, report)
            } catch let error as PairError {
                if error.isFinal { try files.forget(outcome, attempt) }
                throw error
            }
            outcome.isApproved = true
            outcome.hub = try files.noteApproval(of: outcome.hub.pin, now: Date()) ?? outcome.hub
        }
        try files.end(attempt)
        return outcome
    }

    private func find(
        _ finder: HubDialer, _ report: (Event) throws -> Void
    ) async throws -> HubConnection {
        let connection = try await finder.connect(code: code, place: place)
        try report(.reached(connection.address))
        return connection
    }

    /// Asks the hub; a lost reply is asked for again with the same request, which changes nothing there.
    private func exchange(
        _ attempt: PairAttempt, _ connection: inout HubConnection, _ finder: HubDialer,
        _ report: (Event) throws -> Void
    ) async throws -> PairReply {
        var retries = 0
        var isOtherFamilyTried = false
        while true {
            do {
                let (response, body) = try await connection.send(
                    HubRequest(
                        method: "POST", target: PairEndpoint.pair.path,
                        headers: [("Content-Type", "application/json")],
                        body: attempt.request(to: connection.pin).serialized))
                return try PairWithHub.reply(response, body, from: connection)
            } catch let error as HubConnectionError where error.mayPass && retries < 2 {
                retries += 1
                try report(.retrying(error))
                try await Task.sleep(for: interval)
                connection = try await find(finder, report)
            } catch let refusal as PairRefusal where refusal.code == .tooManyAttempts && !isOtherFamilyTried {
                // Perhaps a neighbour's attempts, who is the same source to the hub over IPv6. By the other family it
                // is another one; the request is the same to the byte, so that it cannot count twice.
                isOtherFamilyTried = true
                guard let other = await self.again(connection, finder, connection.address.otherFamily) else {
                    throw refusal
                }
                connection = other
                try report(.reached(other.address))
            }
        }
    }

    private static func reply(
        _ response: HubResponse, _ body: [UInt8], from connection: HubConnection
    ) throws -> PairReply {
        if let reply = try? PairReply(parsing: body), reply.httpStatus == response.status { return reply }
        if !(200..<300).contains(response.status), let refusal = try? PairRefusal(parsing: body) {
            throw refusal
        }
        throw PairError.noHub(address: "\(connection.address)", status: response.status)
    }

    /// A code that has been used may have been used by this device: the same hub, known and proven since then.
    private func present(
        at connection: HubConnection, _ attempt: PairAttempt, _ files: PairFiles
    ) async throws -> Outcome? {
        guard let outcome = try files.outcome(for: connection.pin, attempt) else { return nil }
        let (response, body) = try await connection.send(
            HubRequest(method: "GET", target: PairEndpoint.device.path))
        switch try PairWithHub.status(response, body, of: attempt.device, from: connection) {
        case .approved:
            try files.noteApproval(of: connection.pin, now: Date())
            return outcome
        case .revoked, .expired:
            try files.forgetPending(connection.pin)
            throw PairError.revoked
        case .pending: return nil
        }
    }

    /// Asks on one connection until the owner has decided; one that is lost is opened anew.
    private func awaitApproval(
        of device: Pin, by first: HubConnection, _ finder: HubDialer, _ report: (Event) throws -> Void
    ) async throws {
        var connection = first
        let end = ContinuousClock.now + PairWithHub.approvalTime
        while true {
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else { throw PairError.notApprovedInTime }
            try report(.waiting(left))
            do {
                let (response, body) = try await connection.send(
                    HubRequest(method: "GET", target: PairEndpoint.device.path),
                    deadlines: .init(quiet: .seconds(10), total: .seconds(20)))
                switch try PairWithHub.status(response, body, of: device, from: connection) {
                case .approved: return
                case .pending: break
                case .revoked, .expired: throw PairError.revoked
                }
            } catch let error as HubConnectionError where error.mayPass {
                if let again = await again(first, finder, .any) { connection = again }
            }
            try await Task.sleep(for: interval)
        }
    }

    private static func status(
        _ response: HubResponse, _ body: [UInt8], of device: Pin, from connection: HubConnection
    ) throws -> DeviceDescription.Status {
        if response.status == 200, let description = try? DeviceDescription(parsing: body),
            description.device == device.fingerprint
        {
            return description.status
        }
        // The hub is busy, or starts: that passes.
        if response.status == 429 || response.status >= 500 { return .pending }
        if (try? PairRefusal(parsing: body)) != nil { throw PairError.askIsGone }
        throw PairError.noHub(address: "\(connection.address)", status: response.status)
    }
}

extension HubConnectionError {
    /// True if the same request may well work a moment later.
    fileprivate var mayPass: Bool {
        switch reason {
        case .closed, .timedOut, .refused, .system, .unreachable: true
        default: false
        }
    }
}

extension PairRefusal {
    /// True if the same request will be refused for ever.
    fileprivate var isFinal: Bool { code != .tooManyAttempts && code != .unavailable }
}
