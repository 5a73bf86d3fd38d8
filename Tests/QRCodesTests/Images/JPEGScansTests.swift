import Testing

@testable import QRCodes

@Suite struct JPEGScansTests {
    private static let scan: [UInt8] = [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 1, 0xFF, 0, 2, 0xFF, 0xD0, 3]

    @Test func `only the first scans of a picture are decoded when there are too many for the budget`() {
        let head: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 0, 4, 0xFF, 0xDA]
        let file = head + Array(repeating: Self.scan, count: 400).flatMap { $0 } + [0xFF, 0xD9]
        #expect(JPEGScans.leading(file, pixels: 1_000_000, budget: .unlimited) == file)
        #expect(JPEGScans.leading(file, pixels: 1, budget: WorkBudget(seconds: 60)) == file)
        let cut = JPEGScans.leading(file, pixels: 64_000_000, budget: WorkBudget(seconds: 1))
        #expect(cut == head + Array(repeating: Self.scan, count: 5).flatMap { $0 } + [0xFF, 0xD9])
        #expect(JPEGScans.leading(file, pixels: 64_000_000, budget: WorkBudget(seconds: -1)) == cut)
    }

    @Test func `a budget is spent when its processor time has passed`() {
        #expect(WorkBudget(seconds: 0).isSpent)
        #expect(!WorkBudget.unlimited.isSpent && !WorkBudget(seconds: 60).isSpent)
    }
}
