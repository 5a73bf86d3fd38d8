import CGlibc

/// How closely a place resembles a complete finder pattern: dark core, light ring, dark ring and light
/// separator.
///
/// Clouds, cloth and letters sometimes have stripes of the right widths in all four directions, but they
/// rarely resemble the whole pattern: in pictures without a code 0.5 was rare, and finder patterns of codes,
/// tilted or out of focus, had 0.65 or more. This test is too expensive for the search; it prevents the
/// diagnosis from reporting a code where there is none.
struct FinderLikeness: Equatable {
    /// The correlation with a finder pattern, in the affine frame that fits best; 1 is perfect.
    private(set) var match: Float
    /// The mean luma of its light modules minus that of its dark ones.
    private(set) var contrast: Float
    /// A module across and a module down in that frame, in pixels.
    private(set) var across = Vector(x: 0, y: 0)
    private(set) var down = Vector(x: 0, y: 0)

    /// True if it is a finder pattern. Noise has less contrast than the limit (of 255 steps).
    var isSure: Bool { match > 0.75 && contrast > 12 }

    /// True if it may be one, however blurred or small.
    var isLikely: Bool { match > 0.6 }

    /// Cosines and sines of six turns by 15°: the first frames to be fitted.
    private static let turns: [(Float, Float)] = [
        (1, 0), (0.966, 0.259), (0.866, 0.5), (0.707, 0.707), (0.5, 0.866), (0.259, 0.966),
    ]

    /// The modules row by row, four at a time: their places from the middle, and 1 for what they are. The
    /// last four are filled up with what is neither light nor dark.
    private static let modules:
        [(
            x: SIMD4<Float>, y: SIMD4<Float>, isLight: SIMD4<Float>, isDark: SIMD4<Float>
        )] = stride(from: 0, to: 81, by: 4).map { start in
            let places = (start..<start + 4).map { (x: $0 % 9 - 4, y: $0 / 9 - 4) }
            let isLight = places.map { [2, 4].contains(max(abs($0.x), abs($0.y))) && $0.y < 5 }
            let isDark = zip(places, isLight).map { !$1 && $0.y < 5 }
            return (
                SIMD4(places.map { Float($0.x) }), SIMD4(places.map { Float($0.y) }),
                SIMD4(isLight.map { $0 ? 1 : 0 }), SIMD4(isDark.map { $0 ? 1 : 0 })
            )
        }

    /// How many of these frames are fitted, the best first.
    private static let fitted = 3

    init(_ pattern: FinderPattern, in picture: LuminanceImage) {
        self = picture.pixels.withUnsafeBufferPointer { pixels in
            let view = View(
                pixels: pixels, width: picture.width, height: picture.height, centre: pattern.centre,
                sign: pattern.isInverted ? -1 : 1)
            // A frame that begins much worse than others does not become the best one.
            let starts = FinderLikeness.turns.map {
                view.square(cosine: $0.0, sine: $0.1, size: pattern.moduleSize)
            }.sorted { $0.match > $1.match }
            let fits = starts.prefix(FinderLikeness.fitted).map { view.fit($0, size: pattern.moduleSize) }
            return fits.max { $0.match < $1.match } ?? FinderLikeness(match: 0, contrast: 0)
        }
    }

    private init(match: Float, contrast: Float) {
        self.match = match
        self.contrast = contrast
    }

    /// The picture around the middle of a pattern.
    private struct View {
        let pixels: UnsafeBufferPointer<UInt8>
        let width: Int
        let height: Int
        let centre: Vector
        let sign: Float

        /// A square frame.
        func square(cosine: Float, sine: Float, size: Float) -> FinderLikeness {
            let (across, down) = (Vector(x: cosine, y: sine) * size, Vector(x: -sine, y: cosine) * size)
            var found = likeness(across, down)
            (found.across, found.down) = (across, down)
            return found
        }

        /// Improves a square frame step by step to a foreshortened or slanted one.
        func fit(_ start: FinderLikeness, size: Float) -> FinderLikeness {
            var (across, down) = (start.across, start.down)
            var best = start
            for step in [0.2 * size, 0.1 * size] {
                for _ in 0..<3 {
                    let before = best.match
                    for (x, y) in [(step, 0), (-step, 0), (0, step), (0, -step)] {
                        let change = Vector(x: x, y: y)
                        let wider = likeness(across + change, down)
                        if wider.match > best.match { (best, across) = (wider, across + change) }
                        let taller = likeness(across, down + change)
                        if taller.match > best.match { (best, down) = (taller, down + change) }
                    }
                    if best.match == before { break }
                }
            }
            (best.across, best.down) = (across, down)
            return best
        }

        private func likeness(_ across: Vector, _ down: Vector) -> FinderLikeness {
            var (light, dark, squares): (Float, Float, Float) = (0, 0, 0)
            FinderLikeness.modules.withUnsafeBufferPointer { modules in
                for (x, y, isLight, isDark) in modules {
                    let values = lumas(
                        x: centre.x + across.x * x + down.x * y, y: centre.y + across.y * x + down.y * y)
                    light = (values * isLight).added(to: light)
                    dark = (values * isDark).added(to: dark)
                    squares = (values * values * (isLight + isDark)).added(to: squares)
                }
            }
            // 48 modules are light and 33 dark: for a perfect pattern the deviation is √(48 · 33) / 81 times
            // the contrast.
            let mean = (light + dark) / 81
            let deviation = max(0, squares / 81 - mean * mean).squareRoot()
            let contrast = (light / 48 - dark / 33) * sign
            return FinderLikeness(match: contrast * 0.4913 / max(1, deviation), contrast: contrast)
        }

        /// `luma` at four places.
        @inline(__always) private func lumas(x: SIMD4<Float>, y: SIMD4<Float>) -> SIMD4<Float> {
            // Whole numbers beyond that do not fit their types, and a smaller picture has no squares.
            guard min(width, height) > 1, max(width, height) < 1 << 22, pixels.count < Int32.max else {
                return SIMD4((0..<4).map { luma(Vector(x: x[$0], y: y[$0])) })
            }
            let (x, y) = ((x - 0.5).clamped(to: Float(width - 1)), (y - 0.5).clamped(to: Float(height - 1)))
            let (column, row) = (hubpair_whole(x), hubpair_whole(y))
            // The last column is wholly on the right of the last but one: one is added, which is −1.
            let isLast = (column .> Int32(truncatingIfNeeded: width &- 2)).bits
            let isLowest = (row .> Int32(truncatingIfNeeded: height &- 2)).bits
            return PixelSquares(
                pixels, width: width, x: x, y: y, column: column &+ isLast, row: row &+ isLowest
            ).exactMeans
        }

        /// Interpolated between the middles of four pixels; outside the picture that of the nearest edge.
        private func luma(_ place: Vector) -> Float {
            let x = max(0, min(place.x - 0.5, Float(width - 1)))
            let y = max(0, min(place.y - 0.5, Float(height - 1)))
            guard x == x, y == y else { return 0 }
            let (column, row) = (Int(x), Int(y))
            let (fx, fy) = (x - Float(column), y - Float(row))
            // Column and row are inside the picture, so no sum can overflow.
            let first = row &* width &+ column
            let (right, below) = (column &+ 1 < width ? 1 : 0, row &+ 1 < height ? width : 0)
            func at(_ offset: Int) -> Float { Float(pixels[first &+ offset]) }
            return (at(0) * (1 - fx) + at(right) * fx) * (1 - fy)
                + (at(below) * (1 - fx) + at(below &+ right) * fx) * fy
        }
    }
}
