/// What the modules of a symbol were seen as, drawn clean and given to libzbar, which checks and mends it.
///
/// What is known is drawn as it should be: the function patterns, and the one of the 32 format informations
/// that the estimates fit best. The data are libzbar's to correct; it refuses what it cannot mend.
struct GridReading {
    /// Pixels a module of the drawing, and how far apart the lines are that libzbar follows in it: some four of them
    /// cross the middle of a finder pattern, where it asks for three. Of drawings of all versions it reads the same
    /// at 4 and 1, for three to six times the work.
    private static let scale = 3
    static let density: Int32 = 2

    /// Nil if the estimates fit no format information well: then the grid does not lie on a code.
    static func picture(of estimates: [Float], patterns: FunctionPatterns) -> (
        picture: LuminanceImage, modules: [Bool]
    )? {
        let side = patterns.side
        guard let format = format(of: estimates, patterns: patterns) else { return nil }
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

    /// The format information that both of its copies together fit best.
    private static func format(of estimates: [Float], patterns: FunctionPatterns) -> Int? {
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
        let best = FunctionPatterns.formats.max { match($0) < match($1) }
        return best.flatMap { match($0) > 0.45 * total ? $0 : nil }
    }
}
