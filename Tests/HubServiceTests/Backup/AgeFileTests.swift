import Backups
import FoundationEssentials
import Testing

@testable import HubService

/// A low work factor: the format is the same, and a debug build is slow.
private let work = 4

@Suite struct AgeFileTests {
    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000])
    func readsWhatItWrites(count: Int) throws {
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let file = try AgeFile.encrypt(content, passphrase: "hunter2", work: work)
        #expect(try AgeFile.decrypt(file, passphrase: "hunter2") == content)
        #expect(throws: BackupError.wrongPassphrase) { try AgeFile.decrypt(file, passphrase: "hunter3") }
    }

    /// Each length of a truncated file, and each bit of the header, the nonce and the tags, and a sample of
    /// the others: nothing is ever read from a file that is not the one that was written.
    @Test func noOtherFileIsRead() throws {
        let content = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 >> 5) }
        let file = try AgeFile.encrypt(content, passphrase: "p", work: 2)
        func isRefused(_ other: [UInt8]) -> Bool { (try? AgeFile.decrypt(other, passphrase: "p")) == nil }
        let payload =
            1 + (try #require(file.indices.dropFirst(100).first { file[$0] == 10 && file[$0 - 44] == 32 }))
        for count in Array(0..<(payload + 64)) + Array(stride(from: payload, to: file.count, by: 997)) {
            #expect(isRefused(Array(file.prefix(count))), "\(count) bytes")
        }
        for bit in Array(0..<((payload + 16) * 8)) + Array(stride(from: 0, to: file.count * 8, by: 4_099)) {
            var other = file
            other[bit / 8] ^= 1 << (bit % 8)
            #expect(isRefused(other), "bit \(bit)")
        }
        #expect(isRefused(file + [0]))
        #expect(isRefused(file + file))
        // Chunks in another order, one twice, one left out.
        let first = Array(file[(payload + 16)..<(payload + 16 + 65_552)])
        let last = Array(file[(payload + 16 + 65_552)...])
        let head = Array(file.prefix(payload + 16))
        for chunks in [last + first, first + first + last, first + last + last, last, first] {
            #expect(isRefused(head + chunks))
        }
    }

    @Test(arguments: [
        ("", BackupError.foreign), ("hello", .foreign), ("age-encryption.org/v2\n-> x\n", .newer),
        ("age-encryption.org/v1\n-> X25519 abc\n", .foreign), ("age-encryption.org/v1\n", .damaged),
        ("-----BEGIN AGE ENCRYPTED FILE-----\n", .foreign),
        ("age-encryption.org/v1\n-> scrypt AAAAAAAAAAAAAAAAAAAAAA 018\n", .damaged),
        ("age-encryption.org/v1\n-> scrypt AAAAAAAAAAAAAAAAAAAAAB 18\n", .damaged),
    ])
    func foreignFiles(text: String, error: BackupError) {
        #expect(throws: error) { try AgeFile.decrypt(Array(text.utf8), passphrase: "p") }
    }

    /// A stranger's file does not decide how much memory is taken.
    @Test(arguments: [21, 30, 63, 64, 99])
    func workIsBounded(work: Int) throws {
        let file = try AgeFile.encrypt([1, 2, 3], passphrase: "p", work: 4)
        let text = String(decoding: file.prefix(60), as: UTF8.self)
        let changed = text.replacing(" 4\n", with: " \(work)\n")
        #expect(changed != text)
        let other = Array(changed.utf8) + file.dropFirst(60)
        #expect(throws: BackupError.tooMuchWork(work)) { try AgeFile.decrypt(other, passphrase: "p") }
    }

    @Test func passphrases() {
        let passphrase = BackupPassphrase.random()
        #expect(passphrase.wholeMatch(of: /[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){5}/) != nil)
        #expect(BackupPassphrase.random() != passphrase)
        let sloppy = passphrase.lowercased().replacing("-", with: " ").replacing("1", with: "l")
        #expect(BackupPassphrase.typed(sloppy) == passphrase)
        #expect(BackupPassphrase.typed("correct horse battery staple") == "correct horse battery staple")
    }
}

@Suite struct TarArchiveTests {
    private let archive = TarArchive(
        [.init(name: "hub", bytes: [1, 2, 3]), .init(name: "approved-devices", bytes: [])],
        modified: Date(timeIntervalSince1970: 1_795_000_000))

    private func read(_ bytes: [UInt8], limit: Int = 100) -> TarArchive? {
        TarArchive(parsing: bytes, names: ["hub", "approved-devices"], limit: { _ in limit })
    }

    @Test func readsWhatItWrites() {
        #expect(read(archive.serialized) == archive)
        #expect(read(archive.serialized, limit: 2) == nil)
    }

    /// Every single bit counts, except those of contents.
    @Test func nothingElseIsRead() {
        let bytes = archive.serialized
        for bit in 0..<(bytes.count * 8) {
            var other = bytes
            other[bit / 8] ^= 1 << (bit % 8)
            let isContent = (512..<515).contains(bit / 8)
            #expect((read(other) == nil) != isContent, "bit \(bit)")
        }
        for count in 0..<bytes.count { #expect(read(Array(bytes.prefix(count))) == nil) }
        #expect(read(bytes + [UInt8](repeating: 0, count: 512)) == nil)
        // A file twice, and one of another name.
        #expect(read(Array(bytes.prefix(1024)) + bytes) == nil)
        #expect(TarArchive(parsing: bytes, names: ["hub"], limit: { _ in 100 }) == nil)
    }
}
