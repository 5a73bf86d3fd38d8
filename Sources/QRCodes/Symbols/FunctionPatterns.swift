/// The modules that are the same in every QR code of a version: ISO/IEC 18004 § 6.3 (finder patterns,
/// separators, timing and alignment patterns), § 7.9 (format information) and § 7.10 (version information).
///
/// A picture is compared with them to find the modules, and `GridEqualizer` learns from them how dark and
/// light look.
struct FunctionPatterns {
    /// The content of a module.
    enum Module: Int8 {
        /// A bit of the data or of the error correction.
        case data
        /// A bit of the format information.
        case format
        case light
        case dark
    }

    /// 1 to 40.
    let version: Int
    /// 21 to 177.
    let side: Int
    /// Row by row.
    private(set) var modules: [Module]
    /// The column and row of the middle module of each alignment pattern.
    let alignments: [(x: Int, y: Int)]

    init(version: Int) {
        precondition((1...40).contains(version))
        self.version = version
        side = 17 + 4 * version
        modules = [Module](repeating: .data, count: side * side)
        alignments = FunctionPatterns.alignments(version: version)
        for index in 8..<side - 8 {
            self[index, 6] = index % 2 == 0 ? .dark : .light
            self[6, index] = index % 2 == 0 ? .dark : .light
        }
        for place in alignments { drawRings(x: place.x, y: place.y, radius: 2, ofDark: 0b101) }
        // A finder pattern with its separator, cut at the edge of the symbol.
        for (x, y) in [(3, 3), (side - 4, 3), (3, side - 4)] {
            drawRings(x: x, y: y, radius: 4, ofDark: 0b1011)
        }
        for bit in 0..<15 { for place in formatPlaces(bit) { self[place.x, place.y] = .format } }
        self[8, side - 8] = .dark
        if version >= 7 { drawVersion() }
    }

    subscript(x: Int, y: Int) -> Module {
        get { modules[y * side + x] }
        set { modules[y * side + x] = newValue }
    }

    /// The two places of a bit of the format information; bit 14 is drawn first.
    func formatPlaces(_ bit: Int) -> [(x: Int, y: Int)] {
        let besideColumn = [0, 1, 2, 3, 4, 5, 7, 8, 8, 8, 8, 8, 8, 8, 8][14 - bit]
        let besideRow = [8, 8, 8, 8, 8, 8, 8, 8, 7, 5, 4, 3, 2, 1, 0][14 - bit]
        let second = bit >= 8 ? (x: 8, y: side - 15 + bit) : (x: side - 1 - bit, y: 8)
        return [(x: besideColumn, y: besideRow), second]
    }

    /// All 32 words of format information with error correction and mask (§ 7.9.1).
    static let formats: [Int] = (0..<32).map { data in
        var rest = data << 10
        for bit in stride(from: 14, through: 10, by: -1) where rest >> bit & 1 == 1 {
            rest ^= 0x537 << (bit - 10)
        }
        return (data << 10 | rest) ^ 0x5412
    }

    /// `dark`: a bit for each ring, the lowest for the middle.
    private mutating func drawRings(x: Int, y: Int, radius: Int, ofDark dark: Int) {
        for row in max(0, y - radius)...min(side - 1, y + radius) {
            for column in max(0, x - radius)...min(side - 1, x + radius) {
                self[column, row] = dark >> max(abs(column - x), abs(row - y)) & 1 == 1 ? .dark : .light
            }
        }
    }

    private mutating func drawVersion() {
        var rest = version << 12
        for bit in stride(from: 17, through: 12, by: -1) where rest >> bit & 1 == 1 {
            rest ^= 0x1F25 << (bit - 12)
        }
        let bits = version << 12 | rest
        for bit in 0..<18 {
            let module: Module = bits >> bit & 1 == 1 ? .dark : .light
            self[side - 11 + bit % 3, bit / 3] = module
            self[bit / 3, side - 11 + bit % 3] = module
        }
    }

    /// Annex E: from 6 to the last but six in equal even steps; only the first step may differ.
    private static func alignments(version: Int) -> [(x: Int, y: Int)] {
        guard version >= 2 else { return [] }
        let count = version / 7 + 2
        let last = 10 + 4 * version
        let step = version == 32 ? 26 : (4 * version + 2 * count + 1) / (2 * count - 2) * 2
        let places = [6] + (0..<count - 1).map { last - step * (count - 2 - $0) }
        return places.flatMap { y in places.map { (x: $0, y: y) } }.filter { x, y in
            !((x == 6 && y == 6) || (x == 6 && y == last) || (x == last && y == 6))
        }
    }
}
