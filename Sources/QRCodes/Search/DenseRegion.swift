/// A part of a picture where light and dark change often in both directions, as within a small code.
///
/// A code with two or three pixels a module is too small for the limits of a search of a large picture, and
/// at most about 100 pixels wide. Cutting such regions out and searching them thoroughly costs less than
/// searching everywhere. Edges and stripes change in one direction only, and print is less dense.
struct DenseRegion: Equatable {
    /// The first column and row.
    let x: Int
    let y: Int
    let width: Int
    let height: Int
    /// The mean difference of pixels that are two apart, in grey levels: across or down, whichever is
    /// smaller.
    let density: Int

    /// The side of a cell in pixels; densities are measured for cells.
    static let cell = 32
    /// The maximum distance of a region's edge from its densest cell, in cells.
    private static let reach = 4
    /// The minimum density of a readable code.
    private static let leastDensity = 10

    /// The densest regions of `image`, densest first, at most `limit`. Empty if a third of the picture is
    /// nearly as dense as the densest part, because then no part stands out.
    static func among(_ image: LuminanceImage, limit: Int) -> [DenseRegion] {
        let cells = CellDensities(image)
        guard let top = cells.smooth.max(), top >= leastDensity else { return [] }
        guard cells.smooth.count(where: { 2 * $0 > top }) * 3 <= cells.smooth.count else { return [] }
        var isTaken = [Bool](repeating: false, count: cells.smooth.count)
        var regions: [DenseRegion] = []
        let order = cells.smooth.indices.filter { cells.smooth[$0] >= leastDensity }.sorted {
            (cells.smooth[$1], $0) < (cells.smooth[$0], $1)
        }
        for start in order where regions.count < limit && !isTaken[start] {
            regions.append(cells.region(around: start, taken: &isTaken, in: image))
        }
        return regions
    }

    var middle: Vector { Vector(x: Float(x) + Float(width) / 2, y: Float(y) + Float(height) / 2) }

    /// Cuts the region out of the picture.
    func cut(from image: LuminanceImage) -> LuminanceImage {
        image.part(x: x, y: y, width: width, height: height)
    }

    /// The densities of all cells of a picture.
    private struct CellDensities {
        let columns: Int
        let rows: Int
        /// The density of each cell.
        private let own: [Int]
        /// The mean of each cell and its neighbours.
        let smooth: [Int]

        init(_ image: LuminanceImage) {
            let (columns, rows) = (image.width / cell, image.height / cell)
            let own = image.pixels.withUnsafeBytes { pixels in
                (0..<rows * columns).map { index in
                    CellDensities.density(
                        pixels, image.width, image.height, x: index % columns * cell,
                        y: index / columns * cell)
                }
            }
            self.columns = columns
            self.rows = rows
            self.own = own
            smooth = (0..<rows * columns).map { index in
                let (column, row) = (index % columns, index / columns)
                var (sum, count) = (0, 0)
                for y in max(0, row - 1)...min(rows - 1, row + 1) {
                    for x in max(0, column - 1)...min(columns - 1, column + 1) {
                        sum += own[y * columns + x]
                        count += 1
                    }
                }
                return sum / count
            }
        }

        /// Looks at every second row of a cell, sixteen pixels at a time.
        private static func density(
            _ pixels: UnsafeRawBufferPointer, _ width: Int, _ height: Int, x: Int, y: Int
        )
            -> Int
        {
            var across = SIMD16<UInt16>(repeating: 0)
            var down = across
            func load(_ place: Int) -> SIMD16<UInt8> {
                pixels.loadUnaligned(fromByteOffset: place, as: SIMD16<UInt8>.self)
            }
            func difference(_ a: SIMD16<UInt8>, _ b: SIMD16<UInt8>) -> SIMD16<UInt16> {
                SIMD16(truncatingIfNeeded: pointwiseMax(a, b) &- pointwiseMin(a, b))
            }
            for row in stride(from: y, to: y + cell, by: 2) {
                let below = row + 2 < height ? 2 * width : 0
                for column in stride(from: x, to: x + cell, by: 16) {
                    let place = row * width + column
                    let here = load(place)
                    // The last pixels of a row are compared with those to their left.
                    let beside = column + 18 <= width ? load(place + 2) : load(place - 2)
                    across &+= difference(here, beside)
                    down &+= difference(here, load(place + below))
                }
            }
            func sum(_ lanes: SIMD16<UInt16>) -> Int {
                Int(SIMD16<UInt32>(truncatingIfNeeded: lanes).wrappedSum())
            }
            return min(sum(across), sum(down)) / (cell * cell / 2)
        }

        /// The cells around a cell that are nearly as dense, and one more on each side for the quiet zone.
        func region(around start: Int, taken: inout [Bool], in image: LuminanceImage) -> DenseRegion {
            let limit = smooth[start] / 2
            let (column, row) = (start % columns, start / columns)
            var (left, right, top, bottom) = (column, column, row, row)
            var open = [start]
            taken[start] = true
            while let next = open.popLast() {
                let (x, y) = (next % columns, next / columns)
                (left, right, top, bottom) = (min(left, x), max(right, x), min(top, y), max(bottom, y))
                for (nx, ny) in [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
                where nx >= 0 && ny >= 0 && nx < columns && ny < rows && abs(nx - column) <= reach
                    && abs(ny - row) <= reach && !taken[ny * columns + nx] && own[ny * columns + nx] > limit
                {
                    taken[ny * columns + nx] = true
                    open.append(ny * columns + nx)
                }
            }
            // No other region starts in the cells around this one.
            for y in max(0, top - 1)...min(rows - 1, bottom + 1) {
                for x in max(0, left - 1)...min(columns - 1, right + 1) { taken[y * columns + x] = true }
            }
            let (x, y) = (max(0, left - 1) * cell, max(0, top - 1) * cell)
            return DenseRegion(
                x: x, y: y, width: min(image.width, (right + 2) * cell) - x,
                height: min(image.height, (bottom + 2) * cell) - y, density: smooth[start])
        }
    }
}
