import FoundationEssentials
import Glibc
import Testing

@testable import Pairing

/// What promises to be overwritten is nowhere in the process's memory afterwards.
///
/// Not under a sanitizer: its stacks of former frames hold copies, and its shadow has terabytes to search.
@Suite(.serialized, .disabled(if: ProcessInfo.processInfo.environment["HUBPAIR_SANITIZE"] != nil))
struct SecretMemoryTests {
    /// What is looked for, kept so that it is not found where it is kept.
    private struct Needle {
        private let masked: [UInt8]

        /// The last 12 bytes: over the first 16 malloc(3) writes its own when they are freed.
        init(_ bytes: UnsafeRawBufferPointer) { masked = bytes.suffix(12).map { $0 ^ 0xA5 } }

        /// In how many places of the memory that can be written it stands.
        ///
        /// Other tests run beside this one: they give memory back while it is read, and the kernel hands the
        /// same place out again. So the copy to search is made before the map is read, and is left out.
        func count() throws -> Int {
            let size = 1 << 20
            let piece = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            try #require(piece != MAP_FAILED)
            let copy = UnsafeMutableRawBufferPointer(start: piece, count: size)
            defer { munmap(piece, size) }
            let own = UInt(bitPattern: piece)
            let maps = try Self.maps()
            let memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
            try #require(memory >= 0)
            defer { close(memory) }
            var found = 0
            for line in String(decoding: maps, as: UTF8.self).split(separator: "\n") {
                let words = line.split(separator: " ")
                let ends = words[0].split(separator: "-").compactMap { UInt(String($0), radix: 16) }
                guard words[1].hasPrefix("rw"), ends.count == 2, words.last != "[vvar]" else { continue }
                let (start, end) = (ends[0], ends[1])
                found += scan(memory, from: start, to: min(end, max(start, own)), into: copy)
                let behind = max(start, min(end, own + UInt(size)))
                found += scan(memory, from: behind, to: end, into: copy)
            }
            return found
        }

        /// All of the map: the kernel gives a page at a time, and Foundation takes that for the whole file.
        private static func maps() throws -> [UInt8] {
            let file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)
            try #require(file >= 0)
            defer { close(file) }
            var (all, piece) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
            while case let count = read(file, &piece, piece.count), count > 0 { all += piece.prefix(count) }
            return all
        }

        /// In pieces that overlap. A page that is no longer there is passed over, not taken for the end.
        private func scan(
            _ memory: Int32, from start: UInt, to end: UInt, into copy: UnsafeMutableRawBufferPointer
        ) -> Int {
            guard let piece = copy.baseAddress else { return 0 }
            var found = 0
            var at = start
            while at < end {
                let wanted = min(copy.count, Int(end - at))
                let count = pread(memory, piece, wanted, off_t(at))
                guard count >= masked.count else {
                    at = (at + 4096) & ~4095
                    continue
                }
                var offset = 0
                while offset <= count - masked.count,
                    let next = memchr(piece + offset, Int32(masked[0] ^ 0xA5), count - offset)
                {
                    offset = UnsafeRawPointer(next) - UnsafeRawPointer(piece)
                    guard offset <= count - masked.count else { break }
                    let isHere = masked.indices.allSatisfy { copy[offset + $0] ^ 0xA5 == masked[$0] }
                    if isHere { found += 1 }
                    offset += 1
                }
                at += UInt(at + UInt(count) < end ? count - masked.count + 1 : count)
            }
            return found
        }
    }

    private final class Work {
        let body: (inout [Needle]) -> Void
        var needles: [Needle] = []
        init(_ body: @escaping (inout [Needle]) -> Void) { self.body = body }
    }

    /// Everything is done on a thread of its own, whose stack goes with it: nobody promises what frames that
    /// have ended leave there, and what ran before decides which of it is written over.
    ///
    /// Its heap is full of holes, as that of a process that has run for long: what is freed is not what the
    /// next allocation gets. With glibc's cache for a thread it mostly is; Tests/run also runs it without.
    private func use(_ body: @escaping (inout [Needle]) -> Void) throws -> [Needle] {
        let size = 1 << 20
        let new = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        let stack = try #require(new == MAP_FAILED ? nil : new)
        defer { munmap(stack, size) }
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstack(&attributes, stack, size)
        let work = Work(body)
        var thread = pthread_t()
        let fault = pthread_create(
            &thread, &attributes,
            { pointer in
                guard let pointer else { return nil }
                let work = Unmanaged<Work>.fromOpaque(pointer).takeUnretainedValue()
                var held = (0..<3_000).map { _ in malloc(.random(in: 90...300)) }.shuffled()
                for _ in 0..<1_500 { free(held.removeLast()) }
                work.body(&work.needles)
                for piece in held { free(piece) }
                return nil
            }, Unmanaged.passUnretained(work).toOpaque())
        try #require(fault == 0)
        pthread_join(thread, nil)
        return work.needles
    }

    @Test func bytesAreOverwritten() throws {
        var bytes: SecretBytes? = SecretBytes(count: 32) { buffer in
            for index in buffer.indices { buffer[index] = UInt8.random(in: 0...255) }
        }
        let needle = try #require(bytes?.withUnsafeBytes { Needle($0) })
        #expect(try needle.count() >= 1)  // the search finds what is there
        bytes = nil
        #expect(try needle.count() == 0)
    }

    @Test func aSecretAndItsProofKey() throws {
        for _ in 0..<3 {
            let needles = try use { needles in
                let secret = TicketSecret.random()
                secret.withUnsafeBytes { needles.append(Needle($0)) }
                let key = secret.proofKey
                key.withUnsafeBytes { needles.append(Needle($0)) }
                _ = secret.ticketID
            }
            #expect(try needles.map { try $0.count() } == [0, 0])
        }
    }

    @Test func aKeyThatIsReadFromItsFile() throws {
        let scratch = try Scratch()
        let directory = try ProtectedDirectory(path: scratch.path)
        // Made outside: what writes it here would leave a copy.
        #expect(
            system("head -c 3000 /dev/urandom >'\(scratch.path)/key'; chmod 600 '\(scratch.path)/key'") == 0)
        var bytes = try #require(try directory.read("key"))
        let needle = bytes.withUnsafeBytes { Needle($0) }
        #expect(try needle.count() == 1)
        bytes.overwrite()
        #expect(try needle.count() == 0 && bytes.isEmpty)
    }
}
