/// Reads the data out of a symbol's modules: the mask, the order of the modules, the blocks and their error
/// correction (ISO/IEC 18004 § 7.3 to § 7.8, backwards).
enum SymbolMatrix {
    /// The data codewords; nil if a block has too many errors.
    ///
    /// - Parameters:
    ///   - isLight: Every module, row by row.
    ///   - format: The 15 bits of the format information as they are drawn, masked.
    ///   - corrects: False if one error is too many.
    static func data(
        of isLight: [Bool], format: Int, patterns: FunctionPatterns, corrects: Bool = true
    ) -> [UInt8]? {
        let bits = (format ^ 0x5412) >> 10
        guard isLight.count == patterns.modules.count,
            let capacity = SymbolCapacity(version: patterns.version, level: bits >> 3 & 3)
        else { return nil }
        let codewords = codewords(isLight, mask: bits & 7, patterns, count: capacity.codewords)
        guard codewords.count == capacity.codewords else { return nil }
        let sizes = (0..<capacity.blocks).map { capacity.dataCount(ofBlock: $0) }
        var blocks: [[UInt8]] = sizes.map { size in
            var block: [UInt8] = []
            block.reserveCapacity(size + capacity.correction)
            return block
        }
        var next = 0
        for place in 0..<(sizes.max() ?? 0) {
            for block in blocks.indices where place < sizes[block] {
                blocks[block].append(codewords[next])
                next += 1
            }
        }
        for _ in 0..<capacity.correction {
            for block in blocks.indices {
                blocks[block].append(codewords[next])
                next += 1
            }
        }
        var data: [UInt8] = []
        data.reserveCapacity(sizes.reduce(0, +))
        for index in blocks.indices {
            guard
                ReedSolomon.correct(
                    &blocks[index], correction: capacity.correction,
                    mostErrors: corrects ? capacity.mostErrors : 0)
            else { return nil }
            data += blocks[index].prefix(sizes[index])
        }
        return data
    }

    /// Two columns at a time from the right, up and down in turn, without the column of the timing pattern.
    private static func codewords(
        _ isLight: [Bool], mask: Int, _ patterns: FunctionPatterns, count: Int
    ) -> [UInt8] {
        let side = patterns.side
        var codewords: [UInt8] = []
        codewords.reserveCapacity(count)
        var (word, bits): (UInt8, Int) = (0, 0)
        var isUpwards = true
        // The version information is no data, and is not a known module: it may be damaged.
        for right in stride(from: side - 1, through: 1, by: -2).map({ $0 > 6 ? $0 : $0 - 1 }) {
            for step in 0..<side {
                let y = isUpwards ? side - 1 - step : step
                for x in [right, right - 1] where patterns[x, y] == .data {
                    let isDark = !isLight[y * side + x]
                    word = word << 1 | (isDark != isMasked(x, y, mask) ? 1 : 0)
                    bits += 1
                    if bits == 8, codewords.count < count {
                        codewords.append(word)
                        (word, bits) = (0, 0)
                    }
                }
            }
            isUpwards.toggle()
        }
        return codewords
    }

    /// True if a mask inverts this module (§ 7.8.2, table 10).
    private static func isMasked(_ x: Int, _ y: Int, _ mask: Int) -> Bool {
        switch mask {
        case 0: (x + y) % 2 == 0
        case 1: y % 2 == 0
        case 2: x % 3 == 0
        case 3: (x + y) % 3 == 0
        case 4: (x / 3 + y / 2) % 2 == 0
        case 5: x * y % 2 + x * y % 3 == 0
        case 6: (x * y % 2 + x * y % 3) % 2 == 0
        default: ((x + y) % 2 + x * y % 3) % 2 == 0
        }
    }
}
