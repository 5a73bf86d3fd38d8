/// The square that a code fills in a picture of two shades: drawn by a program, or cut out to its edge.
///
///     picture = ground around the code, or nothing around it
///     corner  = a run of seven modules along either edge, then a light module (ISO/IEC 18004 § 6.3.3)
///
/// Three of the corners have both runs. Accepted: a code without a border. Rejected: a code beside anything
/// else, a photograph: their edges begin with other runs.
struct DrawnOutline {
    /// The edges of the code in pixels, between pixels.
    let left: Float
    let top: Float
    let right: Float
    let bottom: Float
    /// The side of a module, measured along the corners.
    let moduleSize: Float
    /// The shade around the code, and that of its dark modules; darker and lighter for a light code.
    let ground: UInt8
    let ink: UInt8

    var isInverted: Bool { ink > ground }
    var width: Float { right - left }
    var height: Float { bottom - top }

    /// The least difference of the two shades.
    private static let leastContrast = 40
    /// Half of the tolerated error of a run, in pixels, beside a share of its length: the edges of pixels.
    private static let slack: Float = 1.2

    /// The outline in dark on light, or in light on dark; nil if nothing fills such a square.
    static func all(in image: LuminanceImage) -> [DrawnOutline] {
        guard image.width >= 21, image.height >= 21 else { return [] }
        return image.pixels.withUnsafeBufferPointer { pixels in
            var (low, high): (UInt8, UInt8) = (255, 0)
            for pixel in pixels { (low, high) = (min(low, pixel), max(high, pixel)) }
            guard Int(high) - Int(low) >= leastContrast else { return [] }
            return [(high, low), (low, high)].compactMap { ground, ink in
                let view = View(
                    pixels: pixels, width: image.width, height: image.height, ground: Float(ground),
                    ink: Float(ink))
                return DrawnOutline(view)
            }
        }
    }

    private init?(_ view: View) {
        let (columns, rows) = (0..<view.width, 0..<view.height)
        guard let top = rows.first(where: { view.hasInk(row: $0) }),
            let bottom = rows.last(where: { view.hasInk(row: $0) }),
            let left = columns.first(where: { view.hasInk(column: $0, rows: top...bottom) }),
            let right = columns.last(where: { view.hasInk(column: $0, rows: top...bottom) })
        else { return nil }
        let (wide, high) = (right - left + 1, bottom - top + 1)
        guard wide >= 21, high >= 21, abs(wide - high) * 40 <= wide + high + 80 else { return nil }
        let half = min(wide, high) / 2
        // Along both edges from each corner.
        let runs = [
            (view.run(left, top, 1, 0, half), view.run(left, top, 0, 1, half)),
            (view.run(right, top, -1, 0, half), view.run(right, top, 0, 1, half)),
            (view.run(right, bottom, -1, 0, half), view.run(right, bottom, 0, -1, half)),
            (view.run(left, bottom, 1, 0, half), view.run(left, bottom, 0, -1, half)),
        ]
        let lengths = runs.flatMap { [$0.0, $0.1] }.sorted()
        // Six of the eight are of finder patterns, so one of the middle is.
        let middle = Float(lengths[4])
        let fitting = runs.filter { one in
            [one.0, one.1].allSatisfy {
                abs(Float($0) - middle) < DrawnOutline.slack + 0.06 * middle
            }
        }
        guard middle >= 6, fitting.count >= 3 else { return nil }
        let sum = fitting.reduce(0) { $0 + $1.0 + $1.1 }
        let module = Float(sum) / Float(14 * fitting.count)
        // The shades of the pixels on either side of an edge say where in them it is.
        let corner = max(3, Int(middle) - 1)
        self.left = Float(left + 1) - view.cover(of: [left - 1, left], across: true, top, bottom, corner)
        self.right = Float(right) + view.cover(of: [right + 1, right], across: true, top, bottom, corner)
        self.top = Float(top + 1) - view.cover(of: [top - 1, top], across: false, left, right, corner)
        self.bottom =
            Float(bottom) + view.cover(of: [bottom + 1, bottom], across: false, left, right, corner)
        moduleSize = module
        ground = UInt8(view.ground)
        ink = UInt8(view.ink)
    }

    /// The versions that fit the measured module.
    var versions: [Int] {
        let side = (width + height) / 2
        return (1...40).filter { version in
            let module = side / Float(17 + 4 * version)
            return abs(module - moduleSize) < 0.16 + 0.02 * moduleSize
        }
    }

    /// The picture in two shades.
    private struct View {
        let pixels: UnsafeBufferPointer<UInt8>
        let width: Int
        let height: Int
        let ground: Float
        let ink: Float

        func isInk(_ x: Int, _ y: Int) -> Bool {
            x >= 0 && y >= 0 && x < width && y < height && inks.contains(pixels[y * width + x])
        }

        /// The shades that are nearer to the ink than to the ground.
        private var inks: ClosedRange<UInt8> {
            let sum = Int(ground) + Int(ink)
            return ink < ground
                ? 0...UInt8(clamping: (sum - 1) / 2) : UInt8(clamping: sum / 2 + 1)...255
        }

        /// True if a row or a column has a pixel of ink. All pixels of a photograph may be looked at here.
        func hasInk(row: Int) -> Bool { hasInk(from: row * width, count: width, step: 1) }

        func hasInk(column: Int, rows: ClosedRange<Int>) -> Bool {
            hasInk(from: rows.lowerBound * width + column, count: rows.count, step: width)
        }

        private func hasInk(from start: Int, count: Int, step: Int) -> Bool {
            let (least, most) = (inks.lowerBound, inks.upperBound)
            var place = start
            for _ in 0..<count {
                let shade = pixels[place]
                if shade >= least, shade <= most { return true }
                place &+= step
            }
            return false
        }

        /// How much of a pixel is ink; nothing outside.
        func share(_ x: Int, _ y: Int) -> Float {
            guard x >= 0, y >= 0, x < width, y < height else { return 0 }
            return (Float(pixels[y * width + x]) - ground) / (ink - ground)
        }

        /// The pixels of ink in a row from a place, at most `limit`.
        func run(_ x: Int, _ y: Int, _ across: Int, _ down: Int, _ limit: Int) -> Int {
            (0..<limit).first { !isInk(x + across * $0, y + down * $0) } ?? limit
        }

        /// The ink of two lines of pixels, along both ends of an edge where finder patterns may be: the
        /// larger of the two, since there is one finder pattern at least.
        func cover(of lines: [Int], across: Bool, _ start: Int, _ end: Int, _ count: Int) -> Float {
            func mean(_ from: Int) -> Float {
                let sum = (from..<from + count).reduce(Float(0)) { sum, along in
                    sum + lines.reduce(0) { $0 + (across ? share($1, along) : share(along, $1)) }
                }
                return sum / Float(count)
            }
            return max(0, min(2, max(mean(start), mean(end - count + 1))))
        }
    }
}
