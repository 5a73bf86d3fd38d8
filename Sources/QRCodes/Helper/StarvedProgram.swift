import Glibc

/// Whether a program that does not answer hangs, or has had no processor: a busy machine may give it a
/// thousandth of one, and then the seconds on a clock say nothing about the picture.
struct StarvedProgram: Equatable, Sendable {
    /// What the kernel tells about a program and those that it has started.
    struct Standing: Equatable, Sendable {
        /// The processor time that they have used, in seconds.
        var used: Double
        /// One of them is ready to run or waits for a disk, or somebody has stopped it.
        var isReady: Bool
    }

    enum Verdict: Equatable, Sendable {
        case waits, starves, hangs
    }

    /// The seconds without an answer after which it is looked at, and then again.
    static let patience = 30.0
    /// A program that a picture has taken over could sleep, and run a little now and then: for that it gets
    /// so many seconds for each second of processor time that it may take.
    private static let most = 1000.0

    /// What it may use, in seconds.
    private let allowed: Double
    private var next: Double
    private var before = 0.0

    init(allowed: Double) {
        self.allowed = allowed
        next = StarvedProgram.patience + 10 * allowed
    }

    /// - Parameter passed: the seconds since it was started.
    mutating func verdict(passed: Double, _ standing: () -> Standing) -> Verdict {
        guard passed >= next else { return .waits }
        let standing = standing()
        guard standing.isReady || standing.used > before,
            passed < StarvedProgram.patience + StarvedProgram.most * allowed
        else { return .hangs }
        before = standing.used
        next = passed + StarvedProgram.patience
        return .starves
    }
}

extension StarvedProgram.Standing {
    init(of process: pid_t) {
        self.init(used: 0, isReady: false)
        for one in [process] + StarvedProgram.Standing.children(of: process) {
            used += WorkBudget.used(by: one)
            // proc(5): the state stands behind the name, which is in brackets.
            let text = StarvedProgram.Standing.text("/proc/\(one)/stat")
            let state = text.lastIndex(of: UInt8(ascii: ")")).map { text[$0...].dropFirst(2).first } ?? nil
            isReady = isReady || state.map { "RDtT".utf8.contains($0) } == true
        }
    }

    private static func children(of process: pid_t) -> [pid_t] {
        String(decoding: text("/proc/\(process)/task/\(process)/children"), as: UTF8.self)
            .split(separator: " ").compactMap { pid_t($0) }
    }

    private static func text(_ path: String) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        return [UInt8](unsafeUninitializedCapacity: 4096) { buffer, used in
            used = max(0, read(file, buffer.baseAddress, buffer.count))
        }
    }
}
