/// Draws the estimated modules of a symbol, and lets libzbar check and correct this clean drawing.
///
/// Known modules are drawn as they should be: the function patterns, and the one of 32 words of format
/// information that fits the estimates best. libzbar corrects the data, and refuses a code with too many
/// errors.
///
/// A code seen in a mirror, or from behind through glass, has rows and columns exchanged. The function
/// patterns are symmetrical; only the format information shows it.
struct GridReading {
    /// Pixels per module in the drawing, and the distance of libzbar's scan lines in it: about four lines
    /// cross the middle of a finder pattern, and libzbar needs three. With 4 and 1 it reads the same drawings
    /// of all versions, in three to six times the time.
    private static let scale = 3
    static let density: Int32 = 2

    /// The minimum match of the format information. If no word matches better, the grid is not on a code.
    private static let leastMatch: Float = 0.45
    /// By how much the mirrored word must match better. Read the wrong way, the 32 words differ from each one
    /// in 3 or 4 of 15 bits: a lead of 0.4 or more, less the effect of noise.
    private static let leastLead: Float = 0.2

    /// The drawings that may be right, the most likely first: the code as it is seen, mirrored, or both.
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

    /// The word of format information that fits both copies best, and its match: 1 is perfect.
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
