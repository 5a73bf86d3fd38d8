import Foundation
import FuzzTargets
import Glibc
import TestSupport
import Testing

/// Every input that fuzzing starts from, what earlier fuzzing on this machine has kept, and some changes of
/// each. A parser that breaks its word ends the process; the input stays in `.build/fuzz-TARGET-input`.
@Suite struct SeedTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// How often each input is changed: a picture takes as long as a thousand codes.
    private static func changes(of target: String) -> Int { target == "images" ? 3 : 20 }

    @Test(arguments: FuzzTargets.all.keys.sorted())
    func noInputBreaksTheTarget(name: String) throws {
        let target = try #require(FuzzTargets.all[name])
        let folder = URL.temporaryDirectory.appending(path: "hubpair-seeds-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let seeds = try Process.run(
            Self.root.appending(path: "Tests/Fuzz/seeds"), arguments: [name, folder.path])
        seeds.waitUntilExit()
        #expect(seeds.terminationStatus == 0)

        let kept = Self.root.appending(path: ".build/fuzz/corpus/\(name)")
        let inputs = try files(in: folder) + ((try? files(in: kept)) ?? [])
        var random = SplitMix64(seed: 35)
        let noise: [UInt8] = (0..<99).map { _ in .random(in: 0...255, using: &random) }
        let current = Self.root.appending(path: ".build/fuzz-\(name)-input")
        let file = open(current.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { close(file) }
        for bytes in try [[], noise] + inputs.map({ [UInt8](try Data(contentsOf: $0)) }) {
            for number in 0...Self.changes(of: name) {
                let tried = number == 0 ? bytes : changed(bytes, &random)
                // One file for all: to make one for each input took most of the time.
                #expect(pwrite(file, tried, tried.count, 0) == tried.count)
                #expect(ftruncate(file, tried.count) == 0)
                #expect(tried.withUnsafeBufferPointer { target($0.baseAddress, $0.count) } == 0)
            }
        }
        try FileManager.default.removeItem(at: current)
    }

    private func files(in folder: URL) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .sorted { $0.path < $1.path }
    }

    /// One to three bytes flipped, set to a border, left out, doubled, or the end cut off.
    private func changed(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        var bytes = bytes
        for _ in 0...Int.random(in: 0...2, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: bytes.indices, using: &random)
            let few = min(bytes.count - place, Int.random(in: 1...8, using: &random))
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[place] = [0, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
            case 2: bytes.removeSubrange(place..<place + few)
            case 3: bytes.insert(contentsOf: bytes[place..<place + few], at: place)
            default: bytes.removeSubrange(place...)
            }
        }
        return bytes
    }
}
