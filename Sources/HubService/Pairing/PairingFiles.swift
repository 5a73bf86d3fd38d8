import Pairing

/// The files of the exchange in memory, read again when another process has changed them. Used under the
/// directory's lock only.
struct PairingFiles {
    private(set) var tickets = Cached(Tickets.fileName, Tickets())
    private(set) var devices = Cached(ApprovedDevices.fileName, ApprovedDevices())
    private(set) var attempts = Cached(FailedAttempts.fileName, FailedAttempts())

    /// A file's content, and which version of the file it is.
    struct Cached<Content> {
        let name: String
        fileprivate(set) var content: Content
        /// Nil: to be read. A stamp that is nil: there is no such file.
        fileprivate(set) var stamp: FileStamp??

        init(_ name: String, _ content: Content) {
            self.name = name
            self.content = content
        }

        fileprivate mutating func isStale(in directory: borrowing ProtectedDirectory) throws -> Bool {
            guard try .some(directory.stamp(of: name)) != stamp else { return false }
            stamp = nil
            return true
        }

        /// Notes that the file has this content; until it is written it is to be read again.
        fileprivate mutating func file(
            _ bytes: [UInt8], isFinal: Bool = false
        ) -> SharedFile {
            stamp = nil
            return SharedFile(name, bytes, isFinal: isFinal)
        }

        fileprivate mutating func noteWritten(in directory: borrowing ProtectedDirectory) throws {
            stamp = .some(try directory.stamp(of: name))
        }
    }

    /// Reads what has changed, and completes what a crash cut short.
    mutating func refresh(
        in directory: borrowing ProtectedDirectory, now: Moment, register: DeviceRegister
    ) throws {
        if try tickets.isStale(in: directory) {
            let stamp = try directory.stamp(of: tickets.name)
            tickets.content = try HubState.existing(tickets.name, in: directory, Tickets.init(parsing:))
            tickets.stamp = .some(stamp)
        }
        if try devices.isStale(in: directory) {
            let stamp = try directory.stamp(of: devices.name)
            devices.content = try HubState.existing(
                devices.name, in: directory, ApprovedDevices.init(parsing:))
            devices.stamp = .some(stamp)
        }
        if try attempts.isStale(in: directory) {
            let stamp = try directory.stamp(of: attempts.name)
            // The only file that may be missing: no attempt has failed yet.
            attempts.content = try HubState.attempts(in: directory) ?? FailedAttempts()
            attempts.content.rebase(to: now)
            attempts.stamp = .some(stamp)
        }
        if tickets.content.lastNumber > devices.content.pairings {
            try complete(in: directory, now: now, register: register)
        }
    }

    /// Burns the ticket, durably, and then enters the device, durably; on a site in one step. A crash between
    /// the two leaves a use with a higher number than the keyfile has; the next process that holds the lock
    /// completes it.
    mutating func enter(
        _ use: TicketUse, in directory: borrowing ProtectedDirectory, now: Moment, register: DeviceRegister
    ) throws {
        tickets.content.enter(use)
        let burnt = tickets.file(tickets.content.serialized)
        try complete(after: burnt, in: directory, now: now, register: register)
    }

    /// Counts a failure, durably. If it cannot be written, it counts in memory all the same.
    mutating func record(
        _ source: SourcePrefix, ticket: TicketID?, in directory: borrowing ProtectedDirectory, now: Moment
    ) throws {
        attempts.content.record(source, ticket: ticket, at: now)
        let tickets = tickets.content
        attempts.content.keepTickets { tickets.ticket($0) != nil }
        let stamp = attempts.stamp
        let isVoid = ticket.map { attempts.content.failures(of: $0) >= FailedAttempts.ticketLimit } ?? false
        let file = attempts.file(attempts.content.serialized, isFinal: isVoid)
        do {
            try directory.replaceShared([file])
        } catch let error as SharedConflict {
            throw error
        } catch {
            attempts.stamp = stamp
            throw error
        }
        try attempts.noteWritten(in: directory)
    }

    /// Notes what the clocks say, durably, also in the version before.
    mutating func see(_ moment: Moment, in directory: borrowing ProtectedDirectory) throws {
        devices.content.see(moment)
        try directory.replaceShared([devices.file(devices.content.serialized, isFinal: true)])
        try devices.noteWritten(in: directory)
    }

    private mutating func complete(
        after burnt: SharedFile? = nil, in directory: borrowing ProtectedDirectory, now: Moment,
        register: DeviceRegister
    ) throws {
        let before = devices.stamp
        let gone = devices.content.forgetAsks(at: now)
        let entered = devices.content.complete(tickets.content)
        // By the boot clock too: a stay ends also if nothing serves, and the clock is set back.
        if entered.contains(where: { devices.content.device($0)?.expires != nil }) {
            devices.content.see(now.latest(and: devices.content.seen))
        }
        let entry = devices.file(devices.content.serialized)
        try directory.replaceShared((burnt.map { [$0] } ?? []) + [entry])
        if burnt != nil { try tickets.noteWritten(in: directory) }
        try devices.noteWritten(in: directory)
        Journal.note(
            entered.compactMap { pin in
                devices.content.device(pin).map { device in
                    let code = tickets.content.uses.last { $0.device == pin }.map {
                        IssuedCode.name(of: $0.ticket)
                    }
                    return .init(device.status == .approved ? .paired : .asked, device, code: code)
                }
            }, by: nil, at: now.wall, in: directory)
        var changed: [Pin: ApprovedDevice?] = [:]
        for pin in gone + entered { changed.updateValue(devices.content.device(pin), forKey: pin) }
        register.adopt(changed, from: before ?? nil, to: devices.stamp ?? nil)
    }
}
