import CGlibc

/// A picture with a threshold for each place from its neighbourhood: light and dark mean "lighter or darker
/// than around here", so that a shadow or a gradient makes no difference.
///
/// The threshold is halfway between the mean of the pixels above the local mean and of those below it. The
/// local mean alone is not enough: beside a code on white paper nearly all is white, and grey modules would
/// count as dark. Each block of 4 × 4 pixels has one threshold. An edge is where the difference crosses zero,
/// and is located between pixels by interpolation; nothing is rounded to black and white.
struct ContrastField {
    let image: LuminanceImage
    /// The columns of `thresholds`.
    private let columns: Int
    /// In sixteenths of a grey level, one for each block, row by row.
    private let thresholds: [Int16]

    /// Neighbourhoods have (2 · `radius` + 1) · 4 pixels a side. `byMean`: the threshold is the local mean.
    init(_ image: LuminanceImage, radius: Int, byMean: Bool = false) {
        self.image = image
        let blocks = BlockGrid(image, radius: radius)
        columns = blocks.columns
        let means = blocks.boxMeans(of: blocks.means())
        guard !byMean else {
            thresholds = means
            return
        }
        let (sums, shares) = blocks.lightParts(above: means)
        thresholds = ContrastField.halfway(
            means: means, light: blocks.boxMeans(of: sums), shares: blocks.boxMeans(of: shares))
    }

    /// A picture with the thresholds of `half`, the field of the same picture at half its size; nil if that
    /// is smaller. Thresholds of its own cost twice as much as to look for finder patterns with these.
    init?(_ image: LuminanceImage, thresholdsOf half: ContrastField) {
        self.image = image
        let blocks = BlockGrid(image, radius: 1)
        let (columns, rows) = (blocks.columns, blocks.rows)
        self.columns = columns
        let (halfColumns, halfThresholds) = (half.columns, half.thresholds)
        guard halfColumns >= (columns + 1) / 2, halfThresholds.count >= (rows + 1) / 2 * halfColumns else {
            return nil
        }
        thresholds = [Int16](unsafeUninitializedCapacity: columns * rows) { thresholds, used in
            halfThresholds.withUnsafeBufferPointer { half in
                for row in 0..<rows {
                    let (start, halfStart) = (row &* columns, (row >> 1) &* halfColumns)
                    for column in 0..<columns { thresholds[start &+ column] = half[halfStart &+ column >> 1] }
                }
            }
            used = columns * rows
        }
    }

    /// Halfway between the means of the lighter and of the darker pixels. `light`: what the lighter pixels
    /// contribute to the mean; `shares`: their share of the pixels in 256ths.
    private static func halfway(means: [Int16], light: [Int16], shares: [Int16]) -> [Int16] {
        [Int16](unsafeUninitializedCapacity: means.count) { result, used in
            let fast = min(means.count, light.count, shares.count) & ~3
            means.withUnsafeBytes { means in
                light.withUnsafeBytes { light in
                    shares.withUnsafeBytes { shares in
                        for index in stride(from: 0, to: fast, by: 4) {
                            @inline(__always) func four(_ numbers: UnsafeRawBufferPointer) -> SIMD4<Int32> {
                                hubpair_widened(
                                    numbers.loadUnaligned(
                                        fromByteOffset: 2 &* index, as: SIMD4<Int16>.self))
                            }
                            let values = halfway(mean: four(means), light: four(light), share: four(shares))
                            UnsafeMutableRawBufferPointer(result).storeBytes(
                                of: hubpair_narrowed(values), toByteOffset: 2 &* index,
                                as: SIMD4<Int16>.self)
                        }
                    }
                }
            }
            for index in fast..<means.count {
                let (mean, sum, count) = (Float(means[index]), Float(light[index]), Float(shares[index]))
                let rest = 256 - count
                let both = (sum * 256 / max(1, count) + (mean - sum) * 256 / max(1, rest)) / 2
                result[index] = count > 0 && rest > 0 ? Int16(max(0, min(4095, both))) : means[index]
            }
            used = means.count
        }
    }

    /// The same for four blocks, in the same steps.
    @inline(__always) private static func halfway(
        mean: SIMD4<Int32>, light: SIMD4<Int32>, share: SIMD4<Int32>
    ) -> SIMD4<Int32> {
        let (ofMean, sum, count) = (hubpair_float(mean), hubpair_float(light), hubpair_float(share))
        let rest = 256 - count
        // At least 1 where it counts. All bits set are −1.
        let (some, others) = (
            count - hubpair_float((count .== 0).bits), rest - hubpair_float((rest .== 0).bits)
        )
        // In two steps: Swift 6.2 finds no types for it in one.
        let first: SIMD4<Float> = sum * 256 / some
        let second: SIMD4<Float> = (ofMean - sum) * 256 / others
        let both = (first + second) / 2
        let areBoth = (count .> 0).bits & (rest .> 0).bits
        return (hubpair_whole(both.clamped(to: 4095)) & areBoth) | (mean & ~areBoth)
    }

    /// Calls `body` with a view of the field that reads memory without copies.
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
}

/// The memory of a `ContrastField`, valid during one call of `withView`.
struct ContrastView {
    let width: Int
    let height: Int
    let columns: Int
    let pixels: UnsafeBufferPointer<UInt8>
    let thresholds: UnsafeBufferPointer<Int16>

    /// How much lighter (above 0) or darker a pixel is than its surroundings, in sixteenths of a grey level.
    /// `x` and `y` must be inside the picture.
    @inline(__always) func difference(x: Int, y: Int) -> Int32 {
        Int32(pixels[y &* width &+ x]) << 4
            &- Int32(thresholds[(y >> BlockGrid.shift) &* columns &+ x >> BlockGrid.shift])
    }

    /// Writes all differences of a row to `row`, which has room for them.
    func differences(y: Int, into row: UnsafeMutableBufferPointer<Int16>) {
        let line = y * width
        let blocks = (y >> BlockGrid.shift) * columns
        let whole = width >> BlockGrid.shift
        // Eight pixels at a time, which have two thresholds.
        let (bytes, values) = (UnsafeRawBufferPointer(pixels), UnsafeMutableRawBufferPointer(row))
        let fast = whole & ~1
        for block in stride(from: 0, to: fast, by: 2) {
            let at = blocks &+ block
            let (first, second) = (thresholds[at], thresholds[at &+ 1])
            let limits = SIMD8(first, first, first, first, second, second, second, second)
            let shades = hubpair_wide(
                bytes.loadUnaligned(
                    fromByteOffset: line &+ block << BlockGrid.shift, as: SIMD8<UInt8>.self))
            values.storeBytes(
                of: shades &<< 4 &- limits, toByteOffset: 2 &* block << BlockGrid.shift,
                as: SIMD8<Int16>.self)
        }
        for block in fast..<whole {
            let threshold = thresholds[blocks + block]
            let (from, to) = (line + block << BlockGrid.shift, block << BlockGrid.shift)
            for x in 0..<4 { row[to + x] = Int16(pixels[from + x]) << 4 &- threshold }
        }
        for x in whole << BlockGrid.shift..<width {
            row[x] = Int16(pixels[line + x]) << 4 &- thresholds[blocks + whole]
        }
    }

    /// The differences in grey levels at places one after the other, each one pixel further across, down or
    /// both: as ``contrast(_:)``, but what all of them have in common is looked up once.
    struct Walk {
        /// How many steps stay inside the picture.
        let count: Int
        private let view: ContrastView
        /// The pixel at the upper left of the place, and how far each step is from there to the next.
        private var pixel: Int
        private let step: Int
        /// The place that decides for a threshold.
        private var column: Int
        private var row: Int
        private let (across, down): (Int, Int)
        /// The shares of the pixels on the right and below.
        private let (fx, fy): (Float, Float)
        /// Along a column: the row of pixels that the next step shares with the one before, and the share of
        /// it; and of the row that the next step adds, how far that is from `pixel`.
        private var (kept, keptShare): (Float, Float)
        private let ahead: Int

        /// - Parameters:
        ///   - place: where the walk begins; its own difference comes with the first step after it.
        ///   - across: −1, 0 or 1; one of it and `down` is not 0.
        @inline(__always) init?(_ view: ContrastView, from place: Vector, across: Int, down: Int) {
            let (x, y) = (place.x - 0.5, place.y - 0.5)
            // False for NaN too, as in `contrast`.
            guard x >= 0, y >= 0, x < Float(view.width - 1), y < Float(view.height - 1) else { return nil }
            let (left, top) = (Int(x), Int(y))
            func steps(_ direction: Int, _ position: Int, _ size: Int) -> Int {
                direction == 0 ? .max : direction > 0 ? size - 2 - position : position
            }
            count = min(steps(across, left, view.width), steps(down, top, view.height))
            self.view = view
            (self.across, self.down) = (across, down)
            (pixel, step) = (top * view.width + left, down * view.width + across)
            (column, row) = (Int(place.x), Int(place.y))
            (fx, fy) = (x - Float(left), y - Float(top))
            ahead = down > 0 ? view.width : 0
            (kept, keptShare) = (view.between(pixel &+ ahead, fx), down > 0 ? 1 - fy : fy)
        }

        /// The difference one step further; `count` of them may be asked for.
        @inline(__always) mutating func next() -> Float {
            pixel &+= step
            column &+= across
            row &+= down
            let block = (row >> BlockGrid.shift) &* view.columns &+ column >> BlockGrid.shift
            let threshold = Float(view.thresholds[block]) * (1 / 16)
            guard across == 0 else { return view.bilinear(pixel, fx, fy) - threshold }
            let before = kept
            kept = view.between(pixel &+ ahead, fx)
            return before * keptShare + kept * (down > 0 ? fy : 1 - fy) - threshold
        }
    }

    /// The difference at a place between pixels, in grey levels; (0.5, 0.5) is the middle of the first pixel.
    /// 0 outside.
    @inline(__always) func contrast(_ place: Vector) -> Float {
        let x = place.x - 0.5
        let y = place.y - 0.5
        // False for NaN too, so that no conversion below traps.
        guard x >= 0, y >= 0, x < Float(width - 1), y < Float(height - 1) else { return 0 }
        let column = Int(x)
        let row = Int(y)
        let threshold = thresholds[
            (Int(place.y) >> BlockGrid.shift) * columns + Int(place.x) >> BlockGrid.shift]
        return bilinear(row * width + column, x - Float(column), y - Float(row)) - Float(threshold)
            * (1 / 16)
    }

    /// The luminance between pixels; at the edges that of the nearest pixel.
    @inline(__always) func luminance(_ place: Vector) -> Float {
        let x = max(0, min(place.x - 0.5, Float(width - 1)))
        let y = max(0, min(place.y - 0.5, Float(height - 1)))
        guard x == x, y == y else { return 0 }
        let column = min(Int(x), width - 2)
        let row = min(Int(y), height - 2)
        guard column >= 0, row >= 0 else { return 0 }
        return bilinear(row * width + column, x - Float(column), y - Float(row))
    }

    /// Between the pixel at `start`, its neighbour on the right, and those below. All four are pixels, so no
    /// number here can overflow.
    @inline(__always) private func bilinear(_ start: Int, _ fx: Float, _ fy: Float) -> Float {
        between(start, fx) * (1 - fy) + between(start &+ width, fx) * fy
    }

    /// Between the pixel at `start` and its neighbour on the right.
    @inline(__always) private func between(_ start: Int, _ fx: Float) -> Float {
        Float(pixels[start]) * (1 - fx) + Float(pixels[start &+ 1]) * fx
    }
}
