#if os(Linux) && !HUBPAIR_PORTABLE
import Glibc

/// Reserved disk space for writes that must succeed on a full disk, such as a revocation.
///
/// The room for the file `name` is two files beside it, `.name.room-1` and `-2`, whose blocks are allocated
/// (posix_fallocate(3)). They are not freed for the write, because a process that fills the disk would take
/// the space first. Instead the new content is written into them, and they are renamed. So a write needs no
/// new block, inode or quota. The replaced files make space for the next two.
///
/// Not covered: file systems that allocate on every write (Btrfs and ZFS with snapshots, flash without spare
/// blocks), a file that grew after the disk was full, and a disk that was full before the first room was
/// reserved.
extension ProtectedDirectory {
    /// Reserves room for two versions of the file `name`, with some growth. Call it inside `withLock`.
    ///
    /// - Returns: false if the system grants no space.
    @discardableResult
    package func keepRoom(for name: String) -> Bool {
        var status = stat()
        let isThere = fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0
        let size = isThere ? Int(status.st_size) : 0
        let one = keep(size, as: ProtectedDirectory.room(1, for: name))
        let two = keep(size, as: ProtectedDirectory.room(2, for: name))
        return one && two
    }

    /// True if the file system is read-only.
    package var isReadOnly: Bool { faccessat(descriptor, ".", W_OK, 0) != 0 && errno == EROFS }

    /// True if room was reserved for the file `name` before.
    func hasRoom(for name: String) -> Bool {
        faccessat(descriptor, ProtectedDirectory.room(1, for: name), F_OK, AT_SYMLINK_NOFOLLOW) == 0
    }

    /// Durably writes `bytes` into the room with this number (1 or 2).
    ///
    /// - Returns: the name of the written file, to be renamed; nil if there is no room or not enough.
    func writeIntoRoom(_ number: Int, for name: String, _ bytes: [UInt8]) -> String? {
        let room = ProtectedDirectory.room(number, for: name)
        guard let file = openRoom(room, 0) else { return nil }
        defer { close(file) }
        do {
            try writeAll(file, bytes, path: path(of: room))
        } catch {
            return nil
        }
        guard ftruncate(file, off_t(bytes.count)) == 0, fsync(file) == 0 else { return nil }
        return room
    }

    private func keep(_ size: Int, as room: String) -> Bool {
        guard let file = openRoom(room, O_CREAT) else { return false }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { return false }
        let kept = Int(status.st_blocks) * 512
        if kept >= size + 4096 { return true }
        let block = 4096
        let generous = (size + size / 8 + 3 * block) / block * block
        let scarce = (size + block - 1) / block * block
        return posix_fallocate(file, 0, off_t(generous)) == 0
            || posix_fallocate(file, 0, off_t(max(scarce, block))) == 0
    }

    /// Opens a room for writing; nil unless it is a regular file with one link, owned by this user, mode 0600
    /// at most.
    private func openRoom(_ room: String, _ flags: Int32) -> Int32? {
        let file = openFile(room, O_WRONLY | O_NONBLOCK | flags)
        guard file >= 0 else { return nil }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & ~0o600 == S_IFREG, status.st_nlink == 1,
            status.st_uid == owner.user
        else {
            close(file)
            return nil
        }
        return file
    }

    private static func room(_ number: Int, for name: String) -> String { ".\(name).room-\(number)" }
}
#endif
