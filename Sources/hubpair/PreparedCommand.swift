import ArgumentParser

/// A command that does something while the process has one thread: pictures are decoded in a child then, and
/// fork(2) keeps only the thread that calls it.
protocol PreparedCommand: AsyncParsableCommand {
    /// Comes before `run`, on the only thread.
    mutating func prepare() throws
}
