import FoundationEssentials
import Glibc

/// Reads a file that a person named, or standard input: any file, of anybody's, but never without a bound.
package enum InputFile {
    /// The most bytes that are read. A photograph of 64 megapixels stays below it; more would only be an
    /// attack on memory, or a mistake like `/dev/zero`.
    package static let maximumByteCount = 256 << 20

    /// The bytes of the file at `path`; `-` is standard input.
    package static func read(_ path: String) throws(InputFileError) -> [UInt8] {
        if path == "-" { return try readAll(STDIN_FILENO, sizeHint: 0) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw InputFileError(openErrno: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw InputFileError.system(errno) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw InputFileError.directory }
        guard status.st_size <= maximumByteCount else { throw InputFileError.tooLarge }
        return try readAll(descriptor, sizeHint: Int(status.st_size))
    }

    private static func readAll(_ descriptor: Int32, sizeHint: Int) throws(InputFileError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(sizeHint)
        var chunk = [UInt8](repeating: 0, count: 262_144)
        while true {
            let count = chunk.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { return bytes }
            if count < 0 {
                guard errno == EINTR else {
                    throw errno == EISDIR ? InputFileError.directory : .system(errno)
                }
                continue
            }
            guard bytes.count + count <= maximumByteCount else { throw .tooLarge }
            bytes += chunk[..<count]
        }
    }
}

/// Why a file cannot be read; the caller says which.
package enum InputFileError: Error, Equatable, LocalizedError, CustomStringConvertible {
    /// There is no such file.
    case missing
    /// Its permissions keep us out.
    case notPermitted
    /// It is a directory.
    case directory
    /// It has more than `InputFile.maximumByteCount` bytes.
    case tooLarge
    /// What the system said (errno).
    case system(Int32)

    init(openErrno: Int32) {
        self =
            switch openErrno {
            case ENOENT, ENOTDIR: .missing
            case EACCES, EPERM: .notPermitted
            default: .system(openErrno)
            }
    }

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .missing: "no such file"
        case .notPermitted: "not permitted to read it"
        case .directory: "is a directory"
        case .tooLarge: "has more than \(InputFile.maximumByteCount >> 20) MiB"
        case .system(let code): "cannot be read: \(String(cString: strerror(code)))"
        }
    }

    /// The same as the description.
    package var errorDescription: String? { description }

    /// How to mend it.
    package var recoverySuggestion: String? {
        switch self {
        case .missing: "check the name; '-' reads standard input"
        case .notPermitted: "run as its owner, or give it on standard input"
        case .directory: "name the images in it, like DIRECTORY/*.jpg"
        case .tooLarge: "this is no photograph of a code"
        case .system: nil
        }
    }
}
