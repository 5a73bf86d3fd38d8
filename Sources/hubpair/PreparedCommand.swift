import ArgumentParser

/// A command that does something while the process has only one thread: pictures are decoded in a child
/// process, and fork(2) copies only the calling thread.
protocol PreparedCommand: AsyncParsableCommand {
    /// Called before `run`, on the only thread.
    mutating func prepare() throws
}
