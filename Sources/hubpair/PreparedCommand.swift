import ArgumentParser

/// A command that does something while the process has only one thread: pictures are decoded in a child
/// process, and fork(2) copies only the calling thread. For this machine's hub `print` does all of its work
/// then: to start another thread would take a tenth of its time.
protocol PreparedCommand: AsyncParsableCommand {
    /// Called before `run`, on the only thread.
    ///
    /// - Returns: true if nothing is left to do: `run` is not called.
    mutating func prepare() throws -> Bool
}
