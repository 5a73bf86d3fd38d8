import Glibc
import Pairing

/// Brings files of the household from one directory into another, perhaps another user's: each is read as its
/// owner and written as the new one, so that neither can have root do what they cannot.
enum HouseMove {
    /// Moves files that belong together, unless the last one is there: then none is taken, since a log beside
    /// another database would make a broken one of it.
    static func run(
        _ names: [String], from source: borrowing ProtectedDirectory, to place: borrowing ProtectedDirectory
    ) throws(FileError) {
        guard let main = names.last, try !exists(main, in: place) else { return }
        var isTaken = false
        for name in names {
            guard try !exists(name, in: place), try take(name, from: source, to: place) else { continue }
            isTaken = true
        }
        guard isTaken else { return }
        try synchronize(place)
        // One that was copied is here and there until now.
        for name in names { _ = source.owner.acting { unlink(source.path(of: name)) } }
    }

    private static func exists(
        _ name: String, in place: borrowing ProtectedDirectory
    ) throws(FileError) -> Bool {
        var status = stat()
        let path = place.path(of: name)
        let code: Int32 = place.owner.acting { lstat(path, &status) == 0 ? 0 : errno }
        guard code == 0 || code == ENOENT else { throw .system(code, operation: "look at", path: path) }
        return code == 0
    }

    /// - Returns: false if there is none.
    private static func take(
        _ name: String, from source: borrowing ProtectedDirectory, to place: borrowing ProtectedDirectory
    ) throws(FileError) -> Bool {
        let (old, new) = (source.path(of: name), place.path(of: name))
        if source.owner == place.owner {
            let code: Int32 = source.owner.acting { rename(old, new) == 0 ? 0 : errno }
            guard code == 0 || code == ENOENT else {
                throw .system(code, operation: "rename to \(new)", path: old)
            }
            return code == 0
        }
        let input = source.owner.acting {
            open(old, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        }
        guard input >= 0 else {
            if errno == ENOENT { return false }
            throw .system(errno, operation: "open", path: old)
        }
        defer { close(input) }
        var status = stat()
        guard fstat(input, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .notRegular(path: old)
        }
        let part = new + ".part"
        let output = place.owner.acting {
            open(part, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
        guard output >= 0 else { throw .system(errno, operation: "open", path: part) }
        defer { close(output) }
        let code = copy(input, output)
        guard code == 0 else { throw .system(code, operation: "write", path: part) }
        let renamed: Int32 = place.owner.acting { rename(part, new) == 0 ? 0 : errno }
        guard renamed == 0 else { throw .system(renamed, operation: "rename to \(new)", path: part) }
        return true
    }

    /// Copies all, to the disk; returns 0 or the errno.
    private static func copy(_ input: Int32, _ output: Int32) -> Int32 {
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(input, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count < 0 ? errno : fsync(output) == 0 ? 0 : errno }
            var rest = piece[..<count]
            while !rest.isEmpty {
                let written = rest.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { return errno }
                rest = rest.dropFirst(written)
            }
        }
    }

    private static func synchronize(_ place: borrowing ProtectedDirectory) throws(FileError) {
        let folder = open(place.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .system(errno, operation: "open", path: place.path) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw .system(errno, operation: "write", path: place.path) }
    }
}
