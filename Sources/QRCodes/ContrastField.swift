/// A picture, and for each place of it a threshold from its neighbourhood: light and dark mean "lighter or darker
/// than around here", so that a shadow or a slope of the light makes no difference.
///
/// The threshold is halfway between what is above the local mean and what is below it. The mean alone would
/// not do: beside a code on white paper nearly all is white, and grey modules would be taken for dark ones.
/// The thresholds are kept for blocks of 4 × 4 pixels. An edge lies where the difference crosses zero, and is found
/// to a part of a pixel by interpolation; nothing is rounded to black and white.
struct ContrastField {
    /// Pixels a block on each side, as a power of two.
    static let blockShift = 2

    let image: LuminanceImage
    /// Blocks on each side of a block that its mean is taken over.
    let radius: Int
    /// The columns of `thresholds`.
    private let columns: Int
    /// In sixteenths of a grey level, a block each, row by row.
    private let thresholds: [Int32]

    /// Neighbourhoods of (2 · `radius` + 1) · 4 pixels a side; `byMean`: the threshold is the mean alone.
    init(_ image: LuminanceImage, radius: Int, byMean: Bool = false) {
        self.image = image
        self.radius = max(1, radius)
        columns = (image.width + 3) >> ContrastField.blockShift
        let rows = (image.height + 3) >> ContrastField.blockShift
        let blocks = ContrastField.blockMeans(of: image, columns: columns, rows: rows)
        let means = ContrastField.boxMeans(of: blocks, columns: columns, rows: rows, radius: self.radius)
        guard !byMean else {
            thresholds = means
            return
        }
        let (sums, counts) = ContrastField.lightParts(of: image, above: means, columns: columns)
        let light = ContrastField.boxMeans(of: sums, columns: columns, rows: rows, radius: self.radius)
        let share = ContrastField.boxMeans(of: counts, columns: columns, rows: rows, radius: self.radius)
        thresholds = means.indices.map { index in
            // Sums and counts of the lighter pixels, each over the 16 of a block.
            let (sum, count) = (Int64(light[index]), Int64(share[index]))
            let mean = Int64(means[index])
            let rest = 256 - count
            guard count > 0, rest > 0 else { return means[index] }
            let above = sum * 256 / count
            let below = (mean * 256 - sum * 256) / rest
            return Int32(clamping: (above + below) / 2)
        }
    }

    /// For each block what its pixels above the threshold of the block come to, in sixteenths of a grey level,
    /// divided by 16 as in a mean; and their share, in 256ths. A block at an edge counts as a whole one.
    private static func lightParts(of image: LuminanceImage, above means: [Int32], columns: Int)
        -> (sums: [Int32], shares: [Int32])
    {
        var sums = [Int32](repeating: 0, count: means.count)
        var shares = sums
        let (width, height) = (image.width, image.height)
        image.pixels.withUnsafeBufferPointer { pixels in
            for row in 0..<means.count / columns {
                for column in 0..<columns {
                    let block = row * columns + column
                    let limit = means[block] >> 4
                    var (sum, count): (Int32, Int32) = (0, 0)
                    let (top, left) = (row << blockShift, column << blockShift)
                    let (bottom, right) = (min(top + 4, height), min(left + 4, width))
                    for y in top..<bottom {
                        for x in left..<right {
                            let value = Int32(pixels[y * width + x])
                            let isLight: Int32 = value > limit ? 1 : 0
                            sum += value * isLight
                            count += isLight
                        }
                    }
                    let size = Int32((bottom - top) * (right - left))
                    sums[block] = sum * 16 / size
                    shares[block] = count * 256 / size
                }
            }
        }
        return (sums, shares)
    }

    /// Calls `body` with a view of the field that reads memory without checks of its own.
    func withView<Value>(_ body: (ContrastView) -> Value) -> Value {
        image.pixels.withUnsafeBufferPointer { pixels in
            thresholds.withUnsafeBufferPointer { thresholds in
                body(
                    ContrastView(
                        width: image.width, height: image.height, columns: columns, pixels: pixels,
                        thresholds: thresholds))
            }
        }
    }

    private static func blockMeans(of image: LuminanceImage, columns: Int, rows: Int) -> [Int32] {
        var blocks = [Int32](repeating: 0, count: columns * rows)
        let width = image.width
        image.pixels.withUnsafeBufferPointer { pixels in
            blocks.withUnsafeMutableBufferPointer { blocks in
                for row in 0..<rows {
                    let lines = (row << blockShift)..<min((row + 1) << blockShift, image.height)
                    let whole = width >> blockShift
                    for y in lines {
                        var position = y * width
                        for column in 0..<whole {
                            let sum =
                                Int32(pixels[position]) + Int32(pixels[position + 1])
                                + Int32(pixels[position + 2]) + Int32(pixels[position + 3])
                            blocks[row * columns + column] += sum
                            position += 4
                        }
                        for x in whole << blockShift..<width {
                            blocks[row * columns + whole] += Int32(pixels[y * width + x])
                        }
                    }
                    for column in 0..<columns {
                        let wide = min(4, width - column << blockShift)
                        blocks[row * columns + column] =
                            blocks[row * columns + column] * 16 / Int32(wide * lines.count)
                    }
                }
            }
        }
        return blocks
    }

    /// The means over boxes, at the edges over the part that is inside, by running sums.
    private static func boxMeans(of blocks: [Int32], columns: Int, rows: Int, radius: Int) -> [Int32] {
        var across = [Int32](repeating: 0, count: blocks.count)
        var result = across
        for row in 0..<rows {
            let base = row * columns
            var sum = Int64(0)
            for column in 0..<min(radius, columns) { sum += Int64(blocks[base + column]) }
            for column in 0..<columns {
                if column + radius < columns { sum += Int64(blocks[base + column + radius]) }
                if column > radius { sum -= Int64(blocks[base + column - radius - 1]) }
                let count = min(columns - 1, column + radius) - max(0, column - radius) + 1
                across[base + column] = Int32(truncatingIfNeeded: sum / Int64(count))
            }
        }
        var sums = [Int64](repeating: 0, count: columns)
        for row in 0..<min(radius, rows) {
            for column in 0..<columns { sums[column] += Int64(across[row * columns + column]) }
        }
        for row in 0..<rows {
            let count = Int64(min(rows - 1, row + radius) - max(0, row - radius) + 1)
            for column in 0..<columns {
                if row + radius < rows { sums[column] += Int64(across[(row + radius) * columns + column]) }
                if row > radius { sums[column] -= Int64(across[(row - radius - 1) * columns + column]) }
                result[row * columns + column] = Int32(truncatingIfNeeded: sums[column] / count)
            }
        }
        return result
    }
}

/// The memory of a `ContrastField`, for the length of one call of `withView`.
struct ContrastView {
    let width: Int
    let height: Int
    fileprivate let columns: Int
    fileprivate let pixels: UnsafeBufferPointer<UInt8>
    fileprivate let thresholds: UnsafeBufferPointer<Int32>

    /// How much lighter (above 0) or darker the pixel is than around it, in sixteenths of a grey level.
    /// `x` and `y` must be inside.
    @inline(__always) func difference(x: Int, y: Int) -> Int32 {
        Int32(pixels[y * width + x]) << 4
            - thresholds[(y >> ContrastField.blockShift) * columns + x >> ContrastField.blockShift]
    }

    /// The same between pixels, in grey levels: (0.5, 0.5) is the middle of the first pixel. 0 outside.
    @inline(__always) func contrast(_ place: Vector) -> Float {
        let x = place.x - 0.5
        let y = place.y - 0.5
        // False for what is no number, too; then no conversion below can trap.
        guard x >= 0, y >= 0, x < Float(width - 1), y < Float(height - 1) else { return 0 }
        let column = Int(x)
        let row = Int(y)
        let threshold = thresholds[
            (Int(place.y) >> ContrastField.blockShift) * columns + Int(place.x) >> ContrastField.blockShift]
        return bilinear(column, row, x - Float(column), y - Float(row)) - Float(threshold) * (1 / 16)
    }

    /// The luminance between pixels; at the edges that of the nearest pixel.
    @inline(__always) func luminance(_ place: Vector) -> Float {
        let x = max(0, min(place.x - 0.5, Float(width - 1)))
        let y = max(0, min(place.y - 0.5, Float(height - 1)))
        guard x == x, y == y else { return 0 }
        let column = min(Int(x), width - 2)
        let row = min(Int(y), height - 2)
        guard column >= 0, row >= 0 else { return 0 }
        return bilinear(column, row, x - Float(column), y - Float(row))
    }

    @inline(__always) private func bilinear(_ column: Int, _ row: Int, _ fx: Float, _ fy: Float) -> Float {
        let start = row * width + column
        let upper = Float(pixels[start]) * (1 - fx) + Float(pixels[start + 1]) * fx
        let lower = Float(pixels[start + width]) * (1 - fx) + Float(pixels[start + width + 1]) * fx
        return upper * (1 - fy) + lower * fy
    }
}
