#if os(Linux) && !HUBPAIR_PORTABLE
import Glibc

extension ProtectedDirectory {
    /// Appends `bytes` to the file `name`, durably; makes the file if it is missing. If it fails, the file is
    /// what it was, except after a crash or on a broken disk: then the last line may be cut short. Call it
    /// inside `withLock`.
    package func append(_ bytes: [UInt8], to name: String) throws(FileError) {
        let path = path(of: name)
        let isNew = try stamp(of: name) == nil
        let file = openFile(name, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK)
        guard file >= 0 else {
            throw errno == ELOOP ? .linkedFile(path: path) : openFault(name, errno)
        }
        defer { close(file) }
        let status = try fileStatus(file, path: path)
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular(path: path) }
        try checkOwnerAndMode(status, owner, path: path, allowed: 0o600)
        do throws(FileError) {
            try writeAll(file, bytes, path: path)
            guard fdatasync(file) == 0 else { throw .system(errno, operation: "write", path: path) }
        } catch {
            ftruncate(file, status.st_size)
            throw error
        }
        if isNew { try synchronize() }
    }

    /// The size of the file `name` in bytes; nil if there is none.
    package func size(of name: String) throws(FileError) -> Int? {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            guard errno == ENOENT else { throw .system(errno, operation: "look at", path: path(of: name)) }
            return nil
        }
        return Int(status.st_size)
    }

    /// The last bytes of the file `name`, at most `count`; none if there is no such file.
    package func end(of name: String, count: Int) throws(FileError) -> [UInt8] {
        let path = path(of: name)
        let file = openFile(name, O_RDONLY | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return [] }
            throw errno == ELOOP ? .linkedFile(path: path) : openFault(name, errno)
        }
        defer { close(file) }
        let status = try fileStatus(file, path: path)
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular(path: path) }
        try checkOwnerAndMode(status, owner, path: path, allowed: 0o600)
        let start = max(0, Int(status.st_size) - count)
        guard lseek(file, off_t(start), SEEK_SET) >= 0 else {
            throw .system(errno, operation: "read", path: path)
        }
        return try readAll(file, sizeHint: min(count, Int(status.st_size)), path: path)
    }

    /// Gives the file `name` the name `other`, durably; what had that name is gone. Call it inside
    /// `withLock`.
    package func move(_ name: String, over other: String) throws(FileError) {
        try rename(name, to: other)
        try synchronize()
    }
}
#endif
