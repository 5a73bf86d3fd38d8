import Glibc
package import Identity

/// Reads a file that the user named, or standard input. It may be any file from anywhere, so every read has a
/// limit.
package enum InputFile {
    /// The maximum number of bytes that are read. A photograph of 64 megapixels is smaller. More is an attack
    /// on memory, or a mistake such as `/dev/zero`.
    package static let maximumByteCount = 256 << 20

    /// How long a named pipe may be silent before it is refused: perhaps nobody will ever write to it.
    private static let pipePatience = Duration.seconds(10)

    /// The number of first bytes that suffice to detect the format of an image.
    private static let headCount = 1024

    /// The image file at `path`; `-` is standard input. Reading stops if the file does not begin like an
    /// image, so that `/dev/zero` ends too.
    ///
    /// - Parameter waiting: called about ten times a second while a pipe is silent.
    package static func read(
        _ path: String, waiting: () -> Void = {}
    ) throws(InputFileError) -> ImageBytes {
        try read(path, limit: maximumByteCount, waiting: waiting) { descriptor, size throws(InputFileError) in
            try readAll(descriptor, sizeHint: size, waiting: waiting)
        }
    }

    /// All bytes of any file at `path`, at most `limit` of them; `-` is standard input.
    package static func readWhole(_ path: String, limit: Int) throws(InputFileError) -> [UInt8] {
        try read(path, limit: limit) { descriptor, size throws(InputFileError) in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(size)
            while let chunk = try readSome(descriptor) {
                guard bytes.count + chunk.count <= limit else { throw .longer(than: limit) }
                bytes += chunk
            }
            return bytes
        }
    }

    private static func read<Content>(
        _ path: String, limit: Int, waiting: () -> Void = {},
        _ readAll: (_ descriptor: Int32, _ size: Int) throws(InputFileError) -> Content
    ) throws(InputFileError) -> Content {
        if path == "-" { return try readAll(STDIN_FILENO, 0) }
        // Without O_NONBLOCK the system waits here for somebody to write to a named pipe, for ever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw InputFileError(openErrno: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw InputFileError.system(errno) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw InputFileError.directory }
        if status.st_mode & S_IFMT == S_IFIFO {
            let deadline = ContinuousClock.now + pipePatience
            while !isReady(descriptor) {
                guard deadline > .now else { throw InputFileError.silentPipe }
                waiting()
            }
        }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        guard status.st_size <= limit else {
            throw limit == maximumByteCount ? InputFileError.tooLarge : .longer(than: limit)
        }
        return try readAll(descriptor, Int(status.st_size))
    }

    /// The bytes `head`, and the rest of `descriptor` after them.
    package static func readAll(
        _ descriptor: Int32, sizeHint: Int, after head: [UInt8] = [], waiting: () -> Void = {}
    ) throws(InputFileError) -> ImageBytes {
        var bytes = head
        bytes.reserveCapacity(sizeHint)
        var format: ImageFormat?
        func next() throws(InputFileError) -> [UInt8]? {
            while !isReady(descriptor) { waiting() }
            return try readSome(descriptor)
        }
        while let chunk = try next() {
            guard bytes.count + chunk.count <= maximumByteCount else { throw .tooLarge }
            bytes += chunk
            if format == nil, bytes.count >= headCount {
                format = ImageFormat.detect(bytes)
                if format == nil { return ImageBytes(bytes, format: nil) }
            }
        }
        return ImageBytes(bytes, format: format ?? ImageFormat.detect(bytes))
    }

    /// False if a tenth of a second has passed, and there is nothing to read.
    private static func isReady(_ descriptor: Int32) -> Bool {
        var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&input, 1, 100) != 0
    }

    /// The bytes that can be read now, at most 64 KiB, a size that malloc(3) reuses; waits for the first
    /// byte. Nil at the end.
    package static func readSome(_ descriptor: Int32) throws(InputFileError) -> [UInt8]? {
        while true {
            var count = 0
            let chunk = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, used in
                count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                used = max(0, count)
            }
            if count > 0 { return chunk }
            if count == 0 { return nil }
            guard errno == EINTR else { throw errno == EISDIR ? .directory : .system(errno) }
        }
    }
}

/// Why a file cannot be read. The message names no file: the caller does.
package enum InputFileError: Equatable, UserError {
    /// There is no such file.
    case missing
    /// Its permissions do not allow reading.
    case notPermitted
    /// It is a directory.
    case directory
    /// It is a directory without images.
    case noImages
    /// A named pipe that nobody wrote to in time.
    case silentPipe
    /// A file name in a directory that is not UTF-8.
    case nameNotUTF8
    /// It has more than `InputFile.maximumByteCount` bytes.
    case tooLarge
    /// It has more bytes than its purpose allows.
    case longer(than: Int)
    /// Another system error; the errno.
    case system(Int32)

    package init(openErrno: Int32) {
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
        case .noImages: "the directory has no image files"
        case .silentPipe: "is a named pipe, and nothing was written to it for 10 seconds"
        case .nameNotUTF8: "the name is not UTF-8"
        case .tooLarge: "has more than \(InputFile.maximumByteCount >> 20) MiB"
        case .longer(let limit): "has more than \(limit) bytes"
        case .system(let code): "cannot be read: \(String(cString: strerror(code)))"
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .tooLarge, .longer: .data
        case .notPermitted: .notPermitted
        case .missing, .directory, .noImages, .silentPipe, .nameNotUTF8, .system: .noInput
        }
    }

    /// How to fix it; nil if there is no advice.
    package var hint: String? {
        switch self {
        case .missing: "check the name; '-' reads standard input"
        case .notPermitted: "run as its owner, or give it on standard input"
        case .directory: "name an image in it"
        case .noImages:
            "images are known by the ends of their names, like .jpg; directories inside are left out"
        case .silentPipe: "start what writes to it first"
        case .nameNotUTF8: "rename the file, or give its content on standard input"
        case .tooLarge: "a photograph of a code is much smaller"
        case .longer, .system: nil
        }
    }
}
