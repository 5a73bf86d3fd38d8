/// Reads the estimated modules of a symbol.
///
/// Known modules are taken as they should be: the function patterns, and the one of 32 words of format
/// information that fits the estimates best. The error correction mends the data, and refuses a code with too
/// many errors. What only libzbar reads, like a part of a structured append, is drawn clean for it.
///
/// A code seen in a mirror, or from behind through glass, has rows and columns exchanged. The function
/// patterns are symmetrical; only the format information shows it.
struct GridReading: Equatable {
    /// Pixels per module in the drawing, and the distance of libzbar's scan lines in it: about four lines
    /// cross the middle of a finder pattern, and libzbar needs three. With 4 and 1 it reads the same drawings
    /// of all versions, in three to six times the time.
    private static let scale = 3
    static let density: Int32 = 2

    /// The minimum match of the format information. If no word matches better, the grid is not on a code.
    private static let leastMatch: Float = 0.45
    /// By how much a word must match better than the mirrored one, for that to be left out or second.
    /// Read the wrong way, the 32 words differ from each one in 3 or 4 of 15 bits: a lead of 0.4 or more,
    /// less the effect of noise.
    private static let leastLead: Float = 0.2
    /// A symbol of Model 1 has the same places and words of format information under another mask. Every
    /// word of either model differs from all of the other in five bits or more.
    private static let model1Mask = 0x2825 ^ 0x5412
    private static let leastModel1Match: Float = 0.8

    /// Every module, row by row.
    let isLight: [Bool]
    /// The word of format information, as it is drawn.
    let format: Int

    /// The readings that may be right, the most likely first: the code as it is seen, mirrored, or both.
    static func among(_ estimates: [Float], patterns: FunctionPatterns) -> [GridReading] {
        let side = patterns.side
        let mirrored = estimates.indices.map { estimates[$0 % side * side + $0 / side] }
        let (format, match) = format(of: estimates, patterns: patterns)
        let (otherFormat, otherMatch) = self.format(of: mirrored, patterns: patterns)
        let upright =
            match > leastMatch ? GridReading(estimates, format: format, patterns: patterns) : nil
        // With errors in the format information the lead may be less, either way: both are tried then.
        guard otherMatch > max(match - leastLead, leastMatch) else { return upright.map { [$0] } ?? [] }
        let other = GridReading(mirrored, format: otherFormat, patterns: patterns)
        let both = otherMatch > match + leastLead ? [other, upright] : [upright, other]
        return both.compactMap { $0 }
    }

    private init(_ estimates: [Float], format: Int, patterns: FunctionPatterns) {
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
        self.isLight = isLight
        self.format = format
    }

    /// The message, after the error correction; nil with too many errors.
    func message(_ patterns: FunctionPatterns) -> SymbolMessage? {
        SymbolMatrix.data(of: isLight, format: format, patterns: patterns).map {
            SymbolMessage($0, version: patterns.version)
        }
    }

    /// A clean drawing, for libzbar.
    func picture(_ patterns: FunctionPatterns) -> LuminanceImage? {
        let side = patterns.side
        let framed = side + 2 * QRSymbol.quietZone
        let rows = (0..<framed).map { y in
            (0..<framed).map { x in
                let (column, row) = (x - QRSymbol.quietZone, y - QRSymbol.quietZone)
                guard column >= 0, row >= 0, column < side, row < side else { return true }
                return isLight[row * side + column]
            }
        }
        return LuminanceImage.squares(rows, scale: GridReading.scale)
    }

    /// True if the format information is surely that of a symbol of Model 1 (JIS X 0510:1999), whose data are
    /// at other places.
    static func isModel1(_ estimates: [Float], patterns: FunctionPatterns) -> Bool {
        guard patterns.version <= 14 else { return false }
        let side = patterns.side
        let mirrored = estimates.indices.map { estimates[$0 % side * side + $0 / side] }
        let match = format(of: estimates, patterns: patterns, mask: model1Mask).match
        return match > leastModel1Match
            && [estimates, mirrored].allSatisfy {
                match > format(of: $0, patterns: patterns).match + leastLead
            }
    }

    /// The word of format information that fits both copies best, and its match: 1 is perfect.
    private static func format(of estimates: [Float], patterns: FunctionPatterns, mask: Int = 0) -> (
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
        let best = FunctionPatterns.formats.map { $0 ^ mask }.max { match($0) < match($1) } ?? 0
        return (best, match(best) / max(total, 1e-6))
    }
}
