/// The blocks of 4 × 4 pixels of a picture, and means over them and their neighbours.
///
/// Every search reads every pixel here, so the inner loops take sixteen pixels at a time.
struct BlockGrid {
    /// The side of a block in pixels, as a power of two.
    static let shift = 2
    private static let side = 1 << shift
    /// Pixels and blocks that are taken at a time.
    private static let lanes = 16
    private static let strip = lanes / side

    let columns: Int
    let rows: Int
    /// How many blocks on each side of a block `boxMeans` includes.
    private let radius: Int
    private let image: LuminanceImage

    /// `radius` is at most 100, so that no sum of a box overflows.
    init(_ image: LuminanceImage, radius: Int) {
        self.image = image
        self.radius = max(1, min(radius, 100))
        columns = (image.width + BlockGrid.side - 1) / BlockGrid.side
        rows = (image.height + BlockGrid.side - 1) / BlockGrid.side
    }

    /// The mean of each block in sixteenths of a grey level, row by row. Blocks at the right and lower edges
    /// have fewer pixels.
    func means() -> [Int16] {
        [Int16](unsafeUninitializedCapacity: columns * rows) { means, used in
            image.pixels.withUnsafeBytes { pixels in
                for row in 0..<rows {
                    let fast = wholeStrips(row)
                    for column in stride(from: 0, to: fast, by: BlockGrid.strip) {
                        let start = offset(column, row)
                        var sums = SIMD8<UInt16>(repeating: 0)
                        for line in 0..<BlockGrid.side {
                            sums &+= BlockGrid.twos(
                                pixels.loadUnaligned(
                                    fromByteOffset: start &+ line &* image.width, as: SIMD16<UInt8>.self))
                        }
                        // A block has sixteen pixels: their sum is the mean in sixteenths.
                        let block = BlockGrid.fours(sums)
                        for index in 0..<BlockGrid.strip {
                            means[row &* columns &+ column &+ index] = Int16(
                                truncatingIfNeeded: block[index])
                        }
                    }
                    for column in fast..<columns {
                        var sum = 0
                        let count = forEachPixel(column, row) { sum += Int(pixels[$0]) }
                        means[row * columns + column] = Int16(truncatingIfNeeded: sum * 16 / count)
                    }
                }
            }
            used = columns * rows
        }
    }

    /// For each block, the pixels above its limit (in sixteenths of a grey level): what they contribute to
    /// the block's mean, in sixteenths of a grey level, and their share of the pixels, in 256ths.
    func lightParts(above limits: [Int16]) -> (sums: [Int16], shares: [Int16]) {
        var shares = [Int16](repeating: 0, count: columns * rows)
        let sums = [Int16](unsafeUninitializedCapacity: columns * rows) { sums, used in
            image.pixels.withUnsafeBytes { pixels in
                shares.withUnsafeMutableBufferPointer { shares in
                    limits.withUnsafeBufferPointer { limits in
                        for row in 0..<rows {
                            let fast = wholeStrips(row)
                            for column in stride(from: 0, to: fast, by: BlockGrid.strip) {
                                let block = row * columns + column
                                let (light, count) = lightParts(pixels, offset(column, row), limits, block)
                                for index in 0..<BlockGrid.strip {
                                    sums[block &+ index] = Int16(truncatingIfNeeded: light[index])
                                    shares[block &+ index] = Int16(truncatingIfNeeded: count[index] &* 16)
                                }
                            }
                            for column in fast..<columns {
                                let block = row * columns + column
                                let limit = limits[block] >> 4
                                var (sum, light) = (0, 0)
                                let count = forEachPixel(column, row) { place in
                                    guard Int16(pixels[place]) > limit else { return }
                                    sum += Int(pixels[place])
                                    light += 1
                                }
                                sums[block] = Int16(truncatingIfNeeded: sum * 16 / count)
                                shares[block] = Int16(truncatingIfNeeded: light * 256 / count)
                            }
                        }
                    }
                }
            }
            used = columns * rows
        }
        return (sums, shares)
    }

    /// The sums and numbers of the pixels above the limits, for four whole blocks side by side.
    @inline(__always) private func lightParts(
        _ pixels: UnsafeRawBufferPointer, _ start: Int, _ limits: UnsafeBufferPointer<Int16>, _ block: Int
    ) -> (sums: SIMD4<UInt32>, counts: SIMD4<UInt32>) {
        func repeated(_ limit: Int16) -> UInt32 {
            UInt32(UInt8(truncatingIfNeeded: limit >> 4)) &* 0x0101_0101
        }
        let limit = unsafeBitCast(
            SIMD4(
                repeated(limits[block]), repeated(limits[block + 1]), repeated(limits[block + 2]),
                repeated(limits[block + 3])), to: SIMD16<UInt8>.self)
        var sums = SIMD8<UInt16>(repeating: 0)
        var counts = SIMD16<UInt8>(repeating: 0)
        for line in 0..<BlockGrid.side {
            let values = pixels.loadUnaligned(
                fromByteOffset: start &+ line &* image.width, as: SIMD16<UInt8>.self)
            // All bits set, which is −1, or none.
            let isLight = unsafeBitCast(values .> limit, to: SIMD16<UInt8>.self)
            sums &+= BlockGrid.twos(values & isLight)
            counts &-= isLight
        }
        return (BlockGrid.fours(sums), BlockGrid.fours(BlockGrid.twos(counts)))
    }

    /// The means over boxes of blocks, by running sums; at the edges over the part inside the picture. The
    /// values must be 0 to 4,095.
    func boxMeans(of blocks: [Int16]) -> [Int16] {
        let shares = (0..<columns).map { 1 / Float(span($0, columns)) }
        var sums = [Int32](repeating: 0, count: columns)
        return [Int16](unsafeUninitializedCapacity: columns * rows) { result, used in
            withUnsafeTemporaryAllocation(of: Int32.self, capacity: columns * (rows + 1)) { across in
                blocks.withUnsafeBufferPointer { sumAcross($0, into: across) }
                // One row of zeros stands for the rows outside the picture.
                let outside = rows * columns
                for column in 0..<columns { across[outside + column] = 0 }
                sums.withUnsafeMutableBufferPointer { sums in
                    for row in 0..<min(radius, rows) {
                        for column in 0..<columns { sums[column] &+= across[row * columns + column] }
                    }
                    shares.withUnsafeBufferPointer { shares in
                        // A copy of the pointer: the loop below is vectorised only if nothing in it moves.
                        let result = result
                        for row in 0..<rows {
                            let added = row + radius < rows ? (row + radius) * columns : outside
                            let gone = row > radius ? (row - radius - 1) * columns : outside
                            let share = 1 / Float(span(row, rows))
                            let line = row * columns
                            for column in 0..<columns {
                                let sum = sums[column] &+ across[added &+ column] &- across[gone &+ column]
                                sums[column] = sum
                                // Rounds to a whole number: from 2²³ on, the last bit of a Float is 1. Other
                                // conversions are not vectorised.
                                let mean = Float(sum) * shares[column] * share + 8_388_608
                                result[line &+ column] = Int16(truncatingIfNeeded: mean.bitPattern)
                            }
                        }
                    }
                }
            }
            used = columns * rows
        }
    }

    private func sumAcross(
        _ blocks: UnsafeBufferPointer<Int16>, into across: UnsafeMutableBufferPointer<Int32>
    ) {
        for row in 0..<rows {
            let base = row * columns
            var sum: Int32 = 0
            for column in 0..<min(radius, columns) { sum &+= Int32(blocks[base + column]) }
            func add(_ range: Range<Int>, adds: Bool, takes: Bool) {
                for column in range {
                    if adds { sum &+= Int32(blocks[base &+ column &+ radius]) }
                    if takes { sum &-= Int32(blocks[base &+ column &- radius &- 1]) }
                    across[base &+ column] = sum
                }
            }
            // The box begins to leave the row on the right from `last` on, and on the left up to `first`.
            let (first, last) = (min(radius + 1, columns), max(0, columns - radius))
            add(0..<min(first, last), adds: true, takes: false)
            if first < last {
                add(first..<last, adds: true, takes: true)
            } else {
                add(last..<first, adds: false, takes: false)
            }
            add(max(first, last)..<columns, adds: false, takes: true)
        }
    }

    /// How many of `count` places are within the radius of a place.
    private func span(_ place: Int, _ count: Int) -> Int {
        min(count - 1, place + radius) - max(0, place - radius) + 1
    }

    /// How many blocks at the left of a row are in whole strips.
    private func wholeStrips(_ row: Int) -> Int {
        (row + 1) * BlockGrid.side <= image.height ? image.width / BlockGrid.lanes * BlockGrid.strip : 0
    }

    private func offset(_ column: Int, _ row: Int) -> Int {
        row * BlockGrid.side * image.width + column * BlockGrid.side
    }

    /// Calls `body` with the index of each pixel of a block. Returns how many there are.
    @inline(__always) private func forEachPixel(_ column: Int, _ row: Int, _ body: (Int) -> Void) -> Int {
        let bottom = min((row + 1) * BlockGrid.side, image.height)
        let right = min((column + 1) * BlockGrid.side, image.width)
        for y in row * BlockGrid.side..<bottom {
            for x in column * BlockGrid.side..<right { body(y * image.width + x) }
        }
        return (bottom - row * BlockGrid.side) * (right - column * BlockGrid.side)
    }

    /// The sums of two neighbours each.
    @inline(__always) private static func twos(_ lanes: SIMD16<UInt8>) -> SIMD8<UInt16> {
        let pairs = unsafeBitCast(lanes, to: SIMD8<UInt16>.self)
        return (pairs & 0xFF) &+ (pairs &>> 8)
    }

    /// The sums of two neighbours each.
    @inline(__always) private static func fours(_ lanes: SIMD8<UInt16>) -> SIMD4<UInt32> {
        let pairs = unsafeBitCast(lanes, to: SIMD4<UInt32>.self)
        return (pairs & 0xFFFF) &+ (pairs &>> 16)
    }
}
