#if os(Linux) && !HUBPAIR_PORTABLE
import Glibc

extension ProtectedDirectory {
    /// Reads the file `name`; nil if it does not exist.
    ///
    /// Refused are symbolic links, anything but a regular file, another owner, a mode wider than 0600, and
    /// more than `maximumFileByteCount` bytes.
    package func read(_ name: String) throws(FileError) -> [UInt8]? {
        let path = path(of: name)
        // O_NONBLOCK: opening a FIFO that someone has put here must not block.
        let file = openFile(name, O_RDONLY | O_NONBLOCK)
        guard file >= 0 else {
            switch errno {
            case ENOENT: return nil
            case ELOOP: throw .linkedFile(path: path)
            default: throw openFault(name, errno)
            }
        }
        defer { close(file) }
        let status = try fileStatus(file, path: path)
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular(path: path) }
        try checkOwnerAndMode(status, owner, path: path, allowed: 0o600)
        guard status.st_size <= ProtectedDirectory.maximumFileByteCount else {
            throw .tooLarge(Int(status.st_size), path: path)
        }
        return try readAll(file, sizeHint: Int(status.st_size), path: path)
    }

    /// A stamp that distinguishes this version of the file `name` from any earlier or later one; nil if it
    /// does not exist.
    package func stamp(of name: String) throws(FileError) -> FileStamp? {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            guard errno == ENOENT else { throw .system(errno, operation: "look at", path: path(of: name)) }
            return nil
        }
        return FileStamp(status)
    }

    /// Atomically and durably replaces the file `name`: writes a new file, fsync, rename, fsync of the
    /// directory. The previous version stays as `name.bak`. After a crash at any point, either the old or the
    /// new version is complete. Call it inside `withLock`.
    package func replace(_ name: String, with bytes: [UInt8]) throws(FileError) {
        let fresh = try writeBeside(name, bytes)
        let backup = ProtectedDirectory.backup(of: name)
        let oldName = ".\(name).old"
        try remove(oldName)
        // A hard link and a rename, so that a complete .bak exists at every moment.
        if linkat(descriptor, name, descriptor, oldName, 0) == 0 {
            try rename(oldName, to: backup)
            try remove(oldName)  // rename(2) does nothing if both are the same file
        } else if errno != ENOENT {
            throw .system(errno, operation: "keep the version before of", path: path(of: name))
        }
        try rename(fresh, to: name)
        try synchronize()
        if hasRoom(for: name) { keepRoom(for: name) }
    }

    /// Takes the file `name` away, durably: it stays as `name.bak`. Does nothing if there is none. Call it
    /// inside `withLock`.
    package func retire(_ name: String) throws(FileError) {
        guard try stamp(of: name) != nil else { return }
        try rename(name, to: ProtectedDirectory.backup(of: name))
        try synchronize()
    }

    /// Deletes the file `name` and its `.bak`, durably: what must not be there any more. Does nothing if
    /// there is none. Call it inside `withLock`.
    package func destroy(_ name: String) throws(FileError) {
        try remove(name)
        try destroyBackup(of: name)
    }

    /// The same for `name.bak` alone.
    package func destroyBackup(of name: String) throws(FileError) {
        try remove(ProtectedDirectory.backup(of: name))
        try synchronize()
    }

    /// Puts `bytes` in place of the file `name` and of `name.bak`, each durably: for what must not be
    /// undone by going back to the version before, like a revocation. If it ends in between, only `.bak` is
    /// new. It succeeds on a full disk if room was kept for it, and keeps room for the next time. Call it
    /// inside `withLock`.
    package func replaceBoth(_ name: String, with bytes: [UInt8]) throws(FileError) {
        let backup = ProtectedDirectory.backup(of: name)
        let fresh = try writeBeside(name, bytes, room: 1, for: name)
        do throws(FileError) {
            try rename(writeBeside(backup, bytes, room: 2, for: name), to: backup)
        } catch {
            unlinkat(descriptor, fresh, 0)
            throw error
        }
        try rename(fresh, to: name)
        try synchronize()
        keepRoom(for: name)
    }

    /// Like `writeBeside`, but on a full disk writes into the reserved room.
    private func writeBeside(
        _ name: String, _ bytes: [UInt8], room: Int, for owner: String
    ) throws(FileError) -> String {
        do throws(FileError) {
            return try writeBeside(name, bytes)
        } catch {
            switch error {
            case .system(ENOSPC, _, _), .system(EDQUOT, _, _):
                guard let file = writeIntoRoom(room, for: owner, bytes) else { throw error }
                return file
            default: throw error
            }
        }
    }

    private static func backup(of name: String) -> String { name + ".bak" }

    /// Durably creates the file `name`; throws `exists` if it exists. For files, above all keys, that must
    /// never be replaced.
    package func create(_ name: String, with bytes: [UInt8]) throws(FileError) {
        let fresh = try writeBeside(name, bytes)
        let linked = linkat(descriptor, fresh, descriptor, name, 0)
        let error = errno
        try remove(fresh)
        guard linked == 0 else {
            throw error == EEXIST
                ? .exists(path: path(of: name)) : .system(error, operation: "make", path: path(of: name))
        }
        try synchronize()
    }

    private func writeBeside(_ name: String, _ bytes: [UInt8]) throws(FileError) -> String {
        let fresh = ".\(name).new"
        let path = path(of: fresh)
        try remove(fresh)  // left behind by a crash
        let file = openFile(fresh, O_WRONLY | O_CREAT | O_EXCL)
        guard file >= 0 else { throw .system(errno, operation: "make", path: path) }
        defer { close(file) }
        do throws(FileError) {
            try writeAll(file, bytes, path: path)
            guard fsync(file) == 0 else { throw .system(errno, operation: "write", path: path) }
        } catch {
            unlinkat(descriptor, fresh, 0)
            throw error
        }
        return fresh
    }

    func rename(_ name: String, to other: String) throws(FileError) {
        guard renameat(descriptor, name, descriptor, other) == 0 else {
            throw .system(errno, operation: "rename to \(other)", path: path(of: name))
        }
    }

    private func remove(_ name: String) throws(FileError) {
        guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else {
            throw .system(errno, operation: "remove", path: path(of: name))
        }
    }

    func synchronize() throws(FileError) {
        guard fsync(descriptor) == 0 else { throw .system(errno, operation: "write", path: path) }
    }
}

func readAll(_ file: Int32, sizeHint: Int, path: String) throws(FileError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(sizeHint + 1)
    while true {
        let count = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { chunk in
            let count = Glibc.read(file, chunk.baseAddress, chunk.count)
            // The buffer may hold a key.
            if count > 0, let start = chunk.baseAddress {
                bytes += UnsafeRawBufferPointer(rebasing: chunk[..<count])
                explicit_bzero(start, count)
            }
            return count
        }
        if count == 0 { return bytes }
        if count < 0 {
            guard errno == EINTR else { throw .system(errno, operation: "read", path: path) }
            continue
        }
        guard bytes.count <= ProtectedDirectory.maximumFileByteCount else {
            throw .tooLarge(bytes.count, path: path)
        }
    }
}

func writeAll(_ file: Int32, _ bytes: [UInt8], path: String) throws(FileError) {
    var written = 0
    while written < bytes.count {
        let count = bytes[written...].withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
        if count < 0 {
            guard errno == EINTR else { throw .system(errno, operation: "write", path: path) }
            continue
        }
        written += count
    }
}

/// Identifies a version of a file: replacing it, changing its content, or changing its mode or owner changes
/// the stamp.
package struct FileStamp: Equatable, Sendable {
    private let numbers: [Int64]

    init(_ status: stat) {
        // Includes ctime, so that a chmod which grants others access is noticed.
        numbers = [
            Int64(truncatingIfNeeded: status.st_dev), Int64(truncatingIfNeeded: status.st_ino),
            Int64(status.st_size),
            Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec), Int64(status.st_ctim.tv_sec),
            Int64(status.st_ctim.tv_nsec),
        ]
    }
}
#endif
