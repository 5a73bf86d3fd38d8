/// How the codewords of a QR code are divided into blocks of data and error correction: ISO/IEC 18004
/// § 7.5.1, table 9.
struct SymbolCapacity: Equatable {
    /// The two bits of the format information, in the order of the tables below: L, M, Q, H.
    private static let levels = [0b01, 0b00, 0b11, 0b10]

    /// All codewords of the symbol.
    let codewords: Int
    /// How many blocks there are. The last ones may have one data codeword more than the first ones.
    let blocks: Int
    /// The codewords of error correction in each block.
    let correction: Int
    /// How many wrong codewords a block may have. In the smallest symbols fewer than the correction could
    /// mend: the rest detects misreadings (table 9, note b).
    let mostErrors: Int

    /// For 1 to 40, and the level as the format information has it, 0 to 3; nil for others.
    init?(version: Int, level: Int) {
        guard (1...40).contains(version), let row = SymbolCapacity.levels.firstIndex(of: level) else {
            return nil
        }
        correction = Int(SymbolCapacity.corrections[row][version - 1])
        blocks = Int(SymbolCapacity.blockCounts[row][version - 1])
        // All modules without the function patterns and the format and version information.
        var modules = (16 * version + 128) * version + 64
        if version >= 2 {
            let alignments = version / 7 + 2
            modules -= (25 * alignments - 10) * alignments - 55
            if version >= 7 { modules -= 36 }
        }
        codewords = modules / 8
        mostErrors =
            switch (version, row) {
            case (1, _): 2 * (row + 1)
            case (2, 0): 4
            default: correction / 2
            }
    }

    /// The data codewords of a block.
    func dataCount(ofBlock index: Int) -> Int {
        let all = codewords - blocks * correction
        return all / blocks + (index >= blocks - all % blocks ? 1 : 0)
    }

    private static let corrections: [[UInt8]] = [
        [
            7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28,
            28, 28, 30, 30, 26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
        ],
        [
            10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26,
            26, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
        ],
        [
            13, 22, 18, 26, 18, 24, 18, 22, 20, 24, 28, 26, 24, 20, 30, 24, 28, 28, 26, 30,
            28, 30, 30, 30, 30, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
        ],
        [
            17, 28, 22, 16, 22, 28, 26, 26, 24, 28, 24, 28, 22, 24, 24, 30, 28, 28, 26, 28,
            30, 24, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
        ],
    ]

    private static let blockCounts: [[UInt8]] = [
        [
            1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8,
            8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22, 24, 25,
        ],
        [
            1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16,
            17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49,
        ],
        [
            1, 1, 2, 2, 4, 4, 6, 6, 8, 8, 8, 10, 12, 16, 12, 17, 16, 18, 21, 20,
            23, 23, 25, 27, 29, 34, 34, 35, 38, 40, 43, 45, 48, 51, 53, 56, 59, 62, 65, 68,
        ],
        [
            1, 1, 2, 4, 4, 4, 5, 6, 8, 8, 11, 11, 16, 16, 18, 16, 19, 21, 25, 25,
            25, 34, 30, 32, 35, 37, 40, 42, 45, 48, 51, 54, 57, 60, 63, 66, 70, 74, 77, 81,
        ],
    ]
}
