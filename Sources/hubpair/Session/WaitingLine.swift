import Glibc
import Identity
import Synchronization

/// A line at a terminal that says, from the second second on, what is waited for. It vanishes when the
/// wait is over.
/// Scripts and pipes see nothing of it.
final class WaitingLine: Sendable {
    private struct State {
        var text: String
        var isShown = false
        var isOver = false
    }

    private let state: Mutex<State>
    private let task: Task<Void, Never>?

    init(_ text: String) {
        state = Mutex(State(text: text))
        guard isatty(STDERR_FILENO) == 1 else {
            task = nil
            return
        }
        let (starts, start) = AsyncStream.makeStream(of: WaitingLine.self)
        task = Task {
            try? await Task.sleep(for: .seconds(2))
            for await line in starts { line.show() }
        }
        start.yield(self)
        start.finish()
    }

    /// Says something else.
    func say(_ text: String) {
        state.withLock { state in
            state.text = text
            if state.isShown, !state.isOver { WaitingLine.write(text) }
        }
    }

    /// The wait is over: takes the line away.
    func end() {
        task?.cancel()
        state.withLock { state in
            state.isOver = true
            if state.isShown { WaitingLine.erase() }
        }
    }

    private func show() {
        state.withLock { state in
            guard !state.isOver else { return }
            state.isShown = true
            WaitingLine.write(state.text)
        }
    }

    private static func write(_ text: String) { put("\r\u{1B}[Kwaiting for \(SafeText.escaped(text)) …") }
    private static func erase() { put("\r\u{1B}[K") }

    private static func put(_ text: String) {
        // If it cannot be written, nothing is missing.
        _ = Array(text.utf8).withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
