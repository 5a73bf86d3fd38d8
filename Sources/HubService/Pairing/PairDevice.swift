package import Addresses
import Dispatch
import Glibc
package import Pairing
import Synchronization

/// The hub's side of the exchange: what `POST /hubpair/v1/pair` is answered with.
///
/// Checking, burning and approving are one step under the directory's lock, which other processes take too.
/// Nothing is answered as approved that is not durable. The files are written on a thread of their own: fsync
/// may take long, and must not hold up the connections.
package final class PairDevice: Sendable {
    let state: HubState
    private let hub: Hub
    private let register: DeviceRegister
    private let clock: @Sendable () -> Moment
    private let queue = DispatchQueue(label: "hubpair.pairing")
    // Only used on the queue; the lock is what the compiler can check.
    private let files = Mutex(PairingFiles())

    /// - Parameters:
    ///   - hub: the name and the pin that devices are told.
    ///   - register: what is told of every device that was entered.
    ///   - clock: the time; a parameter for tests.
    package init(
        state: HubState, hub: Hub, register: DeviceRegister,
        clock: @escaping @Sendable () -> Moment = { .now }
    ) {
        self.state = state
        self.hub = hub
        self.register = register
        self.clock = clock
    }

    /// Completes what a crash has cut short: a code that was burnt, and whose device was not entered. Call it
    /// before the hub serves; until then the files must be as they can be served.
    ///
    /// - Returns: what the owner should be told; approved devices can be served all the same, and each
    ///   pairing tries again. Nil if all is well.
    @discardableResult
    package func recover() async throws -> Obstacle? {
        try await onQueue { [self] in
            do {
                return try files.withLock { files in
                    try state.open().withSharedLock { directory in
                        try files.refresh(in: directory, now: clock(), register: register)
                        if HubState.keepRoom(in: directory) { return nil }
                        return directory.isReadOnly
                            ? .cannotWrite(.system(EROFS, operation: "write in", path: state.path)) : .noRoom
                    }
                }
            } catch let error as FileError where error.concernsDisk {
                return .cannotWrite(error)
            } catch let error as SiteError where error.isOutage {
                return .siteAway(error)
            }
        }.get()
    }

    /// What keeps the hub from writing.
    package enum Obstacle: Sendable {
        /// The disk is full or read-only.
        case cannotWrite(FileError)
        /// The site cannot be asked.
        case siteAway(SiteError)
        /// There is no room that could be kept for a revocation.
        case noRoom
    }

    /// Writes down what the clocks say, so that no approval that has run out by then lives again.
    func see(_ moment: Moment) async throws {
        try await onQueue { [self] in
            try files.withLock { files in
                try state.open().withSharedLock { directory in
                    try files.refresh(in: directory, now: clock(), register: register)
                    try files.see(moment, in: directory)
                }
            }
        }.get()
    }

    /// Answers one request.
    ///
    /// - Parameters:
    ///   - body: the request's body; more than 4,096 bytes are refused with 413, so the caller may stop
    ///     reading there.
    ///   - devicePin: the pin of the client certificate's key; nil if there was none. Then a key in the body
    ///     counts, a browser's.
    ///   - source: the address at the other end of the connection.
    ///   - isRelayed: true if a relay has brought the connection, whose word the source then is: only codes
    ///     that were made for that are good, and failures are counted apart from those at home.
    package func answer(
        _ body: [UInt8], devicePin: Pin?, source: NetworkAddress, isRelayed: Bool = false
    ) async -> PairingAnswer {
        let request: PairRequest
        let browser: BrowserProof?
        let device: Pin
        do {
            // With a certificate a key in the body means nothing.
            browser = devicePin == nil ? try BrowserProof(parsing: body) : nil
            guard let pin = devicePin ?? browser?.key.pin else {
                return .refusal(.certificate, from: source)
            }
            device = pin
            request = try PairRequest(parsing: body)
        } catch {
            if case .tooLarge = error { return .refusal(PairRefusal(error), status: 413, from: source) }
            return .refusal(PairRefusal(error), from: source)
        }
        let verdict = await onQueue { [self] in
            try judge(request, from: device, browser, source: source, isRelayed: isRelayed)
        }
        switch verdict {
        case .success(let answer): return answer
        case .failure(let error): return .unavailable(error)
        }
    }

    private func judge(
        _ request: PairRequest, from device: Pin, _ browser: BrowserProof?, source: NetworkAddress,
        isRelayed: Bool
    ) throws -> PairingAnswer {
        let prefix = isRelayed ? SourcePrefix(relayed: source) : SourcePrefix(source)
        return try files.withLock { files in
            try state.open().withSharedLock { directory in
                // Read under the lock, so that moments come in order.
                let now = clock()
                try files.refresh(in: directory, now: now, register: register)
                let policy = PairPolicy(
                    hub: hub.pin, old: hub.other, tickets: files.tickets.content,
                    devices: files.devices.content, attempts: files.attempts.content)
                let verdict = policy.judge(
                    request, from: device, browser: browser, source: prefix, isRelayed: isRelayed,
                    hubNonce: .random(), now: now)
                // The key that the device has seen is the one of the answer.
                func pin(for use: TicketUse) -> Pin {
                    policy.tickets.ticket(use.ticket).flatMap { policy.pin(in: request, $0, device, browser) }
                        ?? hub.pin
                }
                switch verdict {
                case .refused(let refusal, .nothing):
                    return .refusal(refusal, from: source)
                case .refused(let refusal, let counts):
                    try files.record(
                        prefix, ticket: counts == .sourceAndTicket ? request.ticket : nil,
                        in: directory,
                        now: now)
                    return .refusal(refusal, from: source)
                case .again(let use, let status):
                    return try reply(to: use, status, pin(for: use), files, isNew: false)
                case .use(let use, let status):
                    try files.enter(use, in: directory, now: now, register: register)
                    return try reply(to: use, status, pin(for: use), files, isNew: true)
                }
            }
        }
    }

    private func reply(
        to use: TicketUse, _ status: PairReply.Status, _ pin: Pin, _ files: borrowing PairingFiles,
        isNew: Bool
    ) throws -> PairingAnswer {
        guard let key = files.tickets.content.ticket(use.ticket)?.proofKey else {
            throw PairMessageError.malformed("no ticket")
        }
        let transcript = PairTranscript(
            ticket: use.ticket, hub: pin, device: use.device, deviceNonce: use.deviceNonce, name: use.name)
        let reply = PairReply(
            status: status, device: use.device.fingerprint,
            hub: hub.description(of: pin), nonce: use.hubNonce,
            proof: transcript.hubProof(key, hubNonce: use.hubNonce))
        // A device may ask for its answer again and again, and one that waits does. Nothing changes by it, so
        // it is not logged: the log would fill the disk.
        return PairingAnswer(
            status: reply.httpStatus, result: status.rawValue, body: reply.serialized,
            event: isNew ? event(use, status, among: files.devices.content.devices) : nil)
    }

    /// What the log says of a new use.
    private func event(
        _ use: TicketUse, _ status: PairReply.Status, among devices: [ApprovedDevice]
    ) -> String {
        let device = "device \"\(use.name)\" (\(use.device.fingerprint))"
        guard status == .pending else { return "\(device) approved" }
        // Only what asks by a label is compared: five in ten minutes at most. A code for one device was given
        // to its owner.
        let asking = ApprovedDevice(name: use.name, pin: use.device, status: .pending)
        let resembled = DeviceLikeness(devices).resembled(by: asking).first.map {
            ", whose name looks like that of the approved device \($0.fingerprint),"
        }
        return "\(device)\(resembled ?? "") asks for approval: hubpair devices approve "
            + "\(use.device.fingerprint)"
    }

    private func onQueue<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async -> Result<Value, any Error> {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Result(catching: work)) }
        }
    }
}

/// What the hub answers to `POST /hubpair/v1/pair`.
package struct PairingAnswer: Equatable, Sendable {
    /// The HTTP status (RFC 9110 § 15).
    package let status: Int
    /// What the body says: the device's status, or the error's code.
    package let result: String
    /// One JSON object in UTF-8.
    package let body: [UInt8]
    /// What the log says of it, in one line and without a secret; nil: nothing.
    package let event: String?

    /// A refusal. The log says its code and its source, never what the request held.
    fileprivate static func refusal(
        _ refusal: PairRefusal, status: Int? = nil, from source: NetworkAddress
    ) -> PairingAnswer {
        PairingAnswer(
            status: status ?? refusal.code.httpStatus ?? 500, result: refusal.code.rawValue,
            body: refusal.serialized,
            event: "refused \(source): \(refusal.code.rawValue): \(refusal.message)")
    }

    /// 503, and the reason for the owner alone.
    fileprivate static func unavailable(_ error: any Error) -> PairingAnswer {
        let text = message(of: error)
        let hint = (error as? any UserError)?.hint.map { " (\($0))" } ?? ""
        return PairingAnswer(
            status: 503, result: PairRefusal.unavailable.code.rawValue,
            body: PairRefusal.unavailable.serialized, event: "cannot pair: \(text)\(hint)")
    }
}
