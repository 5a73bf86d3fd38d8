import Addresses
package import Home
import HubClient
package import HubService
import Pairing

/// How the server behind this machine's hub is. A hub that serves is asked for what it knows, with its own
/// key; otherwise the server itself.
package struct LookAtUpstream: Sendable {
    /// What was found out.
    package struct Sight: Equatable, Sendable {
        package enum Trouble: Equatable, Sendable {
            case brokenDatabase
            /// It does not answer.
            case silent
            /// It takes longer than it was waited for.
            case slow
            /// It answers, and lists no appliances.
            case listsNothing
        }

        /// True if the hub serves.
        package let isServed: Bool
        /// Nil if nobody knows.
        package var treatment: UpstreamTreatment?
        package var trouble: Trouble?
        /// What is wrong, in words: lower case, without a full stop.
        package var fault: String?
        /// Nil if it is not known what there is.
        package var appliances: [ControlledDevice]?
    }

    /// The longest that it takes: a hub knows after some 10 seconds that its server hangs.
    package static let deadline = Duration.seconds(16)
    private static let patience = Duration.seconds(12)

    private let hub: CheckHubFiles.Hub

    init?(_ hub: CheckHubFiles.Hub) {
        guard hub.settings.upstream != nil else { return nil }
        self.hub = hub
    }

    /// - Returns: nil if no hub with an upstream can be read there.
    package init?(_ state: HubState) {
        guard let hub = CheckHubFiles(state: state).hub else { return nil }
        self.init(hub)
    }

    package func run() async -> Sight {
        if let sight = await askHub() { return sight }
        do {
            return try await RecognizeUpstream(hub.settings, pin: hub.pin).run().map(Sight.init)
                ?? Sight(isServed: false)
        } catch {
            return Sight(isServed: false, trouble: .silent, fault: "\(error)")
        }
    }

    /// Nil if this hub, by its key, does not answer on this machine.
    private func askHub() async -> Sight? {
        let own = hub.settings.listen.isEmpty ? CheckGateway.outsideAddresses() : hub.settings.listen
        let places = (["127.0.0.1", "::1"].compactMap { NetworkAddress($0) } + own).map {
            HubAddress($0, port: hub.settings.port)
        }
        guard let connector = try? HubConnector(identity: hub.identity) else { return nil }
        let pin = hub.pin
        let connections = KeptConnections(atMost: 1) {
            try await connector.connect(to: places, expecting: .pin(pin), deadline: .milliseconds(1500))
        }
        guard let connection = try? await connections.open() else { return nil }
        connection.close()
        let home = HubHome(
            connections, deadlines: .init(quiet: LookAtUpstream.patience, total: LookAtUpstream.patience))
        do {
            return Sight(try await home.house(patience: LookAtUpstream.patience))
        } catch let error as ServerError {
            return Sight(error, concurrency: hub.settings.concurrency)
        } catch {
            return Sight(isServed: true, trouble: .silent, fault: "\(error)")
        }
    }
}

extension LookAtUpstream.Sight {
    /// What the hub knows.
    init(_ house: KnownHouse) {
        let treatment = house.treatment.map {
            UpstreamTreatment(
                kind: $0.kind.flatMap(UpstreamKind.init(rawValue:)), concurrency: $0.concurrency)
        }
        self.init(isServed: true, treatment: treatment, appliances: house.devices)
        guard let absence = house.absence else { return }
        fault = absence.fault ?? "it takes long to answer"
        trouble =
            absence.isOfBrokenDatabase
            ? .brokenDatabase : absence.fault == nil ? .slow : absence.answers ? .listsNothing : .silent
    }

    /// A hub that knows of no appliances yet has handed on what its server says, or says why it has not.
    init(_ error: ServerError, concurrency: Int?) {
        self.init(isServed: true)
        if error.isOfSilentServer {
            (trouble, fault) = (.silent, error.description)
        } else if case .gateway = error {
            // A hub of an earlier version does not know its own key.
            return
        } else {
            let kind = UpstreamKind(error)
            treatment = UpstreamTreatment(kind: kind, concurrency: concurrency ?? kind.concurrency)
            take(error)
        }
    }

    /// What the server has said itself.
    init(_ answer: RecognizeUpstream.Answer) {
        self.init(isServed: false)
        switch answer {
        case .house(let devices, let treatment): (appliances, self.treatment) = (devices, treatment)
        case .other(let error, let treatment):
            self.treatment = treatment
            take(error)
        case .silent(let words): (trouble, fault) = (.silent, words)
        }
    }

    private mutating func take(_ error: ServerError) {
        trouble = error.isOfBrokenDatabase ? .brokenDatabase : .listsNothing
        fault = error.isOfBrokenDatabase ? ServerError.brokenDatabase : error.description
    }
}
