import Glibc
import Identity

/// Whether what is written goes to the journal: `$JOURNAL_STREAM` is the device and inode number of the service
/// manager's stream, `DEVICE:INODE` in decimal (systemd.exec(5)). It is inherited by whoever the service starts,
/// whose output may go elsewhere.
package enum JournalStream {
    /// True if `descriptor` is the stream that `variable`, the value of `$JOURNAL_STREAM`, names.
    package static func isOpen(as descriptor: Int32, variable: String?) -> Bool {
        guard let parts = variable?.split(separator: ":", omittingEmptySubsequences: false), parts.count == 2,
            let device = UInt64(digits: parts[0]), let inode = UInt64(digits: parts[1])
        else { return false }
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_dev == device && status.st_ino == inode
    }
}
