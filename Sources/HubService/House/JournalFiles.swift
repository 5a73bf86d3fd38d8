import Dispatch
import FoundationEssentials
import Pairing

/// The journal of a hub that serves, on a thread of its own: no request waits for the disk.
final class JournalFiles: Sendable {
    /// So many of the last entries are looked at.
    private static let authorCount = 500

    /// When this gate began.
    let began = Date()
    private let state: HubState
    private let queue = DispatchQueue(label: "hubpair.journal")

    init(of state: HubState) { self.state = state }

    func write(_ notes: [Journal.Note]) async throws {
        try await onQueue { state in try state.open().withLock { try Journal.write(notes, in: $0) } }.get()
    }

    /// By whom the devices were let in or kept out last: they let themselves in with a code.
    func authors() async -> [String: String] {
        let entries = try? await onQueue { state in
            // An entry is written in the same step as the keyfile, after it.
            try state.open().withLock { directory in
                try Journal.entries(
                    of: [.access], after: nil, limit: JournalFiles.authorCount, in: directory
                ).entries
            }
        }.get()
        var authors: [String: String] = [:]
        for entry in entries ?? [] {
            guard let device = entry.fact.device?.description else { continue }
            switch entry.fact.event {
            case .paired, .asked: authors[device] = device
            case .approved, .refused, .revoked: authors[device] = entry.author?.device.description
            case .role, .renamed, .codeMade, .codeVoid, .made, .changed, .removed, .armed, .disarmed,
                .order, .request, .sceneRun:
                break
            }
        }
        return authors
    }

    private func onQueue<Value: Sendable>(
        _ work: @escaping @Sendable (HubState) throws -> Value
    ) async -> Result<Value, any Error> {
        await withCheckedContinuation { continuation in
            queue.async { [state] in continuation.resume(returning: Result { try work(state) }) }
        }
    }
}
