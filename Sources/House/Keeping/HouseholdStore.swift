import Dispatch
import Household
import HubService
import Identity
import Pairing
import Synchronization

/// One keyfile of the household, for all requests.
///
/// It is read again when its file is another than before, so that a change by hand counts at once. A change
/// is one step under the directory's lock, and durable when it returns. Files are read and written on a
/// thread of their own: the lock and fsync may take long, and must not hold up the connections.
final class HouseholdStore<Content: HouseholdFile>: Sendable {
    private struct Cached {
        let content: Content
        /// Nil: there is no such file.
        let stamp: FileStamp?
    }

    private let state: HubState
    private let journal: GateJournal
    private let queue = DispatchQueue(label: "hubpair.household")
    // Only used on the queue; the lock is what the compiler can check.
    private let cached = Mutex<Cached?>(nil)
    /// Where several gates share the house.
    private let shared = Mutex<FileTable?>(nil)

    init(state: HubState, journal: GateJournal) { (self.state, self.journal) = (state, journal) }

    /// What is changed from now on is changed for all gates; nil: for this one.
    func share(_ files: FileTable?) { shared.withLock { $0 = files } }

    /// The content as the file has it now.
    ///
    /// - Throws: a `UserError` about the file or its directory.
    func read() async throws -> Content {
        try await onQueue { [self] in try read(in: state.open()) }.get()
    }

    /// Reads the file, lets `body` change the content, and writes what has changed.
    ///
    /// - Parameter notes: what the journal tells of it, once it is written; made of what `body` returns.
    /// - Throws: a `HouseholdError` of `body`, and then nothing is written; or a `UserError` about the file.
    /// - Returns: what `body` returns.
    func change<Result: Sendable>(
        notes: @escaping @Sendable (Result) -> [Journal.Note] = { _ in [] },
        _ body: @escaping @Sendable (inout Content) throws(HouseholdError) -> Result
    ) async throws -> Result {
        if let files = shared.withLock({ $0 }) {
            let (result, isChanged) = try await files.change { files in
                let content = try files[Content.fileName].map { try Content(parsing: $0) } ?? Content()
                let (changed, result) = try HouseholdStore.changed(content, body)
                if let changed { files[Content.fileName] = changed.serialized }
                return result
            }
            if isChanged { await journal.note(notes(result)) }
            return result
        }
        let (result, isChanged) = try await onQueue { [self] in
            try state.open().withLock { directory in
                let (changed, result) = try HouseholdStore.changed(try read(in: directory), body)
                guard let content = changed else { return (result, false) }
                // What the disk has is unknown if this fails.
                cached.withLock { $0 = nil }
                try directory.replace(Content.fileName, with: content.serialized)
                let stamp = try directory.stamp(of: Content.fileName)
                cached.withLock { $0 = Cached(content: content, stamp: stamp) }
                return (result, true)
            }
        }.get()
        if isChanged { await journal.note(notes(result)) }
        return result
    }

    /// - Returns: the content after `body`, if that is another than before.
    private static func changed<Result>(
        _ before: Content, _ body: (inout Content) throws(HouseholdError) -> Result
    ) throws(HouseholdError) -> (Content?, Result) {
        var content = before
        let result = try body(&content)
        let bytes = content.serialized
        guard bytes != before.serialized else { return (nil, result) }
        guard bytes.count <= maximumHouseholdByteCount else { throw .tooLarge(Content.words) }
        return (content, result)
    }

    private func read(in directory: borrowing ProtectedDirectory) throws -> Content {
        let stamp = try directory.stamp(of: Content.fileName)
        if let cached = cached.withLock({ $0 }), cached.stamp == stamp { return cached.content }
        let content = try directory.read(Content.fileName, Content.init(parsing:)) ?? Content()
        cached.withLock { $0 = Cached(content: content, stamp: stamp) }
        return content
    }

    private func onQueue<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async -> Result<Value, any Error> {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Swift.Result(catching: work)) }
        }
    }
}

/// The most bytes that a keyfile of the household is written with. Every GET makes an answer of about that
/// size, and a guest may ask for many at once; a larger file than 16 MiB would not be read again.
private let maximumHouseholdByteCount = 4 << 20
