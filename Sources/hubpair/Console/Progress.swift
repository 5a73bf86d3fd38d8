import Glibc
import Identity

/// One line on standard error that changes in its place. Nothing is written where that is not possible: in a
/// pipe, on a terminal without escape sequences, and among lines of JSON.
struct ProgressLine {
    /// CSI K: erase to the end of the line (ECMA-48).
    private static let erase = "\r\u{1B}[K"

    private var shown = ""
    private let isPossible = isatty(STDERR_FILENO) == 1 && Console.knowsEscapes && !JSONLine.isAskedFor

    /// Puts `text` in the place of the text before.
    mutating func show(_ text: String) {
        guard isPossible, text != shown else { return }
        shown = text
        write(ProgressLine.erase + SafeText.escaped(Texts.words(text)))
    }

    /// Erases the line.
    mutating func clear() {
        guard !shown.isEmpty else { return }
        shown = ""
        write(ProgressLine.erase)
    }

    /// `[######........................] 2 of 10`
    static func bar(_ done: Int, of total: Int) -> String {
        let width = 30
        let filled = total > 0 ? width * done / total : width
        let bar =
            String(repeating: "#", count: filled) + String(repeating: ".", count: max(0, width - filled))
        return "[\(bar)] \(done) of \(total)"
    }

    private func write(_ text: String) {
        // An error cannot be reported where standard error is gone.
        try? OpenOutput.standardError.write(Array(text.utf8))
    }
}

/// How far a search through images or frames is; shown after one second.
final class Progress {
    private let total: Int?
    private let start = ContinuousClock.now
    private var line = ProgressLine()

    /// - Parameter total: the number of images; nil for a stream.
    init(total: Int?) { self.total = total }

    deinit { clear() }

    /// Shows that `done` images or frames are done.
    func update(_ done: Int) {
        guard total ?? 2 > 1, start.duration(to: .now) >= .seconds(1) else { return }
        line.show(
            total.map { ProgressLine.bar(done, of: $0) + " images" } ?? "\(done) frames, no pairing code yet")
    }

    /// Makes room for other output.
    func clear() { line.clear() }
}
