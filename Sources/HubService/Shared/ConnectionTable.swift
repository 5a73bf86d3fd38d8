import Addresses
import Identity

/// The open connections, and which of them is closed for a new one at the limit. A pure value; `Key`
/// identifies a connection.
///
/// Until its handshake has presented an approved device's certificate, a connection is a stranger's.
/// Strangers are counted per source. At the limit of a source, its oldest stranger is closed; at the total
/// limit, the oldest of all strangers. So strangers, however many, can only displace strangers: a device that
/// is approved, or that pairs, needs no free place, only the time of a handshake.
///
/// An approved device is never closed for others, and is counted per device and service instead of per
/// source. At its limit, its own oldest connection that rests between two requests gives way to a new one:
/// browsers keep idle connections, for every site that made them ask. If all are in use, the new one is
/// refused.
struct ConnectionTable<Key: Hashable & Sendable>: Sendable {
    /// What to do with a new connection.
    enum Verdict: Equatable, Sendable {
        case admitted
        /// Admitted in place of this stranger, which must be closed. It is already removed from the table,
        /// but `remove` must still be called once it is closed.
        case admittedFor(Key, Reason)
        case refused(Reason)
    }

    /// Which limit was reached.
    enum Reason: Equatable, Sendable {
        /// Connections from one source.
        case source
        /// Connections in total.
        case total
        /// Connections that were displaced but are not closed yet.
        case leaving
    }

    /// The maximum number of displaced connections that are not closed yet: each still uses a descriptor.
    static var maximumLeaving: Int { 128 }

    /// What becomes of the connection of an approved device.
    enum Approval: Equatable, Sendable {
        case counted
        /// Counted in place of this one of the same device, which rests and must be closed. As with
        /// ``Verdict/admittedFor(_:_:)``.
        case countedFor(Key)
        /// The device has too many connections that are in use, or this one was displaced meanwhile. It stays
        /// a stranger's.
        case refused
    }

    /// Whose connections are counted together: a browser has its six for each of its host's ports.
    private struct Seat: Hashable {
        let device: Pin
        let port: UInt16?
    }

    private enum Owner {
        case stranger(SourcePrefix)
        case device(Seat)
        /// A trusted proxy, which serves many clients and has no limit of its own.
        case proxy
    }

    private struct Entry {
        let number: UInt64
        var owner: Owner
    }

    private struct Stranger {
        let number: UInt64
        let key: Key
    }

    private struct Own {
        let key: Key
        let leave: @Sendable () -> Bool
    }

    private var entries: [Key: Entry] = [:]
    /// Oldest first.
    private var strangers: [Stranger] = []
    private var strangersOfSource: [SourcePrefix: [Stranger]] = [:]
    /// Oldest first.
    private var connectionsOfDevice: [Seat: [Own]] = [:]
    private var leaving: Set<Key> = []
    private var lastNumber: UInt64 = 0

    /// The number of connections without displaced ones.
    var total: Int { entries.count }

    /// The connections without displaced ones, in no particular order.
    var keys: [Key] { Array(entries.keys) }

    /// Admits a new connection, displaces another one for it, or refuses it. A nil source is a trusted proxy.
    mutating func admit(_ key: Key, from source: SourcePrefix?, limits: ServeLimits) -> Verdict {
        var verdict = Verdict.admitted
        if let source, let own = strangersOfSource[source], own.count >= limits.connectionsPerSource,
            let oldest = own.first
        {
            verdict = .admittedFor(oldest.key, .source)
        } else if total >= limits.connections {
            guard let oldest = strangers.first else { return .refused(.total) }
            verdict = .admittedFor(oldest.key, .total)
        }
        if case .admittedFor(let oldest, _) = verdict {
            guard leaving.count < ConnectionTable.maximumLeaving else { return .refused(.leaving) }
            remove(oldest)
            leaving.insert(oldest)
        }
        lastNumber += 1
        guard let source else {
            entries[key] = Entry(number: lastNumber, owner: .proxy)
            return verdict
        }
        entries[key] = Entry(number: lastNumber, owner: .stranger(source))
        let stranger = Stranger(number: lastNumber, key: key)
        strangers.append(stranger)
        strangersOfSource[source, default: []].append(stranger)
        return verdict
    }

    /// Marks a connection as an approved device's, so that it is not displaced any more.
    ///
    /// - Parameters:
    ///   - port: a service's; nil for the hub's own.
    ///   - leave: gives this connection up for a newer one, later, if it rests then; false if not.
    mutating func approve(
        _ key: Key, as device: Pin, at port: UInt16? = nil, limits: ServeLimits,
        leave: @escaping @Sendable () -> Bool
    ) -> Approval {
        let device = Seat(device: device, port: port)
        guard let entry = entries[key] else { return .refused }
        guard case .stranger(let source) = entry.owner else { return .counted }
        var approval = Approval.counted
        let own = connectionsOfDevice[device, default: []]
        if own.count >= limits.connectionsPerSource {
            guard leaving.count < ConnectionTable.maximumLeaving,
                let resting = own.first(where: { $0.leave() })
            else { return .refused }
            remove(resting.key)
            leaving.insert(resting.key)
            approval = .countedFor(resting.key)
        }
        forget(entry.number, of: source)
        connectionsOfDevice[device, default: []].append(Own(key: key, leave: leave))
        entries[key]?.owner = .device(device)
        return approval
    }

    /// Removes a closed connection.
    mutating func remove(_ key: Key) {
        leaving.remove(key)
        guard let entry = entries.removeValue(forKey: key) else { return }
        switch entry.owner {
        case .stranger(let source): forget(entry.number, of: source)
        case .device(let device):
            connectionsOfDevice[device]?.removeAll { $0.key == key }
            if connectionsOfDevice[device]?.isEmpty == true { connectionsOfDevice[device] = nil }
        case .proxy: break
        }
    }

    private mutating func forget(_ number: UInt64, of source: SourcePrefix) {
        ConnectionTable.remove(number, from: &strangers)
        guard var own = strangersOfSource[source] else { return }
        // Removed from the dictionary during the change, so that the array is not copied.
        strangersOfSource[source] = nil
        ConnectionTable.remove(number, from: &own)
        if !own.isEmpty { strangersOfSource[source] = own }
    }

    /// Removes an entry by binary search: the numbers are in ascending order.
    private static func remove(_ number: UInt64, from list: inout [Stranger]) {
        var (low, high) = (0, list.count)
        while low < high {
            let middle = (low + high) / 2
            if list[middle].number < number { low = middle + 1 } else { high = middle }
        }
        if low < list.count, list[low].number == number { list.remove(at: low) }
    }
}
