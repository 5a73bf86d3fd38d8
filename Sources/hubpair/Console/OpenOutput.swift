import Glibc

/// What is open for writing: a stream of this process, or a file.
struct OpenOutput {
    static let standardOutput = OpenOutput(descriptor: STDOUT_FILENO, name: "standard output")
    static let standardError = OpenOutput(descriptor: STDERR_FILENO, name: "standard error")

    let descriptor: Int32
    /// What an error calls it.
    let name: String

    /// Writes all of `bytes`, as they are.
    func write(_ bytes: [UInt8]) throws(OutputError) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0 {
                guard errno == EINTR else { throw OutputError(name: name, code: errno) }
                continue
            }
            written += count
        }
    }
}
