import Discovery
import Glibc
import Synchronization
import Testing

/// The network of its own that `samples/with-avahi` makes for these tests, and the strangers on it.
enum Lab {
    /// Whether the tests that need the lab shall run. If they shall and there is no lab, they fail.
    static let isWanted = getenv("HUBPAIR_LAB").map { String(cString: $0) } == "1"

    struct Failure: Error, CustomStringConvertible { let description: String }

    /// Where the lab's own files are. Throws outside of a lab: nothing may be announced on a real network.
    static func directory() throws -> String {
        guard let directory = getenv("HUBPAIR_LAB_DIRECTORY") else {
            throw Failure(description: "no lab here: run samples/with-avahi swift test")
        }
        let strange = Set(LocalNetwork.current().map(\.interface)).subtracting([
            "lo", "lan0", "lan1", "lan2", "lan2-far",
        ])
        guard strange.isEmpty else { throw Failure(description: "this is no lab, it has \(strange)") }
        return String(cString: directory)
    }

    /// Runs a program to its end.
    static func run(_ arguments: [String]) throws {
        let program = try Program(arguments.map { Array($0.utf8) })
        let status = program.wait()
        guard status == 0 else { throw Failure(description: "\(arguments) ended with \(status ?? -1)") }
    }

    /// Kills the avahi-daemon as a crash would, and waits until it is gone.
    static func killDaemon() throws {
        guard let file = fopen("/run/avahi-daemon/pid", "r") else { throw Failure(description: "no daemon") }
        defer { fclose(file) }
        var line = [UInt8](repeating: 0, count: 20)
        let count = fread(&line, 1, line.count, file)
        let text = String(decoding: line.prefix(count).prefix { $0 != 0x0A }, as: UTF8.self)
        guard try !directory().isEmpty, let process = pid_t(text), kill(process, SIGKILL) == 0 else {
            throw Failure(description: "cannot kill \(text)")
        }
        while kill(process, 0) == 0 { usleep(1_000) }
        // Nobody else tidies up after a crash, and the new daemon believes a reused process number.
        unlink("/run/avahi-daemon/pid")
    }

    static func startDaemon() throws {
        try run([
            "avahi-daemon", "-D", "-f", directory() + "/avahi-daemon.conf", "--no-drop-root", "--no-chroot",
            "--no-rlimits", "--no-proc-title",
        ])
    }
}

/// A child process; it ends with this value at the latest.
final class Program: Sendable {
    // Nil once somebody has waited for it: then the number may be another's.
    private let process: Mutex<pid_t?>

    /// Starts a program of the PATH. Arguments are bytes, since TXT values need not be text.
    init(_ arguments: [[UInt8]]) throws {
        _ = try Lab.directory()
        var process = pid_t()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        // The threads of Swift's pool block all signals, and a child inherits that: it would not hear
        // SIGTERM.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let strings: [UnsafeMutablePointer<CChar>?] = arguments.map { bytes in
            strdup(bytes.map(CChar.init(bitPattern:)) + [0])
        }
        defer { for string in strings { free(string) } }
        guard let name = strings.first, let name else { throw Lab.Failure(description: "no program") }
        let status = posix_spawnp(&process, name, &actions, &attributes, strings + [nil], environ)
        guard status == 0 else {
            throw Lab.Failure(description: "\(String(cString: name)): \(String(cString: strerror(status)))")
        }
        self.process = Mutex(process)
    }

    /// A stranger that announces a service until it is stopped.
    static func announcing(
        _ name: String, type: String, port: UInt16 = 8000, options: [String] = [], txt: [[UInt8]] = []
    ) throws -> Program {
        let fixed = ["avahi-publish-service"] + options + [name, type, String(port)]
        return try Program(fixed.map { Array($0.utf8) } + txt)
    }

    deinit { stop() }

    /// Asks the program to end, if it still runs, and waits for it.
    func stop() { end(with: SIGTERM) }

    /// Waits for the program's end: the exit status, 128 and the number for a signal; nil if that is known
    /// already.
    @discardableResult func wait() -> Int32? { end(with: nil) }

    @discardableResult private func end(with signal: Int32?) -> Int32? {
        process.withLock { process in
            guard let number = process.take() else { return nil }
            if let signal { kill(number, signal) }
            var status: Int32 = 0
            while waitpid(number, &status, 0) < 0, errno == EINTR {}
            return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
        }
    }
}

/// All sightings until `done` says that it is enough, or for 200 seconds: then the test that needed
/// more fails by what is missing.
func sightings(
    of type: String, deadline: Duration = .seconds(1), until done: @escaping @Sendable ([Sighting]) -> Bool
) async throws -> [Sighting] {
    try await withThrowingTaskGroup(of: [Sighting]?.self) { group in
        group.addTask {
            var seen: [Sighting] = []
            for try await sighting in HubBrowser(
                serviceType: type, through: .daemon, resolveDeadline: deadline
            ).sightings {
                seen.append(sighting)
                if done(seen) { break }
            }
            return seen
        }
        group.addTask {
            try? await Task.sleep(for: .seconds(200))
            return nil
        }
        defer { group.cancelAll() }
        for try await result in group {
            guard let result else {
                group.cancelAll()
                continue
            }
            return result
        }
        return []
    }
}

extension Sighting {
    var resolved: ResolvedService? {
        if case .found(let service, by: .announced) = self { service } else { nil }
    }

    var isGone: Bool {
        if case .gone(.service) = self { true } else { false }
    }

    var source: SourceProgress? {
        if case .quiet(let source) = self { source } else { nil }
    }

    var isSettled: Bool { source?.hasSettled == true }
}

extension [Sighting] {
    var isSettled: Bool { contains(where: \.isSettled) }

    /// Those whose addresses did not come, each time that one was told.
    var unresolved: [SourceProgress.Unresolved] {
        var told: [SourceProgress.Unresolved] = []
        for case let unresolved? in compactMap(\.source).map(\.unresolved) where told.last != unresolved {
            told.append(unresolved)
        }
        return told
    }

    /// Where the daemon that was lost is back.
    var resumption: Int? {
        firstIndex { $0.source?.interruption != nil }.flatMap { lost in
            self[lost...].firstIndex { $0.source.map { $0.interruption == nil } == true }
        }
    }

    /// The table that these sightings make on this machine.
    var hubs: [DiscoveredHub] {
        var listing = HubListing(networks: LocalNetwork.current())
        for sighting in self { _ = listing.apply(sighting, at: .zero) }
        return listing.hubs
    }
}
