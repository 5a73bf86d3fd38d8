import Addresses
import FoundationEssentials
package import Pairing
import PinnedTLS

/// Pairs this computer with a hub: finds it, asks, checks its proof, and stores it.
///
/// The hub is stored once its proof holds, even if its owner has still to approve the device: the proof
/// settles which hub it is. A hub that pairing has added is taken out again if it refuses the device in the
/// end.
package struct PairWithHub: Sendable {
    /// What happens meanwhile.
    package enum Event: Sendable {
        /// An earlier attempt with this code has no known end, and goes on under the name it had.
        case resuming(name: PeerName)
        /// The hub has been reached here.
        case reached(HubAddress)
        /// It went wrong, and is tried again.
        case retrying(HubConnectionError)
        /// The hub is stored, and its owner has to approve this computer.
        case pending(PairOutcome)
        /// The approval has not come yet; this much time is left.
        case waiting(Duration)
    }

    /// The hub keeps a request for approval this long.
    package static let approvalTime = Duration.seconds(600)

    private let configuration: DeviceConfiguration
    private let code: ScannedCode
    private let place: HubPlace?
    private let deviceName: PeerName?
    private let alias: PeerName?
    private let waits: Bool
    private let interval: Duration
    private let stagger: Duration

    /// - Parameters:
    ///   - place: where the user says that the hub is.
    ///   - deviceName: the device's name on the hub; nil: its host name.
    ///   - alias: the hub's name here; nil: the name that the hub gives itself.
    ///   - waits: wait for the owner's approval, if it takes one; else ``run(_:)`` returns without it.
    ///   - interval: between two requests, when one went wrong or the owner has not decided.
    ///   - stagger: how long to wait for one of the hub's addresses before the next one is tried in parallel;
    ///     longer in tests.
    package init(
        configuration: DeviceConfiguration, code: ScannedCode, place: HubPlace? = nil,
        deviceName: PeerName? = nil, alias: PeerName? = nil, waits: Bool = true,
        interval: Duration = .seconds(1), stagger: Duration = HubConnector.stagger
    ) {
        self.configuration = configuration
        self.code = code
        self.place = place
        self.deviceName = deviceName
        self.alias = alias
        self.waits = waits
        self.interval = interval
        self.stagger = stagger
    }

    /// - Parameter report: is told what happens meanwhile. What it throws ends the attempt.
    /// - Throws: `PairRefusal`, `PairReplyError`, `HubConnectionError`, `SoughtHubError`, `PairError`, and
    ///   what files throw.
    package func run(_ report: (Event) throws -> Void) async throws -> PairOutcome {
        let identity = try DeviceIdentity.ensure(in: configuration)
        let files = PairFiles(configuration: configuration)
        if let alias { try files.check(alias, for: code.hub) }
        let dialer = HubDialer(
            configuration: configuration,
            connector: try HubConnector(identity: identity, stagger: stagger))
        var connection = try await connect(dialer, report)
        // On disk before the request is sent, and not before it can be sent.
        let (attempt, isResumed) = try files.begin(
            code.secret, name: deviceName, device: identity.pin, now: Date())
        if isResumed { try report(.resuming(name: attempt.name)) }
        let reply: PairReply
        do {
            reply = try await exchange(attempt, &connection, dialer, report)
        } catch let refusal as PairRefusal {
            try files.noteRefusal(refusal, by: connection.pin, attempt)
            if refusal.code == .ticketUsed,
                let outcome = try await earlierOutcome(at: connection, attempt, files)
            {
                return outcome
            }
            throw refusal
        }
        // Until here nothing in the reply is proven, and nothing has been stored.
        try attempt.verify(reply, from: connection.pin)
        let address = await dialer.lastingAddress(of: connection, code: code, place: place)
        let replaced = await dialer.hub(replacedBy: connection.pin, at: address)
        var outcome = try files.store(
            reply, of: connection.pin, connection.statement, at: address, replacing: replaced,
            attempt: attempt, alias: alias, now: Date())
        guard !outcome.isApproved else {
            // It is paired, whatever becomes of this question; the next connection asks again.
            try? await AskWays(configuration: configuration).run(connection)
            return outcome
        }
        try report(.pending(outcome))
        guard waits else { return outcome }
        do {
            try await awaitApproval(of: identity.pin, by: connection, dialer, report)
        } catch let error as PairError {
            if error.isFinal { try files.forget(outcome, attempt) }
            throw error
        }
        outcome.isApproved = true
        outcome.hub =
            try files.noteApproval(of: outcome.hub.pin, ending: attempt, now: Date()) ?? outcome.hub
        return outcome
    }

    private func connect(
        _ dialer: HubDialer, _ report: (Event) throws -> Void
    ) async throws -> HubConnection {
        let connection = try await dialer.connect(code: code, place: place)
        try report(.reached(connection.address))
        return connection
    }

    /// Asks the hub. If a reply is lost, the same request is sent again, which changes nothing on the hub.
    private func exchange(
        _ attempt: PairAttempt, _ connection: inout HubConnection, _ dialer: HubDialer,
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
                connection = try await connect(dialer, report)
            } catch let refusal as PairRefusal where refusal.code == .tooManyAttempts && !isOtherFamilyTried {
                // A neighbour in the same IPv6 network may have used up the attempts of this source. Over the
                // other family this computer is another source. The request is the same to the byte, and
                // counts once.
                isOtherFamilyTried = true
                guard
                    let other = await dialer.reconnect(
                        to: connection.pin, code: code, place: place, kind: connection.address.otherFamily)
                else { throw refusal }
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

    /// A used code may have been used by this computer: then the hub is known, and says that the device is
    /// approved.
    private func earlierOutcome(
        at connection: HubConnection, _ attempt: PairAttempt, _ files: PairFiles
    ) async throws -> PairOutcome? {
        guard let outcome = try files.outcome(for: connection.pin, attempt) else { return nil }
        switch try await status(of: attempt.device, over: connection) {
        case .approved:
            try files.noteApproval(of: connection.pin, now: Date())
            return outcome
        case .revoked, .expired:
            try files.forgetPending(connection.pin)
            throw PairError.revoked
        case .pending: return nil
        }
    }

    /// Asks on one connection until the owner has decided. A lost connection is opened again.
    private func awaitApproval(
        of device: Pin, by first: HubConnection, _ dialer: HubDialer, _ report: (Event) throws -> Void
    ) async throws {
        var connection = first
        let end = ContinuousClock.now + PairWithHub.approvalTime
        while true {
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else { throw PairError.notApprovedInTime }
            try report(.waiting(left))
            do {
                switch try await status(of: device, over: connection) {
                case .approved: return
                case .pending: break
                case .revoked, .expired: throw PairError.revoked
                }
            } catch let error as HubConnectionError where error.mayPass {
                let other = await dialer.reconnect(to: first.pin, code: code, place: place)
                if let other { connection = other }
            }
            try await Task.sleep(for: interval)
        }
    }

    /// What the hub says of this computer; a busy hub has not decided yet.
    private func status(
        of device: Pin, over connection: HubConnection
    ) async throws -> DeviceDescription.Status {
        switch try await ApprovalRequest(device: device.fingerprint, connection: connection).run() {
        case .status(let status): return status
        case .busy: return .pending
        case .unknown: throw PairError.askIsGone
        case .noHub(let status): throw PairError.noHub(address: "\(connection.address)", status: status)
        }
    }
}

extension HubConnectionError {
    /// True if the same request may work a moment later.
    fileprivate var mayPass: Bool {
        switch reason {
        case .closed, .timedOut, .refused, .system, .unreachable: true
        default: false
        }
    }
}
