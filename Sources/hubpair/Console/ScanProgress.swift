import FoundationEssentials
import Glibc

/// The line on a terminal that says how far a long search is; nothing where standard error is none.
final class ScanProgress {
    private static let width = 30

    private let total: Int?
    private let start = ContinuousClock.now
    private let isShown =
        isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    private var line = ""

    /// - Parameter total: the number of images; nil for a stream.
    init(total: Int?) { self.total = total }

    deinit { clear() }

    /// Shows that `done` images or frames are done, from the second second on.
    func update(_ done: Int) {
        guard isShown, start.duration(to: .now) >= .seconds(1) else { return }
        let next: String
        if let total {
            guard total > 1 else { return }
            let full = done * ScanProgress.width / total
            let bar = String(repeating: "#", count: full).padding(to: ScanProgress.width, with: "-")
            next = "[\(bar)] \(done) of \(total) images"
        } else {
            next = "\(done) frames, no pairing code yet"
        }
        guard next != line else { return }
        line = next
        write("\r\(next)\u{1B}[K")
    }

    /// Makes room for other output.
    func clear() {
        guard !line.isEmpty else { return }
        line = ""
        write("\r\u{1B}[K")
    }

    private func write(_ text: String) {
        try? Console.write(Array(text.utf8), to: STDERR_FILENO, name: "standard error")
    }
}

extension String {
    fileprivate func padding(to count: Int, with filler: String) -> String {
        self + String(repeating: filler, count: max(0, count - self.count))
    }
}
