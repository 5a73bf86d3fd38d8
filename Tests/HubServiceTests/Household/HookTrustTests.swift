import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import HubService

/// Whom a hook has to be safe from: generated ways to a program, held against a model that knows how each was
/// made.
@Suite struct HookTrustTests {
    private static let modes: [mode_t] = [
        0o755, 0o755, 0o755, 0o755, 0o700, 0o711, 0o775, 0o757, 0o777, 0o1777, 0o1775, 0o2755,
    ]

    /// Root can give files away; without it every file is this user's.
    private static let users: [uid_t] = geteuid() == 0 ? [0, 0, 0, 0, 0, 0, 4711, 65_534] : [geteuid()]

    @Test func onlyWhatNobodyElseCanChange() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix64(seed: seed)
        var template = Array("/tmp/hubpair-hook-XXXXXX".utf8CString)
        let root = try #require(mkdtemp(&template).map { String(cString: $0) })
        defer { try? FileManager.default.removeItem(atPath: root) }
        var counts = [true: 0, false: 0]
        for round in 0..<400 {
            let owner = HookTrustTests.users.randomElement(using: &random) ?? 0
            var path = "\(root)/\(round)"
            #expect(mkdir(path, 0o755) == 0)
            var isSafe = true
            for step in 0..<Int.random(in: 0...3, using: &random) {
                let user = HookTrustTests.users.randomElement(using: &random) ?? 0
                let next = "\(path)/d\(step)"
                isSafe = isSafe && (user == 0 || user == owner)
                if Int.random(in: 0...3, using: &random) == 0 {
                    // A link, and the directory that it leads to beside it.
                    let target = "t\(step)"
                    #expect(mkdir("\(path)/\(target)", 0o755) == 0)
                    let way = Bool.random(using: &random) ? path : "./../\(name(of: path))"
                    #expect(symlink("\(way)/\(target)", next) == 0)
                    #expect(lchown(next, user, 0) == 0)
                } else {
                    let mode = HookTrustTests.modes.randomElement(using: &random) ?? 0
                    #expect(mkdir(next, 0o755) == 0)
                    #expect(lchown(next, user, 0) == 0 && chmod(next, mode) == 0)
                    isSafe = isSafe && (mode & 0o022 == 0 || mode & 0o1000 != 0)
                }
                path = next
            }
            let program = "\(path)/hook"
            let user = HookTrustTests.users.randomElement(using: &random) ?? 0
            let mode = HookTrustTests.modes.randomElement(using: &random) ?? 0
            let file = open(program, O_CREAT | O_WRONLY, 0o700)
            #expect(file >= 0 && fchown(file, user, 0) == 0 && fchmod(file, mode) == 0)
            close(file)
            isSafe = isSafe && (user == 0 || user == owner) && mode & 0o022 == 0
            counts[isSafe, default: 0] += 1
            var fault: HookError?
            do throws(HookError) { try HookTrust.check(program, user: owner) } catch { fault = error }
            #expect((fault == nil) == isSafe, "\(program), user \(owner): \(fault as Any), seed \(seed)")
            if case .system? = fault { Issue.record("\(program): \(fault as Any), seed \(seed)") }
        }
        #expect(counts.values.allSatisfy { $0 > 20 }, "\(counts)")
    }

    private func name(of path: String) -> Substring { path.split(separator: "/").last ?? "" }

    @Test func linksInACircleEnd() throws {
        var template = Array("/tmp/hubpair-hook-XXXXXX".utf8CString)
        let root = try #require(mkdtemp(&template).map { String(cString: $0) })
        defer { try? FileManager.default.removeItem(atPath: root) }
        #expect(symlink("b", "\(root)/a") == 0 && symlink("a", "\(root)/b") == 0)
        #expect(throws: HookError.self) { try HookTrust.check("\(root)/a", user: geteuid()) }
        #expect(throws: HookError.system(ENOENT, path: "\(root)/none")) {
            try HookTrust.check("\(root)/none", user: geteuid())
        }
    }
}
