#if os(Linux) && !HUBPAIR_PORTABLE
/// The keyfiles of a hub that is set up, for a program that changes them beside `hubpair`.
///
///     try HubFiles(directory: "/var/lib/hubpair").update { devices, _ in
///         guard var tablet = devices.device(pin) else { return }
///         tablet.status = .revoked
///         devices.insert(tablet)
///     }
///
/// A change is one step: under the directory's lock (flock on `.lock`), which `hubpair` takes too. It is
/// durable when ``update(_:)`` returns, and counts at once in a running `hubpair serve`.
///
/// Refused, with an error that says how to mend it: a directory or file of another user, one that others may
/// read, symbolic links, a file with a fault, a hub that is not set up; changes of a hub that is one of
/// several gates.
public struct HubFiles: Sendable {
    /// The state directory's path, as it was given.
    public let path: String

    /// The files in the directory `path`; nothing is read yet.
    public init(directory path: String) { self.path = path }

    /// The devices and the codes as they are now. A use of a code that was cut short counts.
    ///
    /// - Throws: a `UserError`.
    public func read() throws -> (devices: ApprovedDevices, tickets: Tickets) {
        try HubFiles.read(in: ProtectedDirectory(path: path))
    }

    /// Reads the files, lets `body` change what they hold, and writes what has changed.
    ///
    /// Nothing is written if `body` throws. The codes are written before the devices: if it ends in between,
    /// a used code is used up, and its device is entered at the next start.
    ///
    /// - Throws: a `UserError`; what `body` throws. Another process may hold the lock for 10 s at most.
    /// - Returns: what `body` returns.
    @discardableResult
    public func update<Result>(
        _ body: (_ devices: inout ApprovedDevices, _ tickets: inout Tickets) throws -> Result
    ) throws -> Result {
        try ProtectedDirectory(path: path).withLock { directory in
            guard try directory.stamp(of: "site") == nil else {
                throw FileError.copy(path: directory.path(of: ApprovedDevices.fileName))
            }
            let before = try HubFiles.read(in: directory)
            var (devices, tickets) = before
            let result = try body(&devices, &tickets)
            if tickets != before.tickets { try directory.replace(Tickets.fileName, with: tickets.serialized) }
            if devices != before.devices {
                // A revocation must not come back with the version before.
                let isFinal = before.devices.devices.contains { device in
                    device.status == .approved && devices.device(device.pin)?.status != .approved
                }
                if isFinal {
                    try directory.replaceBoth(ApprovedDevices.fileName, with: devices.serialized)
                } else {
                    try directory.replace(ApprovedDevices.fileName, with: devices.serialized)
                }
            }
            return result
        }
    }

    private static func read(
        in directory: borrowing ProtectedDirectory
    ) throws -> (devices: ApprovedDevices, tickets: Tickets) {
        var devices = try file(ApprovedDevices.fileName, in: directory, ApprovedDevices.init(parsing:))
        let tickets = try file(Tickets.fileName, in: directory, Tickets.init(parsing:))
        _ = devices.complete(tickets)
        return (devices, tickets)
    }

    private static func file<Content>(
        _ name: String, in directory: borrowing ProtectedDirectory,
        _ parse: ([UInt8]) throws(KeyFileError) -> Content
    ) throws -> Content {
        guard let content = try directory.read(name, parse) else {
            throw FileError.missing(path: directory.path(of: name))
        }
        return content
    }
}
#endif
