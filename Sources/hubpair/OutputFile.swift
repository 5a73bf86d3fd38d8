import Glibc

/// A file for a drawing, which holds a secret.
enum OutputFile {
    /// Writes `bytes` to `path`. A new file gets the mode 0600; a regular one of ours is narrowed to it
    /// before the first byte; a device or a pipe is written as it is.
    static func write(_ bytes: [UInt8], to path: String) throws(OutputError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw OutputError(name: path, code: errno) }
        var isOpen = true
        defer { if isOpen { close(descriptor) } }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw OutputError(name: path, code: errno) }
        if status.st_mode & S_IFMT == S_IFREG, fchmod(descriptor, 0o600) != 0 {
            throw OutputError(name: path, code: errno)
        }
        try Console.write(bytes, to: descriptor, name: path)
        isOpen = false
        guard close(descriptor) == 0 else { throw OutputError(name: path, code: errno) }
    }
}
