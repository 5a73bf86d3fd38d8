/// A picture, and for each place of it the mean of its neighbourhood: light and dark mean "lighter or darker
/// than around here", so that a shadow or a slope of the light makes no difference.
///
/// The means are kept for blocks of 4 × 4 pixels. An edge lies where the difference crosses zero, and is found
/// to a part of a pixel by interpolation; nothing is rounded to black and white.
struct ContrastField {
    /// Pixels a block on each side, as a power of two.
    static let blockShift = 2

    let image: LuminanceImage
    /// Blocks on each side of a block that its mean is taken over.
    let radius: Int
    /// The columns of `means`.
    private let columns: Int
    /// The local means in sixteenths of a grey level, a block each, row by row.
    private let means: [Int32]

    /// Neighbourhoods of (2 · `radius` + 1) · 4 pixels a side.
    init(_ image: LuminanceImage, radius: Int) {
        self.image = image
        self.radius = max(1, radius)
        columns = (image.width + 3) >> ContrastField.blockShift
        let rows = (image.height + 3) >> ContrastField.blockShift
        let blocks = ContrastField.blockMeans(of: image, columns: columns, rows: rows)
        means = ContrastField.boxMeans(of: blocks, columns: columns, rows: rows, radius: self.radius)
    }

    /// Calls `body` with a view of the field that reads memory without checks of its own.
    func withView<Value>(_ body: (ContrastView) -> Value) -> Value {
        image.pixels.withUnsafeBufferPointer { pixels in
            means.withUnsafeBufferPointer { means in
                body(
                    ContrastView(
                        width: image.width, height: image.height, columns: columns, pixels: pixels,
                        means: means))
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
    fileprivate let means: UnsafeBufferPointer<Int32>

    /// How much lighter (above 0) or darker the pixel is than around it, in sixteenths of a grey level.
    /// `x` and `y` must be inside.
    @inline(__always) func difference(x: Int, y: Int) -> Int32 {
        Int32(pixels[y * width + x]) << 4
            - means[(y >> ContrastField.blockShift) * columns + x >> ContrastField.blockShift]
    }

    /// The same between pixels, in grey levels: (0.5, 0.5) is the middle of the first pixel. 0 outside.
    @inline(__always) func contrast(_ place: Vector) -> Float {
        let x = place.x - 0.5
        let y = place.y - 0.5
        // False for what is no number, too; then no conversion below can trap.
        guard x >= 0, y >= 0, x < Float(width - 1), y < Float(height - 1) else { return 0 }
        let column = Int(x)
        let row = Int(y)
        let mean = means[
            (Int(place.y) >> ContrastField.blockShift) * columns + Int(place.x) >> ContrastField.blockShift]
        return bilinear(column, row, x - Float(column), y - Float(row)) - Float(mean) * (1 / 16)
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
