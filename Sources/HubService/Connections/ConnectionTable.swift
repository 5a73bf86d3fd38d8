import Addresses
import Identity

/// Which connections there are, and which of them gives way to a new one when there is no room. A value;
/// `Key` names a connection.
///
/// Until its handshake has shown an approved device's certificate, a connection is a stranger's. Strangers
/// are counted by source, and of them the oldest gives way: of the same source, if that has its fill, of all
/// when the hub has. An approved device never gives way, and is counted for itself, not for its source. So
/// strangers, however many there are, take the room of strangers only: an approved device, or one that pairs,
/// needs no free place, only the time of a handshake.
struct ConnectionTable<Key: Hashable & Sendable>: Sendable {
    /// What becomes of a new connection.
    enum Verdict: Equatable, Sendable {
        case admitted
        /// The other one, a stranger, is to be closed; it is not in the table any longer, but `remove` it all
        /// the same when it is.
        case admittedFor(Key, Reason)
        case refused(Reason)
    }

    /// What there is too much of.
    enum Reason: Equatable, Sendable {
        /// Connections from one source.
        case source
        /// Connections.
        case total
        /// Connections that gave way and are not closed yet.
        case leaving
    }

    /// The most that may have given way and not be closed yet: each still has a descriptor.
    static var maximumLeaving: Int { 128 }

    private enum Owner {
        case stranger(SourcePrefix)
        case device(Pin)
        /// A trusted proxy, which stands for many clients and is not counted by itself.
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

    private var entries: [Key: Entry] = [:]
    /// The oldest first.
    private var strangers: [Stranger] = []
    private var strangersOfSource: [SourcePrefix: [Stranger]] = [:]
    private var countOfDevice: [Pin: Int] = [:]
    private var leaving: Set<Key> = []
    private var lastNumber: UInt64 = 0

    /// How many connections there are, without those that gave way.
    var total: Int { entries.count }

    /// All connections without those that gave way, in no order.
    var keys: [Key] { Array(entries.keys) }

    /// Takes a new connection in, if there is room or somebody gives way. A nil source is a trusted proxy.
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

    /// The connection is an approved device's: it keeps its place from now on.
    ///
    /// - Returns: false if the device has its fill, or the connection gave way meanwhile: then it is to be
    ///   closed.
    mutating func approve(_ key: Key, as device: Pin, limits: ServeLimits) -> Bool {
        guard let entry = entries[key] else { return false }
        guard case .stranger(let source) = entry.owner else { return true }
        guard countOfDevice[device, default: 0] < limits.connectionsPerSource else { return false }
        forget(entry.number, of: source)
        countOfDevice[device, default: 0] += 1
        entries[key]?.owner = .device(device)
        return true
    }

    /// The connection is closed.
    mutating func remove(_ key: Key) {
        leaving.remove(key)
        guard let entry = entries.removeValue(forKey: key) else { return }
        switch entry.owner {
        case .stranger(let source): forget(entry.number, of: source)
        case .device(let device):
            guard let count = countOfDevice[device] else { return }
            countOfDevice[device] = count > 1 ? count - 1 : nil
        case .proxy: break
        }
    }

    private mutating func forget(_ number: UInt64, of source: SourcePrefix) {
        ConnectionTable.remove(number, from: &strangers)
        guard var own = strangersOfSource[source] else { return }
        // Taken out meanwhile, so that the array is not copied.
        strangersOfSource[source] = nil
        ConnectionTable.remove(number, from: &own)
        if !own.isEmpty { strangersOfSource[source] = own }
    }

    /// The numbers rise, so the place is found in a few steps.
    private static func remove(_ number: UInt64, from list: inout [Stranger]) {
        var (low, high) = (0, list.count)
        while low < high {
            let middle = (low + high) / 2
            if list[middle].number < number { low = middle + 1 } else { high = middle }
        }
        if low < list.count, list[low].number == number { list.remove(at: low) }
    }
}
