/// The error correction of QR codes (ISO/IEC 18004 § 7.5.2): Reed-Solomon over GF(256) with the polynomial
/// x⁸ + x⁴ + x³ + x² + 1, and with α⁰, α¹, … as roots of the generator.
enum ReedSolomon {
    /// αⁿ, twice over, so that a sum of two logarithms needs no modulus; and the logarithms.
    private static let tables: (powers: [UInt8], logarithms: [Int]) = {
        var powers = [UInt8](repeating: 1, count: 512)
        var logarithms = [Int](repeating: 0, count: 256)
        var value = 1
        for power in 0..<255 {
            (powers[power], powers[power + 255]) = (UInt8(value), UInt8(value))
            logarithms[value] = power
            value <<= 1
            if value > 255 { value ^= 0x11D }
        }
        return (powers, logarithms)
    }()

    private static func product(_ a: UInt8, _ b: UInt8) -> UInt8 {
        guard a != 0, b != 0 else { return 0 }
        return tables.powers[tables.logarithms[Int(a)] + tables.logarithms[Int(b)]]
    }

    private static func quotient(_ a: UInt8, _ b: UInt8) -> UInt8 {
        guard a != 0, b != 0 else { return 0 }
        return tables.powers[tables.logarithms[Int(a)] + 255 - tables.logarithms[Int(b)]]
    }

    /// Corrects a block of at most 255 codewords, the last `correction` of which are the correction. False if
    /// it has more than `mostErrors` errors; the block is then as it was.
    static func correct(_ block: inout [UInt8], correction: Int, mostErrors: Int) -> Bool {
        guard correction > 0, block.count > correction, block.count <= 255 else { return false }
        let syndromes = syndromes(of: block, count: correction)
        guard syndromes.contains(where: { $0 != 0 }) else { return true }
        let locator = locator(syndromes)
        let count = locator.count - 1
        guard count > 0, count <= min(mostErrors, correction / 2) else { return false }

        // Forney's algorithm, with the first root α⁰: the value of an error at X is X · Ω(1/X) / Λ'(1/X).
        var evaluator = [UInt8](repeating: 0, count: correction)
        for (i, factor) in locator.enumerated() {
            for j in 0..<correction - i { evaluator[i + j] ^= product(factor, syndromes[j]) }
        }
        var mended = block
        var found = 0
        for place in block.indices {
            let power = block.count - 1 - place
            let x = tables.powers[power % 255]
            let inverse = tables.powers[(255 - power) % 255]
            guard value(of: locator, at: inverse) == 0 else { continue }
            found += 1
            var slope: UInt8 = 0
            var even: UInt8 = 1
            let square = product(inverse, inverse)
            for index in stride(from: 1, to: locator.count, by: 2) {
                slope ^= product(locator[index], even)
                even = product(even, square)
            }
            guard slope != 0 else { return false }
            mended[place] ^= product(x, quotient(value(of: evaluator, at: inverse), slope))
        }
        guard found == count,
            !ReedSolomon.syndromes(of: mended, count: correction).contains(where: { $0 != 0 })
        else { return false }
        block = mended
        return true
    }

    private static func syndromes(of block: [UInt8], count: Int) -> [UInt8] {
        (0..<count).map { index in
            let root = tables.powers[index]
            return block.reduce(0) { product($0, root) ^ $1 }
        }
    }

    private static func value(of polynomial: [UInt8], at x: UInt8) -> UInt8 {
        polynomial.reversed().reduce(0) { product($0, x) ^ $1 }
    }

    /// The error locator, from its constant term 1 on: Berlekamp and Massey's algorithm.
    private static func locator(_ syndromes: [UInt8]) -> [UInt8] {
        var current: [UInt8] = [1]
        var before: [UInt8] = [1]
        var (length, shift): (Int, Int) = (0, 1)
        var lastDiscrepancy: UInt8 = 1
        for step in syndromes.indices {
            var discrepancy: UInt8 = 0
            for index in 0...length where index < current.count {
                discrepancy ^= product(current[index], syndromes[step - index])
            }
            guard discrepancy != 0 else {
                shift += 1
                continue
            }
            let kept = current
            let factor = quotient(discrepancy, lastDiscrepancy)
            if current.count < before.count + shift {
                current += [UInt8](repeating: 0, count: before.count + shift - current.count)
            }
            for (index, value) in before.enumerated() { current[index + shift] ^= product(factor, value) }
            if 2 * length <= step {
                (length, before, lastDiscrepancy, shift) = (step + 1 - length, kept, discrepancy, 1)
            } else {
                shift += 1
            }
        }
        while current.count > 1, current.last == 0 { current.removeLast() }
        return current
    }
}
