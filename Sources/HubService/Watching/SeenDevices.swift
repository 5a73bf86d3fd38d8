import Addresses
import Dispatch
import FoundationEssentials
import Identity
import Pairing
import Synchronization

/// When and from where devices come in, for the file `last-seen`.
///
/// A connection costs one lock when it is let in and one when it ends, a request nothing. What is on disk is
/// an hour old at most, and at the end of the hub it is what is known: a device is written down once an hour,
/// and the file once a minute. That it cannot be written is said once, and hurts nobody.
final class SeenDevices: Sendable {
    /// How old a device's time on disk may be, in seconds.
    static let precision: Double = 3600
    /// How long the first device of several waits for others, so that one write has them all.
    private static let gathering = Duration.milliseconds(100)
    private static let pause = Duration.seconds(60)

    private struct Content {
        var entries: [Pin: LastSeen.Entry] = [:]
        /// When each device was last written down, and with which key of the hub.
        var written: [Fingerprint: LastSeen.Entry] = [:]
        /// A write is due, and has been asked for.
        var isDue = false
    }

    private let state: HubState
    private let register: DeviceRegister
    private let log: ServeLog
    private let clock: @Sendable () -> Moment
    private let content = Mutex(Content())
    private let queue = DispatchQueue(label: "hubpair.seen")
    private let hasFailed = Mutex(false)
    private let due: AsyncStream<Void>.Continuation
    private let writing: Mutex<Task<Void, Never>?>

    init(
        _ state: HubState, _ register: DeviceRegister, log: ServeLog, clock: @escaping @Sendable () -> Moment
    ) {
        (self.state, self.register, self.log, self.clock) = (state, register, log, clock)
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        due = continuation
        writing = Mutex(nil)
        // A hub that starts again and again does not write more often.
        let record = try? state.open().read(LastSeen.fileName, LastSeen.init(parsing:))
        if let record { content.withLock { $0.written = record.entries } }
        let task = Task { [weak self] in
            for await _ in stream {
                guard (try? await Task.sleep(for: SeenDevices.gathering)) != nil else { return }
                await self?.write()
                guard (try? await Task.sleep(for: SeenDevices.pause)) != nil else { return }
            }
        }
        writing.withLock { $0 = task }
    }

    // A hub that does not get as far as serving is not stopped either.
    deinit { due.finish() }

    /// Notes that a device is here now, and has seen this key of the hub.
    func note(_ device: Pin, from address: NetworkAddress, key: Fingerprint) {
        let now = clock().wall
        let isDue = content.withLock { content in
            content.entries[device] = LastSeen.Entry(now, from: address, key: key)
            // The clock may have been set either way.
            let written = content.written[device.fingerprint]
            let age = written.map { abs(now.timeIntervalSince($0.time)) }
            guard !content.isDue, age ?? .infinity >= SeenDevices.precision || written?.key != key else {
                return false
            }
            content.isDue = true
            return true
        }
        if isDue { due.yield() }
    }

    /// Writes down what is not yet, and stops.
    func stop() async {
        due.finish()
        let task = writing.withLock { $0 }
        task?.cancel()
        await task?.value
        let isNew = content.withLock { content in
            content.entries.contains { content.written[$0.key.fingerprint] != $0.value }
        }
        if isNew { await write() }
    }

    private func write() async {
        await withCheckedContinuation { done in
            queue.async { [self] in
                writeNow()
                done.resume()
            }
        }
    }

    private func writeNow() {
        let entries = content.withLock { content in
            content.isDue = false
            return content.entries
        }
        do {
            try state.open().withLock { directory in
                var record = SeenDevices.record(in: directory, at: clock().wall)
                let now = clock().wall
                // Another gate of the site may have seen it since.
                for (pin, entry) in entries { record.learn(entry, of: pin.fingerprint, at: now) }
                let known = Set(try register.pins().map(\.fingerprint))
                record.keep(known.contains)
                try directory.replace(LastSeen.fileName, with: record.serialized)
            }
            let pins = try register.pins()
            let known = Set(pins.map(\.fingerprint))
            content.withLock { content in
                for (pin, entry) in entries { content.written[pin.fingerprint] = entry }
                // Bounded by the keyfile: what is not in it any more is forgotten.
                content.entries = content.entries.filter { pins.contains($0.key) }
                content.written = content.written.filter { known.contains($0.key) }
            }
            hasFailed.withLock { $0 = false }
        } catch {
            let isFirst = hasFailed.withLock { hasFailed in
                defer { hasFailed = true }
                return !hasFailed
            }
            if isFirst {
                log.notice("cannot write down when devices were last seen: \(describing(error))")
            }
        }
    }

    /// The record on disk, or a new one in the place of one that is gone or has a fault.
    static func record(in directory: borrowing ProtectedDirectory, at now: Date) -> LastSeen {
        (try? directory.read(LastSeen.fileName, LastSeen.init(parsing:))) ?? LastSeen(since: now)
    }
}
