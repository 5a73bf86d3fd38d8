/// A search in a child process that is started before its file is known: a program that will have several
/// threads by then can no longer start one (see `IsolatedScan`).
package final class WaitingScan {
    private let scan: IsolatedScan
    /// The child reads the path from the other end.
    private let path: PathPipe

    /// Starts the child; nil if this process has several threads, or if the system cannot start one more.
    package init?(_ search: ImageScan) {
        guard IsolatedScan.isPossible, let path = PathPipe() else { return nil }
        guard
            let scan = IsolatedScan(
                search, usesStandardInput: false, read: { try InputFile.read(path.receive()) })
        else { return nil }
        self.path = path
        self.scan = scan
        path.closeReader()
    }

    /// Searches the file at `path`, once, and waits for the outcome.
    package func run(_ path: String) -> Result<ImageScanOutcome, any Error> {
        self.path.send(path)
        return ParallelScan.outcome(of: scan)
    }
}
