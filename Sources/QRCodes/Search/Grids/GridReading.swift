/// What the modules of a symbol were seen as, drawn clean and given to libzbar, which checks and mends it.
///
/// What is known is drawn as it should be: the function patterns, and the one of the 32 format informations
/// that the estimates fit best. The data are libzbar's to correct; it refuses what it cannot mend.
///
/// A code in a mirror, or seen from behind through glass, is the same with rows for columns. The function patterns
/// are where they were; only the format information tells.
struct GridReading {
    /// Pixels a module of the drawing, and how far apart the lines are that libzbar follows in it: some four of them
    /// cross the middle of a finder pattern, where it asks for three. Of drawings of all versions it reads the same
    /// at 4 and 1, for three to six times the work.
    private static let scale = 3
    static let density: Int32 = 2

    /// How well the estimates must fit a format information; where they fit none, the grid lies on no code.
    private static let leastMatch: Float = 0.45
    /// How much better it must fit in the mirror. Read the wrong way round, the 32 words differ from each of them
    /// in 3 or 4 of 15 bits: a lead of 0.4 or more, less what noise takes.
    private static let leastLead: Float = 0.2

    /// The drawings that may be right, the likeliest first: the code as it is seen, as in a mirror, or both.
    static func pictures(of estimates: [Float], patterns: FunctionPatterns) -> [(
        picture: LuminanceImage, modules: [Bool]
    )] {
        let side = patterns.side
        let mirrored = estimates.indices.map { estimates[$0 % side * side + $0 / side] }
        let (format, match) = format(of: estimates, patterns: patterns)
        let (otherFormat, otherMatch) = self.format(of: mirrored, patterns: patterns)
        let upright =
            match > leastMatch ? picture(of: estimates, format: format, patterns: patterns) : nil
        guard otherMatch > max(match + leastLead, leastMatch) else { return upright.map { [$0] } ?? [] }
        let other = picture(of: mirrored, format: otherFormat, patterns: patterns)
        return [other, upright].compactMap { $0 }
    }

    private static func picture(of estimates: [Float], format: Int, patterns: FunctionPatterns) -> (
        picture: LuminanceImage, modules: [Bool]
    )? {
        let side = patterns.side
        var isLight = patterns.modules.indices.map { index in
            switch patterns.modules[index] {
            case .light: true
            case .dark: false
            case .data, .format: estimates[index] > 0
            }
        }
        for bit in 0..<15 {
            for place in patterns.formatPlaces(bit) {
                isLight[place.y * side + place.x] = format >> bit & 1 == 0
            }
        }
        let framed = side + 2 * QRSymbol.quietZone
        let rows = (0..<framed).map { y in
            (0..<framed).map { x in
                let (column, row) = (x - QRSymbol.quietZone, y - QRSymbol.quietZone)
                guard column >= 0, row >= 0, column < side, row < side else { return true }
                return isLight[row * side + column]
            }
        }
        return LuminanceImage.squares(rows, scale: scale).map { ($0, isLight) }
    }

    /// The format information that both of its copies together fit best, and how well: 1 is perfect.
    private static func format(of estimates: [Float], patterns: FunctionPatterns) -> (
        bits: Int, match: Float
    ) {
        var sums = [Float](repeating: 0, count: 15)
        var total: Float = 0
        for bit in 0..<15 {
            for place in patterns.formatPlaces(bit) {
                let value = max(-1, min(1, estimates[place.y * patterns.side + place.x]))
                sums[bit] += value
                total += abs(value)
            }
        }
        func match(_ format: Int) -> Float {
            sums.indices.reduce(Float(0)) { $0 + (format >> $1 & 1 == 1 ? -sums[$1] : sums[$1]) }
        }
        let best = FunctionPatterns.formats.max { match($0) < match($1) } ?? 0
        return (best, match(best) / max(total, 1e-6))
    }
}
