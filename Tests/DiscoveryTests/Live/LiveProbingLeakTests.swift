import Crypto
import Glibc
import Testing

@testable import Discovery

/// What this process holds of the system.
enum Held {
    /// The threads of loops.
    static var loops: Int {
        entries(of: "/proc/self/task").count { task in
            guard let file = fopen("/proc/self/task/\(task)/comm", "r") else { return false }
            defer { fclose(file) }
            var name = [UInt8](repeating: 0, count: 16)
            let count = fread(&name, 1, name.count, file)
            return String(decoding: name.prefix(count), as: UTF8.self) == "avahi-loop\n"
        }
    }

    static var descriptors: Int { entries(of: "/proc/self/fd").count }

    private static func entries(of directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafeBytes(of: entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names
    }

    /// Expects that `cycle`, run 1,000 times, leaves no thread and no descriptor behind.
    static func nothingAfter(_ cycle: () async throws -> Void) async throws {
        try await cycle()  // whatever is made once is there now
        try await settle { loops == 0 }
        let before = descriptors
        for _ in 1...1_000 { try await cycle() }
        // A loop's thread ends just after its last user, and its descriptors are closed just after that.
        try await settle { loops == 0 && descriptors <= before }
        #expect(loops == 0)
        #expect(descriptors <= before)
    }

    private static func settle(_ done: () -> Bool) async throws {
        for _ in 0..<20_000 where !done() { try await Task.sleep(for: .milliseconds(10)) }
    }
}

extension LiveBrowsing.Probing {
    @Test func aThousandSearchesLeaveNothing() async throws {
        _ = try Lab.directory()
        var number = 0
        try await Held.nothingAfter {
            number += 1
            let prober = HubProber(hearsNotices: number.isMultiple(of: 2))
            if number.isMultiple(of: 3) {
                // Dropped while it runs.
                let task = Task { for try await _ in prober.replies {} }
                while prober.counts.sent == 0 { try await Task.sleep(for: .milliseconds(1)) }
                task.cancel()
                _ = await task.result
            } else {
                _ = prober.replies.makeAsyncIterator()
            }
        }
    }

    @Test func aThousandRespondersLeaveNothing() async throws {
        _ = try Lab.directory()
        let name = try PeerName("Hub")
        try await Held.nothingAfter {
            let responder = try ProbeResponder(name: name, port: 8000, key: key, probePort: 8_001)
            let events = Events()
            let task = Task { try await responder.run { events.add($0) } }
            while events.all.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
            task.cancel()
            try await task.value
        }
    }
}
