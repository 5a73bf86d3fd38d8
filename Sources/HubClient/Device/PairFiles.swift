import Addresses
import FoundationEssentials
import Pairing

/// What pairing writes on the device: the attempt before the request, and what has become of it after the
/// answer.
///
/// Each function is one step under the directory's lock.
struct PairFiles: Sendable {
    let configuration: DeviceConfiguration

    /// The attempt with this code: the one that was begun before, else a new one, which is on disk when this
    /// returns. An earlier attempt keeps its name, because the hub may have approved the device under it.
    func begin(
        _ secret: TicketSecret, name: PeerName?, device: Pin, now: Date
    ) throws -> (PairAttempt, isResumed: Bool) {
        try ProtectedDirectory(path: configuration.path).withLock { directory in
            try PairFiles.changeAttempts(in: directory) { attempts in
                let present = attempts[secret.ticketID]
                let begun =
                    try present
                    ?? PairAttempts.Attempt(
                        ticket: secret.ticketID, name: name ?? PairFiles.hostName(), nonce: .random(),
                        begun: now)
                if present == nil { attempts.begin(begun) }
                let attempt = PairAttempt(
                    secret: secret, name: begun.name, nonce: begun.nonce, device: device)
                return (attempt, present != nil)
            }
        }
    }

    /// Notes that the hub has refused: the attempt has ended, unless the refusal may pass; and a hub whose
    /// owner has never approved this computer is taken out if he has decided against it.
    func noteRefusal(_ refusal: PairRefusal, by pin: Pin, _ attempt: PairAttempt) throws {
        guard refusal.isFinal else { return }
        try ProtectedDirectory(path: configuration.path).withLock { directory in
            try PairFiles.end(attempt, in: directory)
            guard refusal.code == .notApproved else { return }
            try KnownHubsFile.change(in: directory) { PairFiles.forgetPending(pin, in: &$0) }
        }
    }

    /// Refuses a name for the hub `pin` that another hub has here.
    func check(_ alias: PeerName, for pin: Pin?) throws {
        try PairFiles.check(alias, for: pin, in: configuration.knownHubs())
    }

    private static func check(_ alias: PeerName?, for pin: Pin?, in known: KnownHubs) throws {
        guard let alias else { return }
        if let other = known.hubs.first(where: { $0.name == alias && $0.pin != pin }) {
            throw PeerSelectorError.nameTaken(name: alias.description, by: other.fingerprint)
        }
        let fingerprint = pin?.fingerprint
        if known.added.contains(where: { $0.name == alias && ($0.id == nil || $0.id != fingerprint) }) {
            throw HubChoiceError.nameTaken(alias)
        }
    }

    /// Notes that the owner of the hub has approved this computer, and ends the attempt that asked for it, if
    /// any.
    ///
    /// - Returns: the hub as it is stored now; nil if it is not known.
    @discardableResult
    func noteApproval(of pin: Pin, ending attempt: PairAttempt? = nil, now: Date) throws -> KnownHub? {
        try ProtectedDirectory(path: configuration.path).withLock { directory in
            let hub = try KnownHubsFile.change(in: directory) { known -> KnownHub? in
                guard let hub = known.hubs.first(where: { $0.pin == pin }) else { return nil }
                guard hub.isPending else { return hub }
                let approved = KnownHub(
                    name: hub.name, pin: pin, address: hub.address, paired: now, ways: hub.ways)
                known.insert(approved)
                return approved
            }
            if let attempt { try PairFiles.end(attempt, in: directory) }
            return hub
        }
    }

    /// Stores the hub, and ends the attempt if the device is approved. Call it only after the hub's proof.
    ///
    /// The first hub becomes the default, and one that answers in the place of the default. A hub that the
    /// user had added by its address is no longer listed as added, and keeps the user's name for it. A hub
    /// that is known by the key that it had before keeps its place.
    ///
    /// - Parameter replaced: the hub in whose place it answers (``HubDialer/hub(replacedBy:at:)``).
    func store(
        _ reply: PairReply, of pin: Pin, _ statement: KeyStatement?, at address: HubAddress,
        replacing replaced: KnownHub? = nil, attempt: PairAttempt, alias: PeerName?, now: Date
    ) throws -> PairOutcome {
        try ProtectedDirectory(path: configuration.path).withLock { directory in
            let outcome = try KnownHubsFile.change(in: directory) { known in
                if let statement, statement.new == pin { PairFiles.follow(statement, in: &known, at: now) }
                var outcome = try PairFiles.insert(
                    reply, of: pin, at: address, attempt, alias, now, in: &known)
                if let replaced, outcome.isApproved, known.defaultHub == replaced.fingerprint {
                    known.use(outcome.hub.fingerprint)
                    (outcome.isDefault, outcome.replaced) = (true, replaced.name)
                }
                return outcome
            }
            if outcome.isApproved { try PairFiles.end(attempt, in: directory) }
            return outcome
        }
    }

    /// Who has just paired with the new key did not come in time, and may take it over all the same.
    private static func follow(_ statement: KeyStatement, in known: inout KnownHubs, at now: Date) {
        guard let hub = known.hubs.first(where: { $0.pin == statement.old }) else { return }
        let time = min(now, statement.until.addingTimeInterval(-1))
        guard (try? statement.check(pinned: hub.pin, serial: hub.serial, at: time)) != nil else { return }
        known.follow(statement)
    }

    private static func insert(
        _ reply: PairReply, of pin: Pin, at address: HubAddress, _ attempt: PairAttempt, _ alias: PeerName?,
        _ now: Date, in known: inout KnownHubs
    ) throws -> PairOutcome {
        try PairFiles.check(alias, for: pin, in: known)
        let before = known.hubs.first { $0.pin == pin }
        let noted = known.added.filter { $0.id == pin.fingerprint }
        for hub in noted { known.forgetAdded(hub.name) }
        let others = known.hubs.filter { $0.pin != pin }.map(\.name) + known.added.map(\.name)
        var hub = KnownHub(
            name: alias ?? before?.name ?? noted.first?.name
                ?? PairFiles.freeName(reply.hub.name, among: others),
            pin: pin, address: address.description,
            paired: reply.status == .approved ? now : nil, isPending: reply.status == .pending,
            ways: before?.ways ?? [])
        hub.note(
            address.description, isLasting: address.isLasting,
            worked: .init(time: now, network: NetworkMark.of(LocalNetwork.current())))
        known.insert(hub)
        if known.defaultHub == nil, known.defaultAdded == nil { known.use(hub.fingerprint) }
        return PairOutcome(
            hub: hub, hubName: reply.hub.name, isDefault: known.defaultHub == hub.fingerprint,
            change: before == nil ? .added : .renewed, device: attempt.device.fingerprint,
            deviceName: attempt.name,
            isApproved: reply.status == .approved)
    }

    /// The outcome for a hub that is known already; nil if it is not.
    func outcome(for pin: Pin, _ attempt: PairAttempt) throws -> PairOutcome? {
        let known = try configuration.knownHubs()
        guard let hub = known.hubs.first(where: { $0.pin == pin }) else { return nil }
        return PairOutcome(
            hub: hub, hubName: hub.name, isDefault: known.defaultHub == hub.fingerprint, change: .none,
            device: attempt.device.fingerprint, deviceName: attempt.name, isApproved: true)
    }

    /// Ends the attempt, and takes the hub out again if this pairing had put it in: it has refused this
    /// device.
    func forget(_ outcome: PairOutcome, _ attempt: PairAttempt) throws {
        try ProtectedDirectory(path: configuration.path).withLock { directory in
            if outcome.change == .added {
                try KnownHubsFile.change(in: directory) { $0.forget(outcome.hub.fingerprint) }
            }
            try PairFiles.end(attempt, in: directory)
        }
    }

    /// Takes a hub out again whose owner has never approved this computer, and has refused it since.
    func forgetPending(_ pin: Pin) throws {
        try KnownHubsFile(in: configuration).change { known, _ in
            PairFiles.forgetPending(pin, in: &known)
        }
    }

    private static func forgetPending(_ pin: Pin, in known: inout KnownHubs) {
        guard let hub = known.hubs.first(where: { $0.pin == pin }), hub.isPending else { return }
        known.forget(hub.fingerprint)
    }

    /// The attempts in the file of this directory; none if the file is missing.
    static func attempts(in directory: borrowing ProtectedDirectory) throws -> PairAttempts {
        try directory.read(PairAttempts.fileName, PairAttempts.init(parsing:)) ?? PairAttempts()
    }

    /// Reads, changes and, if something has changed, replaces the file. Call it under the directory's lock.
    static func changeAttempts<Result>(
        in directory: borrowing ProtectedDirectory, _ body: (inout PairAttempts) throws -> Result
    ) throws -> Result {
        let before = try attempts(in: directory)
        var attempts = before
        let result = try body(&attempts)
        if attempts != before { try directory.replace(PairAttempts.fileName, with: attempts.serialized) }
        return result
    }

    private static func end(_ attempt: PairAttempt, in directory: borrowing ProtectedDirectory) throws {
        try changeAttempts(in: directory) { $0.end(attempt.secret.ticketID) }
    }

    /// `name`, with a number behind it if another hub has it: two hubs of one name would be mistaken for each
    /// other. The name is cut if it would become too long.
    static func freeName(_ name: PeerName, among others: [PeerName]) -> PeerName {
        guard others.contains(name) else { return name }
        for number in 2... {
            let ending = " \(number)"
            var start = name.description.unicodeScalars
            while String(start).utf8.count + ending.utf8.count > PeerName.maximumByteCount {
                start.removeLast()
            }
            while start.last?.properties.isWhitespace == true { start.removeLast() }
            if let free = try? PeerName(known: String(start) + ending), !others.contains(free) { return free }
        }
        return name
    }

    /// This machine's host name, mended to a name that hubs accept.
    private static func hostName() throws -> PeerName {
        try (try? PeerName(HostName.own())) ?? PeerName("Device")
    }
}

extension PairRefusal {
    /// True if the same request will always be refused.
    fileprivate var isFinal: Bool { code != .tooManyAttempts && code != .unavailable }
}
