// The compiler says that struct stat is CoreFoundation's or Glibc's, as it loads them; headers alone.
import CoreFoundation
import Glibc
import Identity

/// A file for a drawing, which holds a secret: 0600, and whole or not there.
///
/// The bytes are first written to a new file beside the target; `commit` puts that in its place. So a full
/// disk or a missing directory shows before the hub has replaced a label, and the file that was there
/// survives, as does another name (a hard link) of it. A pipe or a terminal is written by `commit`, see
/// `OutputTarget`.
///
/// Under sudo, a file in a directory of the caller's is the caller's: root's, with this mode, could not be
/// read by who asked for it.
struct OutputFile: ~Copyable {
    private let path: String
    private let bytes: [UInt8]
    private let target: OutputTarget
    /// The file beside the target, until it has been renamed.
    // Spelled out: `String?` would have a value before `init` throws, which Swift 6.2 destroys wrongly.
    private var temporary: Optional<String>
    /// The number of that file on its file system.
    private let inode: ino_t
    /// There was a file under the name, which `commit` replaces.
    let replacesFile: Bool

    /// Prepares `bytes` to become the file at `path`.
    ///
    /// - Parameter inPlace: false for a name that the user has not given. Whatever has that name is then
    ///   replaced: a link that another user has put there would lead the secret away.
    init(_ bytes: [UInt8], at path: String, inPlace: Bool = true) throws(OutputError) {
        let target = try OutputTarget.find(path, replacesLinks: !inPlace)
        let written = target.name == nil ? nil : try OutputFile.write(bytes, beside: target, path: path)
        var isThere = false
        if let name = target.name {
            isThere = faccessat(target.descriptor.number, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0
        }
        self.path = path
        self.bytes = bytes
        self.target = target
        replacesFile = isThere
        temporary = written?.name
        inode = written?.inode ?? 0
    }

    /// False for what is written in place, such as a pipe.
    var isFile: Bool { target.name != nil }

    /// Writes a new file under a random name: in a directory where others may write, they could take a known
    /// name first, again and again.
    private static func write(
        _ bytes: [UInt8], beside target: borrowing OutputTarget, path: String
    ) throws(OutputError) -> (name: String, inode: ino_t) {
        let name = ".hubpair-\(String(UInt64.random(in: .min ... .max), radix: 36)).new"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = try OwnedDescriptor(openat(target.descriptor.number, name, flags, 0o600), name: path)
        do throws(OutputError) {
            try OpenOutput(descriptor: file.number, name: path).write(bytes)
            guard fchmod(file.number, 0o600) == 0, fsync(file.number) == 0 else {
                throw OutputError(name: path, code: errno)
            }
            giveToCaller(file.number, in: target.descriptor.number)
            return (name, try file.status(name: path).st_ino)
        } catch {
            unlinkat(target.descriptor.number, name, 0)
            throw error
        }
    }

    /// If that fails it stays root's, as without sudo.
    private static func giveToCaller(_ file: Int32, in directory: Int32) {
        let environment = Startup.environment
        var status = stat()
        guard geteuid() == 0, let user = environment["SUDO_UID"].flatMap({ uid_t($0) }), user != 0,
            let group = environment["SUDO_GID"].flatMap({ gid_t($0) }),
            fstat(directory, &status) == 0, status.st_uid == user
        else { return }
        _ = fchown(file, user, group)
    }

    deinit {
        if let temporary { unlinkat(target.descriptor.number, temporary, 0) }
    }

    /// Puts the bytes in their place.
    mutating func commit() throws(OutputError) {
        guard let temporary, let name = target.name else {
            return try OpenOutput(descriptor: target.descriptor.number, name: path).write(bytes)
        }
        let directory = target.descriptor.number
        guard renameat(directory, temporary, directory, name) == 0 else {
            throw OutputError(name: path, code: errno)
        }
        self.temporary = nil
        // In another user's directory the file may have been exchanged under its temporary name.
        var status = stat()
        guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_ino == inode else {
            throw OutputError(name: path, refusal: "another program has replaced it")
        }
    }

    static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Refuses a name that leads to one of `inputs`, by any path or link: the input would be overwritten.
    ///
    /// - Parameters:
    ///   - option: the option that named `path`.
    ///   - inputs: paths; `-` is standard input. Paths without a file are skipped.
    static func check(_ path: String, of option: String, isNoneOf inputs: [String]) throws(OutputIsInput) {
        var output = stat()
        guard stat(path, &output) == 0, output.st_mode & S_IFMT == S_IFREG else { return }
        for input in inputs {
            var status = stat()
            let found = input == "-" ? fstat(STDIN_FILENO, &status) : stat(input, &status)
            guard found == 0 else { continue }
            if status.st_dev == output.st_dev, status.st_ino == output.st_ino {
                throw OutputIsInput(option: option, path: path, input: input)
            }
        }
    }
}

/// A result would overwrite a file that is read.
struct OutputIsInput: UserError {
    let option: String
    let path: String
    let input: String

    var description: String {
        let words = input == "-" ? "standard input" : input
        return "\(option) \(path) would write over what is read: \(path == input ? "it" : words)"
    }
    var kind: UserErrorKind { .usage }
    var hint: String? { option.hasPrefix("-") ? "name another file with \(option)" : "name another file" }
}
