import Glibc
import Testing

@testable import QRCodes

@Suite struct StarvedProgramTests {
    private typealias Standing = StarvedProgram.Standing

    @Test func `nothing is looked at before the time is over`() {
        var program = StarvedProgram(allowed: 1.35)
        for passed in [0, 1, 43.0] {
            let verdict = program.verdict(passed: passed) {
                Issue.record("looked at after \(passed) s")
                return Standing(used: 0, isReady: false)
            }
            #expect(verdict == .waits)
        }
    }

    @Test func `what sleeps and uses nothing hangs`() {
        var program = StarvedProgram(allowed: 1.35)
        #expect(program.verdict(passed: 44) { Standing(used: 0, isReady: false) } == .hangs)
        // It began to work, and stopped.
        program = StarvedProgram(allowed: 1.35)
        #expect(program.verdict(passed: 44) { Standing(used: 0.2, isReady: false) } == .starves)
        #expect(program.verdict(passed: 60) { Standing(used: 0.2, isReady: false) } == .waits)
        #expect(program.verdict(passed: 75) { Standing(used: 0.2, isReady: false) } == .hangs)
    }

    @Test func `three thousandths of a processor are enough`() {
        var program = StarvedProgram(allowed: 1.35)
        // A search of a second takes 333 s.
        for passed in stride(from: 1.0, to: 334, by: 1) {
            let verdict = program.verdict(passed: passed) { Standing(used: passed * 0.003, isReady: false) }
            #expect(verdict != .hangs, "after \(passed) s")
        }
        // One that had no processor at all is ready to run.
        program = StarvedProgram(allowed: 1.35)
        for passed in stride(from: 1.0, to: 334, by: 1) {
            let verdict = program.verdict(passed: passed) { Standing(used: 0, isReady: true) }
            #expect(verdict != .hangs, "after \(passed) s")
        }
    }

    @Test func `one that runs a little now and then ends too`() {
        var program = StarvedProgram(allowed: 1)
        let end = stride(from: 1.0, to: 10_000, by: 1).first { passed in
            program.verdict(passed: passed) { Standing(used: passed * 1e-6, isReady: true) } == .hangs
        }
        #expect(end.map { $0 <= 1060 } == true)
    }

    @Test func `the kernel tells of this process`() {
        #expect(Standing(of: getpid()).used > 0)
        #expect(Standing(of: 1 << 22 + 1) == Standing(used: 0, isReady: false))
    }
}
