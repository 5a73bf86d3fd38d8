import CGlibc

/// File systems for which the kernel tells every change (statfs(2), `linux/magic.h`): those of one host's
/// disks and memory. On others, NFS, SMB, Ceph, FUSE, an overlay, a file may change without an event.
enum LocalFileSystem {
    private static let types: Set<UInt32> = [
        0xEF53,  // ext2, ext3, ext4
        0x5846_5342,  // XFS
        0x9123_683E,  // Btrfs
        0xF2F5_2010,  // F2FS
        0xCA45_1A4E,  // bcachefs
        0x2FC1_2FC1,  // ZFS
        0x3153_464A,  // JFS
        0x5265_4973,  // ReiserFS
        0x2405_1905,  // UBIFS
        0x0102_1994,  // tmpfs
        0x8584_58F6,  // ramfs
    ]

    /// Whether the directory at `path` is on one; nil if the system does not say.
    static func holds(_ path: String) -> Bool? {
        var status = statfs()
        guard statfs(path, &status) == 0 else { return nil }
        return types.contains(UInt32(truncatingIfNeeded: status.f_type))
    }
}
