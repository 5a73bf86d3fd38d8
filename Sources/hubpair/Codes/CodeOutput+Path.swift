import Glibc
import Pairing

extension CodeOutput {
    /// Where a code goes that is written to the file at `path`, or to standard output.
    ///
    /// - Parameters:
    ///   - path: as the user gave it; nil for standard output.
    ///   - isDrawn: standard output gets a drawing for a terminal.
    init(_ path: String?, isDrawn: Bool) {
        guard let path else {
            self = isDrawn ? .terminal : .standardOutput
            return
        }
        if let real = CodeOutput.realPath(path) {
            self.init(path: real)
            return
        }
        // The file is not there yet, but its directory is.
        let cut = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let directory = cut == path.startIndex ? "." : String(path[..<cut])
        let parent = CodeOutput.realPath(directory) ?? "/…"
        self.init(path: (parent == "/" ? "" : parent) + "/" + String(path[cut...]))
    }

    private static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(validatingCString: real)
    }
}
