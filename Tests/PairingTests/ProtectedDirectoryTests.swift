import FoundationEssentials
import Glibc
import Testing

@testable import Pairing

/// A directory of the test's own, gone when the test ends.
final class Scratch {
    let path: String

    init() throws {
        var template = Array(
            "\(FileManager.default.temporaryDirectory.path())hubpair-test-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? ""
        }
        try #require(path != "")
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ name: String, _ text: String, mode: mode_t = 0o600) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
        #expect(chmod("\(path)/\(name)", mode) == 0)
    }

    func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: "\(path)/\(name)").map { String(decoding: $0, as: UTF8.self) }
    }

    func mode(_ name: String) -> mode_t {
        var status = stat()
        return lstat("\(path)/\(name)", &status) == 0 ? status.st_mode & 0o7777 : 0
    }
}

@Suite struct ProtectedDirectoryTests {
    @Test func writingKeepsTheVersionBefore() throws {
        let scratch = try Scratch()
        let directory = try ProtectedDirectory(path: scratch.path)
        #expect(try directory.read("file") == nil)
        try directory.replace("file", with: Array("one".utf8))
        #expect(scratch.text("file.bak") == nil)
        try directory.replace("file", with: Array("two".utf8))
        try directory.replace("file", with: Array("three".utf8))
        #expect(try directory.read("file") == Array("three".utf8))
        #expect(scratch.text("file.bak") == "two")
        #expect(scratch.mode("file") == 0o600 && scratch.mode("file.bak") == 0o600)
        #expect(
            try Set(FileManager.default.contentsOfDirectory(atPath: scratch.path)) == ["file", "file.bak"])
    }

    @Test func theVersionBeforeCanBeReplacedToo() throws {
        let scratch = try Scratch()
        let directory = try ProtectedDirectory(path: scratch.path)
        try scratch.write(".file.bak.new", "half")
        try directory.replaceBoth("file", with: Array("one".utf8))
        #expect(scratch.text("file") == "one" && scratch.text("file.bak") == "one")
        try directory.replace("file", with: Array("two".utf8))
        try directory.replaceBoth("file", with: Array("three".utf8))
        #expect(scratch.text("file") == "three" && scratch.text("file.bak") == "three")
        // Two files: what tears one leaves the other.
        #expect(truncate("\(scratch.path)/file", 1) == 0)
        #expect(scratch.text("file.bak") == "three" && scratch.mode("file.bak") == 0o600)
        #expect(
            try Set(FileManager.default.contentsOfDirectory(atPath: scratch.path))
                == ["file", "file.bak", ".file.room-1", ".file.room-2"])
    }

    /// What a full disk leads to is in Tests/CLI/general/disk-full.txt.
    @Test func roomIsKeptForTwoVersions() throws {
        let scratch = try Scratch()
        let directory = try ProtectedDirectory(path: scratch.path)
        let (before, isKept) = (directory.hasRoom(for: "file"), directory.keepRoom(for: "file"))
        #expect(!before && isKept)
        try directory.replace("file", with: [UInt8](repeating: 0x61, count: 100_000))
        for number in 1...2 {
            var status = stat()
            #expect(lstat("\(scratch.path)/.file.room-\(number)", &status) == 0)
            #expect(status.st_blocks * 512 >= 100_000 && status.st_mode & 0o7777 == 0o600)
            let room = directory.writeIntoRoom(number, for: "file", Array("new".utf8))
            #expect(room == ".file.room-\(number)")
            #expect(scratch.text(".file.room-\(number)") == "new")
        }
        let isKeptAgain = directory.keepRoom(for: "file")
        #expect(isKeptAgain)
    }

    @Test func theRoomIsAFileOfOursAlone() throws {
        let scratch = try Scratch()
        let directory = try ProtectedDirectory(path: scratch.path)
        try scratch.write("precious", "precious")
        let room = "\(scratch.path)/.file.room-1"
        let obstacles: [() -> Void] = [
            { symlink("precious", room) },
            { link("\(scratch.path)/precious", room) },
            { mkfifo(room, 0o600) },
            { mkdir(room, 0o700) },
            {
                close(open(room, O_CREAT | O_WRONLY, 0o600))
                chmod(room, 0o644)
            },
        ]
        for (number, obstacle) in obstacles.enumerated() {
            obstacle()
            let isKept = directory.keepRoom(for: "file")
            let file = directory.writeIntoRoom(1, for: "file", Array("new".utf8))
            #expect(!isKept && file == nil, "obstacle \(number)")
            try directory.replaceBoth("file", with: Array("one".utf8))
            #expect(remove(room) == 0)
        }
        #expect(scratch.text("precious") == "precious")
    }

    @Test func whatACrashLeftBehindIsInNobodysWay() throws {
        let scratch = try Scratch()
        try scratch.write(".file.new", "half")
        try scratch.write(".file.old", "older")
        try scratch.write("file", "one")
        let directory = try ProtectedDirectory(path: scratch.path)
        try directory.replace("file", with: Array("two".utf8))
        #expect(scratch.text("file") == "two" && scratch.text("file.bak") == "one")
        #expect(scratch.text(".file.new") == nil && scratch.text(".file.old") == nil)
    }

    @Test func aMissingFileIsNotReplacedByItsBackup() throws {
        let scratch = try Scratch()
        try scratch.write("file.bak", "old")
        #expect(try ProtectedDirectory(path: scratch.path).read("file") == nil)
    }

    @Test func whatIsMadeOnceIsNeverReplaced() throws {
        let scratch = try Scratch()
        let directory = try ProtectedDirectory(path: scratch.path)
        try directory.create("key", with: Array("one".utf8))
        #expect(throws: FileError.exists(path: "\(scratch.path)/key")) {
            try directory.create("key", with: Array("two".utf8))
        }
        #expect(scratch.text("key") == "one" && scratch.text(".key.new") == nil)
    }

    @Test(arguments: [0o640, 0o604, 0o644, 0o666, 0o700, 0o4600] as [mode_t])
    func aFileThatOthersMayReachIsRefused(mode: mode_t) throws {
        let scratch = try Scratch()
        try scratch.write("file", "x", mode: mode)
        let error = FileError.tooOpen(mode: mode, allowed: 0o600, path: "\(scratch.path)/file")
        #expect(throws: error) { try ProtectedDirectory(path: scratch.path).read("file") }
        #expect(error.recoverySuggestion == "chmod 0600 \(scratch.path)/file")
    }

    @Test(arguments: [0o750, 0o701, 0o755, 0o777] as [mode_t])
    func aDirectoryThatOthersMayReachIsRefused(mode: mode_t) throws {
        let scratch = try Scratch()
        try scratch.write("tickets", "x")
        #expect(chmod(scratch.path, mode) == 0)
        let error = FileError.tooOpen(mode: mode, allowed: 0o700, path: scratch.path)
        #expect(throws: error) { _ = try ProtectedDirectory(path: scratch.path) }
        #expect(error.recoverySuggestion == "chmod 0700 \(scratch.path)")
    }

    @Test(arguments: ["/etc", "/tmp", "/"])
    func nobodyIsToldToCloseADirectoryOfOthers(path: String) {
        #expect(throws: FileError.notPrivate(path: path)) { _ = try ProtectedDirectory(path: path) }
    }

    @Test func aDirectoryBelowASetgidOneIsOurs() throws {
        let scratch = try Scratch()
        #expect(chmod(scratch.path, 0o2700) == 0)
        _ = try ProtectedDirectory(path: "\(scratch.path)/a", create: true)
        #expect(scratch.mode("a") == 0o2700)
        #expect(throws: FileError.notDirectory(path: "/dev/null")) {
            _ = try ProtectedDirectory(path: "/dev/null")
        }
    }

    @Test func anothersFilesAreRefused() throws {
        if geteuid() == 0 {
            let scratch = try Scratch()
            try scratch.write("file", "x")
            #expect(chown("\(scratch.path)/file", 12_345, 12_345) == 0)
            #expect(throws: FileError.strayFile(12_345, path: "\(scratch.path)/file", owner: 0)) {
                try ProtectedDirectory(path: scratch.path).read("file")
            }
        } else {
            #expect(throws: FileError.notPrivate(path: "/")) { _ = try ProtectedDirectory(path: "/") }
        }
    }

    @Test func linksAndSpecialFilesAreRefused() throws {
        let scratch = try Scratch()
        try scratch.write("target", "x")
        #expect(symlink("target", "\(scratch.path)/link") == 0)
        #expect(mkfifo("\(scratch.path)/fifo", 0o600) == 0)
        #expect(mkdir("\(scratch.path)/directory", 0o700) == 0)
        #expect(symlink("directory", "\(scratch.path)/directory-link") == 0)
        let directory = try ProtectedDirectory(path: scratch.path)
        #expect(throws: FileError.linkedFile(path: "\(scratch.path)/link")) { try directory.read("link") }
        #expect(throws: FileError.notRegular(path: "\(scratch.path)/fifo")) { try directory.read("fifo") }
        #expect(throws: FileError.notRegular(path: "\(scratch.path)/directory")) {
            try directory.read("directory")
        }
        #expect(throws: FileError.symbolicLink(path: "\(scratch.path)/directory-link")) {
            _ = try ProtectedDirectory(path: "\(scratch.path)/directory-link")
        }
        #expect(throws: FileError.missing(path: "\(scratch.path)/none")) {
            _ = try ProtectedDirectory(path: "\(scratch.path)/none")
        }
    }

    @Test func theHintPutsTheFileInTheLinksPlace() throws {
        let scratch = try Scratch()
        try scratch.write("tar'get", "x")
        for link in ["link", "it's"] {
            #expect(
                symlink(
                    "../\(scratch.path.split(separator: "/").last ?? "")/tar'get", "\(scratch.path)/\(link)")
                    == 0)
            let directory = try ProtectedDirectory(path: scratch.path)
            do {
                _ = try directory.read(link)
                Issue.record("read through a link")
            } catch {
                let hint = try #require(error.recoverySuggestion)
                let command = hint[(try #require(hint.firstRange(of: ": "))).upperBound...]
                #expect(system(String(command)) == 0)
            }
            #expect(try directory.read(link) == Array("x".utf8))
        }
    }

    @Test func aLockThatIsALinkIsMovedAway() throws {
        let scratch = try Scratch()
        #expect(symlink("elsewhere", "\(scratch.path)/.lock") == 0)
        let error = FileError.notRegular(path: "\(scratch.path)/.lock")
        #expect(throws: error) { try ProtectedDirectory(path: scratch.path).withLock { _ in } }
        #expect(error.recoverySuggestion?.contains("mv \(scratch.path)/.lock ") == true)
        #expect(scratch.text("elsewhere") == nil)
    }

    @Test func aHugeFileIsRefusedUnread() throws {
        let scratch = try Scratch()
        try scratch.write("file", "")
        #expect(truncate("\(scratch.path)/file", 1 << 40) == 0)
        #expect(throws: FileError.tooLarge(1 << 40, path: "\(scratch.path)/file")) {
            try ProtectedDirectory(path: scratch.path).read("file")
        }
    }

    @Test func makesItselfAndItsParentsPrivate() throws {
        let scratch = try Scratch()
        _ = try ProtectedDirectory(path: "\(scratch.path)/a/b", create: true)
        _ = try ProtectedDirectory(path: "\(scratch.path)/a/b", create: true)
        #expect(scratch.mode("a") == 0o700 && scratch.mode("a/b") == 0o700)
    }

    @Test func theLockMakesReadAndWriteOneStep() async throws {
        let scratch = try Scratch()
        let path = scratch.path
        try scratch.write("count", "0")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<25 {
                        try ProtectedDirectory(path: path).withLock { directory in
                            let bytes = try #require(try directory.read("count"))
                            let count = try #require(Int(String(decoding: bytes, as: UTF8.self)))
                            try directory.replace("count", with: Array("\(count + 1)".utf8))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(scratch.text("count") == "100")
    }

    @Test(arguments: [
        ("/plain/path-1.x", "/plain/path-1.x"), ("", "''"), ("a b", "'a b'"), ("it's", #"'it'\''s'"#),
        ("$x", "'$x'"),
        ("-x", "./-x"), ("a'\u{301}b", "'a'\\''\u{301}b'"),
    ])
    func quotesForTheShell(path: String, word: String) { #expect(shellQuoted(path) == word) }
}
