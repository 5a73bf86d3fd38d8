import FoundationEssentials
import Glibc
import Testing

@testable import Pairing

/// Root on the files of a service. Nothing here is without root: then the machine of Tests/Package, where the
/// package is tried, is missing too, and says so.
@Suite(.enabled(if: geteuid() == 0)) struct DirectoryOwnerTests {
    private static let service: uid_t = 999

    /// A directory as the service's unit has it.
    private static func scratch(of user: uid_t = service) throws -> Scratch {
        let scratch = try Scratch()
        // The owner must get there, when root opens files as the owner.
        try #require(chown(scratch.path, user, user) == 0)
        return scratch
    }

    private static func owner(_ path: String) -> uid_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_uid : nil
    }

    @Test func whatRootWritesIsTheServices() throws {
        let scratch = try Self.scratch()
        let directory = try ProtectedDirectory(path: scratch.path)
        try directory.withLock { directory in
            try directory.create("key", with: [1])
            try directory.replace("file", with: [1])
            try directory.replace("file", with: [2])
            try directory.replaceBoth("file", with: [3])
            directory.keepRoom(for: "file")
        }
        #expect(try directory.read("file") == [3])
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        #expect(Set(names).isSuperset(of: [".lock", "key", "file", "file.bak", ".file.room-1"]))
        for name in names { #expect(Self.owner("\(scratch.path)/\(name)") == Self.service, "\(name)") }
        // Root is root again.
        let own = try Scratch()
        try own.write("mine", "")
        #expect(Self.owner("\(own.path)/mine") == 0)
    }

    @Test(arguments: [1_000, 65_534, 0xFFFF_FFFE] as [uid_t])
    func aPersonsDirectoryIsNotRoots(user: uid_t) throws {
        let scratch = try Self.scratch(of: user)
        try scratch.write(".lock", "")
        #expect(throws: FileError.otherOwner(user, path: scratch.path)) {
            _ = try ProtectedDirectory(path: scratch.path)
        }
    }

    /// A service that was broken into may plant what it likes: root gets no further there than the service.
    @Test func rootFollowsNothingThatTheServicePlants() throws {
        let secret = try Scratch()
        try secret.write("shadow", "root's")
        let scratch = try Self.scratch()
        let directory = try ProtectedDirectory(path: scratch.path)
        let target = "\(secret.path)/shadow"
        for name in ["file", ".file.new", ".lock", ".file.room-1"] {
            try #require(symlink(target, "\(scratch.path)/\(name)") == 0)
        }
        #expect(throws: FileError.linkedFile(path: "\(scratch.path)/file")) { try directory.read("file") }
        #expect(throws: FileError.self) { try directory.withLock { _ in } }
        try directory.replace("file", with: [1])
        directory.keepRoom(for: "file")
        #expect(secret.text("shadow") == "root's")
        // A hard link to a file of root's is not read, since it is not the service's.
        unlink("\(scratch.path)/file")
        try #require(link(target, "\(scratch.path)/file") == 0)
        #expect(throws: FileError.self) { try directory.read("file") }
        #expect(Self.owner(target) == 0)
    }

    /// What the hint says is run: the file is the service's then, and the service can read it.
    @Test(arguments: [0, 1_000] as [uid_t])
    func aStrayFileGoesToTheDirectorysOwner(stray: uid_t) throws {
        let scratch = try Self.scratch()
        let path = "\(scratch.path)/file"
        try scratch.write("file", "x")
        try #require(chmod(path, 0o600) == 0 && chown(path, stray, stray) == 0)
        let directory = try ProtectedDirectory(path: scratch.path)
        let error = #expect(throws: FileError.strayFile(stray, path: path, owner: Self.service)) {
            try directory.read("file")
        }
        let hint = try #require(error?.hint)
        // This is root already.
        try #require(hint.hasPrefix("sudo chown "))
        #expect(system(String(hint.dropFirst("sudo ".count))) == 0)
        #expect(Self.owner(path) == Self.service)
        #expect(try directory.read("file") == Array("x".utf8))
    }

    /// Root is not told to take a person's files.
    @Test func noHintTakesADirectoryFromAPerson() throws {
        let hint = FileError.otherOwner(1_000, path: "/home/anna/.config/hubpair").hint
        #expect(hint?.contains("chown") == false)
    }
}
