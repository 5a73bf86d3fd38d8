import Glibc

/// Room that is kept on the disk for what must be written even if the disk is full, like a revocation: two
/// files beside the file `name`, `.name.room-1` and `-2`, whose blocks are allocated (posix_fallocate(3)).
/// They are not given back for the write: a process that fills the disk would take them first. The bytes are
/// written into them, and they take the names. So a write needs no new block, no inode and no quota. What
/// they replace makes room for the next two.
///
/// Not covered: file systems that allocate at every write (Btrfs and ZFS with snapshots, flash below its
/// spare blocks), a file that has grown since the disk is full, and a disk that was full before the first
/// room could be kept.
extension ProtectedDirectory {
    /// Sees to it that there is room for two versions of the file `name`, and some growth. Call it inside
    /// `withLock`.
    ///
    /// - Returns: false if the system gives none.
    @discardableResult
    package func keepRoom(for name: String) -> Bool {
        var status = stat()
        let isThere = fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0
        let size = isThere ? Int(status.st_size) : 0
        let one = keep(size, as: ProtectedDirectory.room(1, for: name))
        let two = keep(size, as: ProtectedDirectory.room(2, for: name))
        return one && two
    }

    /// Nothing can be written here, by any user.
    package var isReadOnly: Bool { faccessat(descriptor, ".", W_OK, 0) != 0 && errno == EROFS }

    /// Whether room was kept for the file `name` before.
    func hasRoom(for name: String) -> Bool {
        faccessat(descriptor, ProtectedDirectory.room(1, for: name), F_OK, AT_SYMLINK_NOFOLLOW) == 0
    }

    /// Writes `bytes`, durably, into the room number `number`.
    ///
    /// - Returns: the file, which is to take its name; nil if there is no such room, or too little.
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

    /// Opens a room for writing; nil if it is anything but a file of ours alone.
    private func openRoom(_ room: String, _ flags: Int32) -> Int32? {
        let file = openat(
            descriptor, room, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | flags, 0o600)
        guard file >= 0 else { return nil }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & ~0o600 == S_IFREG, status.st_nlink == 1,
            status.st_uid == geteuid()
        else {
            close(file)
            return nil
        }
        return file
    }

    private static func room(_ number: Int, for name: String) -> String { ".\(name).room-\(number)" }
}
